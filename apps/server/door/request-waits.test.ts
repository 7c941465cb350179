import { expect, test } from "bun:test";
import { requestWaits } from "./request-waits.ts";

function open() {
	const time = { ms: 1_000 };
	const waits = requestWaits(() => time.ms);
	const begin = () => {
		const { promise, resolve } = Promise.withResolvers<void>();
		const noted = waits.note(promise);
		return async (afterMs: number) => {
			time.ms += afterMs;
			resolve();
			await noted;
		};
	};
	return { time, waits, begin };
}

test("no request has waited before one has", () => {
	expect(open().waits.longestSeconds()).toBe(0);
});

test("the longest wait is told for half a minute at least, and forgotten after a minute", async () => {
	const { time, waits, begin } = open();
	await begin()(1_500);
	await begin()(20);
	expect(waits.longestSeconds()).toBe(1.5);
	time.ms += 30_000;
	expect(waits.longestSeconds()).toBe(1.5);
	time.ms += 30_000;
	expect(waits.longestSeconds()).toBe(0);
});

test("a request that still waits is told of, from when it came", async () => {
	const { time, waits, begin } = open();
	const first = begin();
	time.ms += 700;
	const second = begin();
	time.ms += 700;
	expect(waits.longestSeconds()).toBe(1.4);
	await first(0);
	await second(0);
	expect(waits.longestSeconds()).toBe(1.4);
});
