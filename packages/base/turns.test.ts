import { expect, test } from "bun:test";
import { isTurnLong, nextTurn, shareTurn } from "./turns.ts";

/** Takes the rest of this turn, and more. */
function takeAll(): void {
	isTurnLong();
	const endMs = performance.now() + 20;
	while (performance.now() < endMs);
}

test("a turn that has been short takes more work at once", async () => {
	await nextTurn();
	const order: string[] = [];
	void nextTurn().then(() => order.push("the next turn"));
	await shareTurn();
	order.push("work");
	await nextTurn();
	expect(order).toEqual(["work", "the next turn"]);
});

test("a long turn takes no more work before the next one", async () => {
	await nextTurn();
	const order: string[] = [];
	takeAll();
	void nextTurn().then(() => order.push("the next turn"));
	await shareTurn();
	order.push("work");
	expect(order).toEqual(["the next turn", "work"]);
});

test("what waits goes on in the order in which it came, as much of it in a turn as there is room for", async () => {
	await nextTurn();
	takeAll();
	const order: number[] = [];
	let turns = 0;
	const countTurns = () => {
		turns++;
		if (order.length < 3) setImmediate(countTurns);
	};
	setImmediate(countTurns);
	await Promise.all(
		[1, 2, 3].map(async (work) => {
			await shareTurn();
			order.push(work);
			takeAll();
		}),
	);
	expect(order).toEqual([1, 2, 3]);
	expect(turns).toBeGreaterThanOrEqual(3);
});
