import { afterAll, beforeAll, expect, test } from "bun:test";
import { migratedDatabase, NOW, type Scratch } from "./scratch.ts";
import { throttleStore } from "./throttles.ts";

let scratch: Scratch;
beforeAll(async () => {
	scratch = await migratedDatabase();
});
afterAll(() => scratch[Symbol.asyncDispose]());

const MINUTE_MS = 60_000;

test("as many as the limit pass in a window, however many come at once; then a new window begins", async () => {
	const { take } = throttleStore(scratch.database);
	const passed = async (nowMs: number) => {
		const answers = await Promise.all(Array.from({ length: 50 }, () => take("a", 7, MINUTE_MS, nowMs)));
		return answers.filter(Boolean).length;
	};
	expect(await passed(NOW)).toBe(7);
	expect(await passed(NOW + MINUTE_MS - 1)).toBe(0);
	expect(await passed(NOW + MINUTE_MS)).toBe(7);
	expect(await take("b", 1, MINUTE_MS, NOW)).toBe(true);
	expect(await take("b", 1, MINUTE_MS, NOW)).toBe(false);
});
