import { expect, test } from "bun:test";
import { firstComeLine, type Wish } from "./line.ts";

const wish = (lane: Wish["lane"]): Wish => {
	return { lane, price: { bytes: 1, cpuMs: 1 }, signal: new AbortController().signal };
};

test("one worker never takes dear work, so that cheap work finds a place beside any amount of it", async () => {
	const line = firstComeLine(2);
	const { promise, resolve } = Promise.withResolvers<void>();
	const dear = [line.run(wish("dear"), () => promise), line.run(wish("background"), () => promise)];
	expect(await line.run(wish("cheap"), async ({ bytes }) => bytes)).toBe(1);
	expect([line.running, line.waiting]).toEqual([1, 1]);
	resolve();
	await Promise.all(dear);
});
