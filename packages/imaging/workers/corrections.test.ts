import { expect, test } from "bun:test";
import { Corrections } from "./corrections.ts";

test("prices of a format follow what its jobs really took, those of others stay", () => {
	const corrections = new Corrections();
	for (let job = 0; job < 200; job++) corrections.learn("avif", 100 * corrections.of("avif"), 150);
	expect(corrections.of("avif")).toBeCloseTo(1.5, 1);
	expect(corrections.of("jpg")).toBe(1);
});

test("no picture makes a format more than twice as dear, and the tiniest jobs say nothing", () => {
	const corrections = new Corrections();
	for (let job = 0; job < 200; job++) corrections.learn("png", 100, 20_000);
	expect(corrections.of("png")).toBe(2);
	for (let job = 0; job < 200; job++) corrections.learn("webp", 4, 0);
	expect(corrections.of("webp")).toBe(1);
});
