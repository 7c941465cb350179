import { expect, test } from "bun:test";
import { sharedRuns } from "./shared-runs.ts";

test("however many ask at once, one run is under way and one follows for all who came meanwhile", async () => {
	const run = sharedRuns<number>();
	const gates: (() => void)[] = [];
	let begun = 0;
	const work = async () => {
		const place = ++begun;
		await new Promise<void>((resolve) => gates.push(resolve));
		return place;
	};
	const asked = Array.from({ length: 80 }, () => run("a", work));
	const other = run("b", work);
	expect(begun).toBe(2);
	gates[0]?.();
	gates[1]?.();
	expect(await asked[0]).toBe(1);
	expect(await other).toBe(2);
	while (gates.length < 3) await Bun.sleep(1);
	gates[2]?.();
	expect(new Set(await Promise.all(asked.slice(1)))).toEqual(new Set([3]));
	expect(begun).toBe(3);
	const later = run("a", async () => 9);
	expect(await later).toBe(9);
});

test("a run that fails fails for those who share it, and the next ones go on", async () => {
	const run = sharedRuns<string>();
	const first = run("a", async () => {
		throw new Error("no");
	});
	const second = run("a", async () => "yes");
	expect(first).rejects.toThrow("no");
	expect(await second).toBe("yes");
});
