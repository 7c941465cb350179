import { expect, test } from "bun:test";
import { CROWDED_MS, type Crowding, crowding } from "./crowding.ts";

const after = (...took: readonly number[]): Crowding => {
	const crowd = crowding();
	for (const ms of took) crowd.note(ms);
	return crowd;
};

test("a server is not crowded before it answers, nor while it answers as it does, be it near or far", () => {
	expect(after().ms()).toBe(0);
	for (const ms of [0.5, 30]) expect(after(...Array.from({ length: 100 }, () => ms)).ms()).toBe(0);
});

test("a server is crowded by as much as requests take longer than the quickest, up to a bound", () => {
	const busy = Array.from({ length: 30 }, () => 9);
	expect(after(1, ...busy).ms()).toBeCloseTo(7.5, 0);
	expect(after(1, 200).ms()).toBe(CROWDED_MS);
	expect(after(1, ...busy, ...Array.from({ length: 30 }, () => 1)).ms()).toBeLessThan(0.1);
});

test("a way that has become longer is no crowd any more after some hundreds of requests", () => {
	expect(after(1, ...Array.from({ length: 1_000 }, () => 30)).ms()).toBe(0);
});
