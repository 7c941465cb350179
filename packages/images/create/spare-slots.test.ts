import { expect, test } from "bun:test";
import { SpareSlots } from "./spare-slots.ts";

const HOUR_MS = 3_600_000;
const slot = (name: string) => ({ imageId: `img_${name}`, blobKey: `img_${name}/nonce` });

test("a place is given once", () => {
	const spare = new SpareSlots();
	spare.add(slot("a"), 1_000);
	expect(spare.take(1_001)).toMatchObject(slot("a"));
	expect(spare.take(1_001)).toBeUndefined();
});

test("a place that the sweep may have taken is not given, nor is one that a moved clock has not reached", () => {
	const spare = new SpareSlots();
	spare.add(slot("old"), 1_000);
	expect(spare.take(1_000 + HOUR_MS)).toBeUndefined();
	spare.add(slot("later"), 2 * HOUR_MS);
	expect(spare.take(HOUR_MS)).toBeUndefined();
});

test("no more places wait than are worth it", () => {
	const spare = new SpareSlots();
	for (let count = 0; count < 500; count += 1) spare.add(slot(`${count}`), 1_000);
	let given = 0;
	while (spare.take(1_000)) given += 1;
	expect(given).toBeLessThan(100);
});
