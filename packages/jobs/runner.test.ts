import { expect, test } from "bun:test";
import { ATTEMPTS, backoffMs } from "./runner.ts";

test("waits grow from a second to ten minutes", () => {
	const longest = Array.from({ length: ATTEMPTS }, (_, index) => backoffMs(index + 1, 1));
	expect(longest).toEqual([1_000, 4_000, 16_000, 64_000, 256_000, 600_000, 600_000, 600_000]);
});

test("chance takes up to half of a wait away, so that what failed together does not come back together", () => {
	expect([backoffMs(1, 0), backoffMs(6, 0)]).toEqual([500, 300_000]);
	expect(backoffMs(100, 0.5)).toBe(450_000);
});
