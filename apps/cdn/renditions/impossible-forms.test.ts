import { expect, test } from "bun:test";
import { ImpossibleForms } from "./impossible-forms.ts";

const MINUTE = 60_000;

function open() {
	const clock = { nowMs: 0, now: () => clock.nowMs };
	const forms = new ImpossibleForms(clock);
	const isPossible = (key = "a") => {
		try {
			forms.requirePossible(key);
			return true;
		} catch (error) {
			expect(error).toMatchObject({ code: "media_failed", retryAfterSeconds: undefined });
			return false;
		}
	};
	return { clock, forms, isPossible };
}

test("a form that cost two workers their life is not tried for ten minutes, then twice as long each time, a day at most", () => {
	const { clock, forms, isPossible } = open();
	let minutes = 10;
	for (let times = 0; times < 12; times++) {
		expect(isPossible()).toBe(true);
		forms.lost("a", 2);
		clock.nowMs += minutes * MINUTE - 1;
		expect(isPossible()).toBe(false);
		clock.nowMs += 1;
		minutes = Math.min(24 * 60, minutes * 2);
	}
	expect(isPossible("b")).toBe(true);
});

test("one worker is no proof, the second is; and what could be made after all starts anew", () => {
	const { forms, isPossible } = open();
	forms.lost("a", 1);
	expect(isPossible()).toBe(true);
	forms.made("a");
	forms.lost("a", 1);
	expect(isPossible()).toBe(true);
	forms.lost("a", 1);
	expect(isPossible()).toBe(false);
});

test("no more than ten thousand forms are remembered", () => {
	const { forms, isPossible } = open();
	for (let count = 0; count < 10_001; count++) forms.lost(`${count}`, 2);
	expect([forms.size, isPossible("0"), isPossible("1"), isPossible("10000")]).toEqual([10_000, true, false, false]);
});
