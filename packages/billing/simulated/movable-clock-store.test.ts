import { expect, test } from "bun:test";
import { movableClock } from "./movable-clock-store.ts";

const BY = { actor: "acc_1", requestId: null, nowMs: 0 };

function world(startMs: number) {
	const base = { nowMs: startMs, now: () => base.nowMs };
	let offset = 0;
	const store = {
		read: async () => offset,
		raise: async (offsetMs: number) => {
			offset = Math.max(offset, offsetMs);
			return offset;
		},
	};
	return { base, store };
}

test("what was moved once stays moved, after a restart and for other processes", async () => {
	const { base, store } = world(1_000);
	const [one, other] = [await movableClock(base, store), await movableClock(base, store)];
	expect(await one.advanceTo(50_000, BY)).toBe(50_000);
	expect(other.now()).toBe(1_000);
	await other.refresh();
	expect(other.now()).toBe(50_000);
	base.nowMs += 7;
	expect((await movableClock(base, store)).now()).toBe(50_007);
});

test("it never goes backwards, nor farther than any term", async () => {
	const { base, store } = world(1_000);
	const clock = await movableClock(base, store);
	await clock.advanceTo(2_000, BY);
	for (const to of [1_999, 0, 2_000 + 11 * 366 * 86_400_000]) {
		await expect(clock.advanceTo(to, BY)).rejects.toMatchObject({
			code: "validation_error",
			details: { to: [expect.any(String)] },
		});
	}
	expect(clock.now()).toBe(2_000);
	expect(await clock.advanceTo(2_000, BY)).toBe(2_000);
});
