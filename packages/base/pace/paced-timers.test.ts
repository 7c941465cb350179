import { expect, test } from "bun:test";
import { pacedTimers } from "./paced-timers.ts";

/** Timers on a clock that moves from one to the next. */
function world() {
	let nowMs = 0;
	const due = new Set<{ readonly atMs: number; readonly work: () => void }>();
	const timers = pacedTimers({
		now: () => nowMs,
		after(milliseconds, work) {
			const one = { atMs: nowMs + milliseconds, work };
			due.add(one);
			return () => void due.delete(one);
		},
	});
	return {
		timers,
		pass(milliseconds: number) {
			const endMs = nowMs + milliseconds;
			for (;;) {
				const [next] = [...due].sort((a, b) => a.atMs - b.atMs);
				if (!next || next.atMs > endMs) break;
				due.delete(next);
				nowMs = next.atMs;
				next.work();
			}
			nowMs = endMs;
		},
		waiting: () => due.size,
	};
}

test("while nobody comes nothing is looked at more often than every five seconds", () => {
	const { timers, pass } = world();
	const looks = [250, 700, 1_000, 30_000].map((every) => {
		const one = { every, count: 0 };
		timers.every(every, () => {
			one.count += 1;
		});
		return one;
	});
	pass(20_000);
	for (const one of looks) one.count = 0;
	pass(60_000);
	expect(looks.map(({ count }) => count)).toEqual([12, 12, 12, 2]);
});

test("as soon as somebody comes everything is looked at as often as before, and each look knows when it was due", () => {
	const { timers, pass } = world();
	const dues: number[] = [];
	timers.every(700, (dueMs) => dues.push(dueMs));
	pass(31_000);
	dues.length = 0;
	timers.wake();
	pass(2_100);
	expect(dues).toEqual([31_700, 32_400, 33_100]);
});

test("what is ended is looked at no more, asleep or awake", () => {
	const { timers, pass, waiting } = world();
	let looks = 0;
	const ends = [100, 200].map((every) =>
		timers.every(every, () => {
			looks += 1;
		}),
	);
	ends[0]?.();
	pass(60_000);
	ends[1]?.();
	timers.wake();
	looks = 0;
	pass(60_000);
	expect([looks, waiting()]).toEqual([0, 0]);
});
