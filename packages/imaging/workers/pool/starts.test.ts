import { expect, test } from "bun:test";
import { Starts } from "./starts.ts";

test("a worker that ends now and then is replaced at once", () => {
	const starts = new Starts();
	for (let atMs = 0; atMs < 100_000; atMs += 2_600) {
		starts.died(atMs);
		expect(starts.waitMs(atMs)).toBe(0);
	}
});

test("after five deaths in ten seconds starts are spaced: 1, 2, 4, 8, 16, 30, 30 seconds", () => {
	const starts = new Starts();
	for (let death = 0; death < 4; death++) starts.died(death);
	expect(starts.waitMs(4)).toBe(0);
	let nowMs = 4;
	const waits: number[] = [];
	for (let death = 0; death < 7; death++) {
		starts.died(nowMs);
		waits.push(starts.waitMs(nowMs));
		// Others that end meanwhile change nothing.
		starts.died(nowMs);
		nowMs += starts.waitMs(nowMs);
		expect(starts.waitMs(nowMs)).toBe(0);
	}
	expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test("a worker that does something ends the waiting", () => {
	const starts = new Starts();
	for (let death = 0; death < 6; death++) starts.died(0);
	expect(starts.waitMs(0)).toBe(1_000);
	starts.worked();
	expect(starts.waitMs(0)).toBe(0);
	starts.died(1);
	expect(starts.waitMs(1)).toBe(0);
});
