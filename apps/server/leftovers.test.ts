import { expect, test } from "bun:test";
import { giveBackLeftovers } from "./leftovers.ts";

test("what a start leaves behind is given back a moment later, in two looks, and never again", async () => {
	const looks: string[] = [];
	giveBackLeftovers({ Bun: { gc: () => looks.push("gc"), shrink: () => looks.push("shrink") } });
	expect(looks).toEqual([]);
	await Bun.sleep(3_300);
	expect(looks).toEqual(["gc", "shrink", "gc"]);
});

test("a runtime without a collector of its own is left alone", () => {
	expect(() => giveBackLeftovers({})).not.toThrow();
});
