import { expect, test } from "bun:test";
import { maskOf } from "./subject.ts";

test("a mask's share is its mean", () => {
	expect(maskOf(Uint8Array.of(0, 255, 255, 0), 2, 2).share).toBe(0.5);
});
