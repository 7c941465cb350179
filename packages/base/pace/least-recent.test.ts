import { expect, test } from "bun:test";
import { LeastRecent } from "./least-recent.ts";

test("of more entries than it may hold, the one that was set or used longest ago goes; a look at one changes nothing", () => {
	const kept = new LeastRecent<string, number>(3);
	for (const [key, value] of Object.entries({ a: 1, b: 2, c: 3 })) kept.set(key, value);
	expect([kept.use("a"), kept.get("b"), kept.use("none")]).toEqual([1, 2, undefined]);
	kept.set("d", 4);
	expect([...kept]).toEqual([
		["c", 3],
		["a", 1],
		["d", 4],
	]);
	kept.set("c", 5).set("e", 6);
	expect([...kept.keys()]).toEqual(["d", "c", "e"]);
});
