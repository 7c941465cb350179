import { expect, test } from "bun:test";
import { isTurnLong, isTurnTaken, nextTurn, shareTurn, takeTurn } from "./turns.ts";

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

/** Asks for a turn again as soon as it has had one, and takes the whole of each. */
async function askAgain(client: string, times: number, order: string[]): Promise<void> {
	for (let time = 0; time < times; time++) {
		await takeTurn(client);
		order.push(client);
		takeAll();
	}
}

test("clients go on in turn: four that take each turn whole keep a fifth waiting for one piece of each", async () => {
	await nextTurn();
	takeAll();
	const order: string[] = [];
	const busy = ["a", "b", "c", "d"].map((client) => askAgain(client, 4, order));
	while (order.length < 6) await nextTurn();
	const before = order.length;
	await takeTurn("other");
	expect(order.length - before).toBeLessThanOrEqual(4);
	await Promise.all(busy);
});

test("of one client, however much it sends, another waits for a single piece", async () => {
	await nextTurn();
	takeAll();
	const order: string[] = [];
	const busy = Array.from({ length: 10 }, () => askAgain("a", 2, order));
	await nextTurn();
	const before = order.length;
	await takeTurn("other");
	expect(order.length - before).toBeLessThanOrEqual(1);
	await Promise.all(busy);
});

test("work that has begun goes on beside what clients send, one and one, and is kept out by none of it", async () => {
	await nextTurn();
	takeAll();
	const order: string[] = [];
	const busy = Array.from({ length: 10 }, (_, client) => askAgain(`${client}`, 1, order));
	await shareTurn();
	expect(order.length).toBeLessThanOrEqual(1);
	await Promise.all(busy);
});

test("what comes new does not pass what waits", async () => {
	await nextTurn();
	takeAll();
	const waiting = [takeTurn("a"), takeTurn("a")];
	expect(isTurnTaken()).toBe(true);
	await Promise.all(waiting);
	await nextTurn();
	expect(isTurnTaken()).toBe(false);
});
