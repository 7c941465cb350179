import { describe, expect, test } from "bun:test";
import { isLinearizable, type Model, type Operation } from "./linear.ts";
import { Dice, seed } from "./seed.ts";

/* The checker itself: histories that are right, and planted violations. */

type Input = { readonly write: number } | "read";

/** A register: a write is answered 0, a read with what is in it. */
const register: Model<number, Input, number> = {
	initial: 0,
	step(state, input, output) {
		if (input === "read") return output === undefined || output === state ? state : undefined;
		return input.write;
	},
};

const write = (value: number, calledMs: number, answeredMs: number): Operation<Input, number> => ({
	input: { write: value },
	output: 0,
	calledMs,
	answeredMs,
});
const read = (output: number, calledMs: number, answeredMs: number): Operation<Input, number> => ({
	input: "read",
	output,
	calledMs,
	answeredMs,
});
const lost = (value: number, calledMs: number): Operation<Input, number> => ({
	input: { write: value },
	output: undefined,
	calledMs,
	answeredMs: calledMs + 1,
});

describe("a history is linearizable", () => {
	test.each<[string, Operation<Input, number>[]]>([
		["when nothing happened", []],
		["when reads during a write see either value", [write(1, 0, 10), read(0, 1, 2), read(1, 3, 4)]],
		["when two writes at once took effect in either order", [write(1, 0, 10), write(2, 0, 10), read(1, 11, 12)]],
		["when a write whose answer was lost took effect later", [lost(1, 0), read(0, 5, 6), read(1, 7, 8)]],
		["when a write whose answer was lost never took effect", [lost(1, 0), read(0, 5, 6), read(0, 7, 8)]],
	])("%s", (_, history) => expect(isLinearizable(register, history)).toBe(true));
});

describe("a history is not linearizable", () => {
	test.each<[string, Operation<Input, number>[]]>([
		["after a stale read", [write(1, 0, 1), read(0, 2, 3)]],
		["after a read of what nobody wrote", [write(1, 0, 1), read(2, 2, 3)]],
		["after a lost update", [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)]],
		["when time runs backwards for readers", [write(1, 0, 10), read(1, 1, 2), read(0, 3, 4)]],
		["when a lost write is seen and then not any more", [lost(1, 0), read(1, 5, 6), read(0, 7, 8)]],
		["when a write is seen before it began", [read(1, 0, 1), write(1, 2, 3)]],
	])("%s", (_, history) => expect(isLinearizable(register, history)).toBe(false));
});

test(`histories of a real register are right, and wrong once one read in them is (seed ${seed})`, () => {
	const dice = new Dice(seed);
	for (let turn = 0; turn < 200; turn++) {
		const history: Operation<Input, number>[] = [];
		let state = 0;
		for (let at = 1; at <= 40; at++) {
			// Each takes effect at its number, and overlaps its neighbours.
			const [calledMs, answeredMs] = [at - dice.below(300) / 100, at + dice.below(300) / 100];
			if (dice.chance(0.5)) history.push(read(state, calledMs, answeredMs));
			else {
				state = at;
				history.push(write(at, calledMs, answeredMs));
			}
		}
		expect(isLinearizable(register, history)).toBe(true);
		expect(isLinearizable(register, [...history, read(-1, 20, 21)])).toBe(false);
		expect(isLinearizable(register, [...history, read(state + 1, 60, 61)])).toBe(false);
	}
});
