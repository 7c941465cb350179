import { expect, test } from "bun:test";
import { Rounds } from "./rounds.ts";

function lineOf(...waiters: readonly string[]): Rounds<string> {
	const line = new Rounds<string>();
	for (const waiter of waiters) line.add(waiter.charAt(0), waiter);
	return line;
}

test("clients go on in turn, each with its own in the order in which they came", () => {
	const line = lineOf("a1", "a2", "a3", "b1", "c1", "c2");
	const order = Array.from({ length: 6 }, () => line.next());
	expect(order).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
	expect([line.size, line.next()]).toEqual([0, undefined]);
});

test("who comes again goes behind all others", () => {
	const line = lineOf("a1", "b1", "c1");
	line.next();
	line.add("a", "a2");
	expect([line.next(), line.next(), line.next()]).toEqual(["b1", "c1", "a2"]);
});

test("it is known whether anybody else waits", () => {
	const line = lineOf("a1", "a2");
	expect([line.hasOther("a"), line.hasOther("b"), lineOf().hasOther("a")]).toEqual([false, true, false]);
	line.add("b", "b1");
	expect(line.hasOther("a")).toBe(true);
});
