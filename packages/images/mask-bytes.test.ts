import { expect, test } from "bun:test";
import { decodeMask, encodeMask } from "./mask-bytes.ts";

const noise = Uint8Array.from({ length: 640 * 480 }, (_, index) => (index * 2_654_435_761) >>> 24);

test("any mask comes back as it was", () => {
	for (const mask of [
		{ width: 1, height: 1, alpha: Uint8Array.of(255) },
		{ width: 3, height: 2, alpha: Uint8Array.of(0, 255, 128, 1, 254, 7) },
		{ width: 640, height: 480, alpha: noise },
		{ width: 640, height: 640, alpha: new Uint8Array(640 * 640) },
	])
		expect(decodeMask(encodeMask(mask))).toEqual(mask);
});

test("a mask with soft edges takes a few thousand bytes", () => {
	const alpha = Uint8Array.from({ length: 640 * 480 }, (_, index) => {
		const distance = Math.hypot((index % 640) - 320, Math.floor(index / 640) - 240);
		return Math.min(255, Math.max(0, (180 - distance) * 32));
	});
	expect(encodeMask({ width: 640, height: 480, alpha }).length).toBeLessThan(10_000);
});

test("bytes that are no whole mask are refused, also those that would unpack to more than they say", () => {
	const whole = encodeMask({ width: 640, height: 480, alpha: noise });
	const larger = whole.slice();
	larger.set([0, 10, 0, 10], 1);
	const huge = whole.slice();
	huge.set([255, 255, 255, 255], 1);
	for (const bytes of [new Uint8Array(), whole.subarray(0, 4), whole.subarray(0, 900), larger, huge, noise])
		expect(() => decodeMask(bytes)).toThrow(RangeError);
});
