import { afterAll, beforeAll, expect, test } from "bun:test";
import { migratedDatabase, NOW, type Scratch } from "@svc/test/support/scratch";
import { throttleStore } from "./rate-shared.ts";

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

test("what turned out not to count is taken from its own window, and from no later one", async () => {
	const { take, find, giveBack } = throttleStore(scratch.database);
	expect(await find("c", NOW)).toBeUndefined();
	for (let times = 0; times < 3; times++) await take("c", 3, MINUTE_MS, NOW);
	expect(await find("c", NOW)).toEqual({ count: 3, endsMs: NOW + MINUTE_MS });
	await giveBack("c", NOW + MINUTE_MS);
	expect(await find("c", NOW)).toEqual({ count: 2, endsMs: NOW + MINUTE_MS });
	expect(await find("c", NOW + MINUTE_MS)).toBeUndefined();
	await take("c", 3, MINUTE_MS, NOW + MINUTE_MS);
	await giveBack("c", NOW + MINUTE_MS);
	expect(await find("c", NOW + MINUTE_MS)).toEqual({ count: 1, endsMs: NOW + 2 * MINUTE_MS });
	for (let times = 0; times < 3; times++) await giveBack("c", NOW + 2 * MINUTE_MS);
	expect(await find("c", NOW + MINUTE_MS)).toMatchObject({ count: 0 });
});
