import { expect, test } from "bun:test";
import { decodeMask, encodeMask, maskOf } from "./mask.ts";

const noise = Uint8Array.from({ length: 640 * 480 }, (_, index) => (index * 2_654_435_761) >>> 24);

test("any mask comes back as it was", () => {
	for (const mask of [
		maskOf(Uint8Array.of(255), 1, 1),
		maskOf(Uint8Array.of(0, 255, 128, 1, 254, 7), 3, 2),
		maskOf(noise, 640, 480),
		maskOf(new Uint8Array(640 * 640), 640, 640),
	])
		expect(decodeMask(encodeMask(mask))).toEqual(mask);
});

test("a mask's share is its mean", () => {
	expect(maskOf(Uint8Array.of(0, 255, 255, 0), 2, 2).share).toBe(0.5);
});

test("bytes that are no whole mask are refused, also those that would unpack to more than they say", () => {
	const whole = encodeMask(maskOf(noise, 640, 480));
	const larger = whole.slice();
	larger.set([0, 10, 0, 10], 1);
	const huge = whole.slice();
	huge.set([255, 255, 255, 255], 1);
	for (const bytes of [new Uint8Array(), whole.subarray(0, 4), whole.subarray(0, 900), larger, huge, noise])
		expect(() => decodeMask(bytes)).toThrow(RangeError);
});
