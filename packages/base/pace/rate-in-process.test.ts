import { expect, test } from "bun:test";
import { Failure } from "../failure.ts";
import { rateLimiter } from "./rate-in-process.ts";

function limiter(perSecond: number, burst: number, sharers = () => 1) {
	const clock = { ms: 1_000_000, now: () => clock.ms };
	const { take } = rateLimiter({ perSecond, burst }, clock, sharers);
	/** Undefined when it passes, else the seconds to wait. */
	const attempt = (key: string): number | undefined => {
		try {
			take(key);
			return undefined;
		} catch (cause) {
			if (!(cause instanceof Failure) || cause.code !== "rate_limited") throw cause;
			return cause.retryAfterSeconds;
		}
	};
	return { clock, attempt };
}

test("a burst passes at once, the next waits for the rate", () => {
	const { clock, attempt } = limiter(10, 5);
	expect([1, 2, 3, 4, 5].map(() => attempt("a"))).toEqual([undefined, undefined, undefined, undefined, undefined]);
	expect(attempt("a")).toBe(1);
	clock.ms += 99;
	expect(attempt("a")).toBe(1);
	clock.ms += 1;
	expect(attempt("a")).toBeUndefined();
	expect(attempt("a")).toBe(1);
});

test("over a long time exactly the rate passes, however often it is tried", () => {
	const { clock, attempt } = limiter(50, 200);
	let passed = 0;
	for (let ms = 0; ms < 10_000; ms++) {
		clock.ms++;
		for (let tries = 0; tries < 3; tries++) if (attempt("a") === undefined) passed++;
	}
	expect(passed).toBe(200 + 50 * 10 - 1);
});

test("processes that share a limit let it pass together, and the rest of them all of it once one is gone", () => {
	let processes = 3;
	const { clock, attempt } = limiter(30, 60, () => processes);
	const passes = (seconds: number) => {
		let passed = 0;
		for (let ms = 0; ms < seconds * 1_000; ms++) {
			clock.ms++;
			if (attempt("a") === undefined) passed++;
		}
		return passed;
	};
	expect(passes(10)).toBe(20 - 1 + 10 * 10);
	processes = 2;
	passes(10);
	expect(passes(10)).toBe(10 * 15);
});

test("however many share a limit, something passes", () => {
	const { attempt } = limiter(1, 2, () => 10);
	expect([attempt("a"), attempt("a")]).toEqual([undefined, 10]);
});

test("Retry-After is long enough", () => {
	const { clock, attempt } = limiter(1, 3);
	for (let n = 0; n < 3; n++) attempt("a");
	const wait = attempt("a") ?? 0;
	clock.ms += wait * 1_000;
	expect(attempt("a")).toBeUndefined();
});

test("keys do not share a bucket, and 0 is no limit", () => {
	const { attempt } = limiter(1, 1);
	expect(attempt("a")).toBeUndefined();
	expect(attempt("b")).toBeUndefined();
	const free = limiter(0, 1);
	for (let n = 0; n < 1_000; n++) expect(free.attempt("a")).toBeUndefined();
});
