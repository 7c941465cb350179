import { expect, test } from "bun:test";
import { type ChangeLineOptions, changeLine, type Going } from "./change-line.ts";

/** A line of functions that run one after the other. */
function lineOf(options: ChangeLineOptions<() => Promise<unknown>> = {}) {
	const run = async ([first]: readonly Going<() => Promise<unknown>, unknown>[]) =>
		void (await first?.change().then(first.answer.resolve, first.answer.reject));
	return changeLine(run, { groupMax: 1, ...options });
}

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test("one change runs at a time, and they run in the order in which they came", async () => {
	const line = lineOf();
	const order: number[] = [];
	let running = 0;
	let most = 0;
	const change = (number: number) => async () => {
		running += 1;
		most = Math.max(most, running);
		await later(number % 3);
		order.push(number);
		running -= 1;
		if (number % 4 === 0) throw new Error("refused");
		return number;
	};
	const numbers = Array.from({ length: 30 }, (_, number) => number);
	const ended = await Promise.allSettled(numbers.map((number) => line(change(number))));
	expect(most).toBe(1);
	expect(order).toEqual(numbers);
	expect(ended.filter(({ status }) => status === "rejected")).toHaveLength(8);
	expect(await line(async () => "free again")).toBe("free again");
});

test("a change that gets no answer does not stop the others", async () => {
	const line = lineOf({ placeMs: 5 });
	const { promise: silence, resolve: end } = Promise.withResolvers<void>();
	const silent = line(() => silence);
	expect(await Promise.all([line(async () => 1), line(async () => 2)])).toEqual([1, 2]);
	end();
	await silent;
	expect(await line(async () => 3)).toBe(3);
});

test("a change that waits too long is refused without being tried, and leaves no gap in the line", async () => {
	const line = lineOf({ placeMs: 60_000, waitMs: 5 });
	const { promise: silence, resolve: end } = Promise.withResolvers<void>();
	const silent = line(() => silence);
	let tried = false;
	const late = line(async () => {
		tried = true;
	});
	await expect(late).rejects.toMatchObject({ name: "DatabaseError", code: "SQLITE_BUSY", written: "no" });
	expect(tried).toBe(false);
	end();
	await silent;
	expect(await line(async () => "next")).toBe("next");
});

test("what comes in one turn of the event loop goes together, and so does what waits, in its order, within both bounds", async () => {
	const groups: number[][] = [];
	const line = changeLine<number, number>(
		async (going) => {
			groups.push(going.map(({ change }) => change));
			await later(2);
			for (const { change, answer } of going) answer.resolve(change);
		},
		{ groupMax: 3, sizeMax: 10, sizeOf: (size) => size },
	);
	const sizes = [1, 2, 3, 4, 5, 6, 30, 1, 1, 1, 1];
	expect(await Promise.all(sizes.map(line))).toEqual(sizes);
	expect(groups).toEqual([[1, 2, 3], [4, 5], [6], [30], [1, 1, 1], [1]]);
	groups.length = 0;
	const first = line(1);
	await later(1);
	expect(groups).toEqual([[1]]);
	await Promise.all([first, line(2), line(3)]);
	expect(groups).toEqual([[1], [2, 3]]);
});
