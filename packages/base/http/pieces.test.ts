import { describe, expect, test } from "bun:test";
import { nextTurn } from "../pace/turns.ts";
import { inTurns } from "./pieces.ts";

/** A body whose pieces are there, or come when they are sent. Tells how many of its pieces were asked for. */
function bodyOf(pieces: number, arrival: () => Promise<unknown> = async () => undefined, client = "192.0.2.1") {
	const body = { asked: 0, isEnded: false, pieces: inTurns(source(), client) };
	async function* source() {
		try {
			for (let piece = 0; piece < pieces; piece++) {
				body.asked++;
				await arrival();
				yield piece;
			}
		} finally {
			body.isEnded = true;
		}
	}
	return body;
}

async function readAll(pieces: AsyncIterable<number>): Promise<number[]> {
	const read: number[] = [];
	for await (const piece of pieces) read.push(piece);
	return read;
}

async function someTurns(): Promise<void> {
	for (let turn = 0; turn < 20; turn++) await nextTurn();
}

describe("bodies that are read side by side", () => {
	test("each gives all of its pieces, in order", async () => {
		const bodies = Array.from({ length: 20 }, () => bodyOf(5));
		const read = await Promise.all(bodies.map(({ pieces }) => readAll(pieces)));
		expect(read).toEqual(bodies.map(() => [0, 1, 2, 3, 4]));
	});

	test("a piece is asked for only of as many as are in hand at once", async () => {
		const bodies = Array.from({ length: 5 }, () => bodyOf(1_000));
		const firsts = bodies.map(({ pieces }) => pieces.next());
		await Promise.all(firsts.slice(0, 2));
		await someTurns();
		expect(bodies.map(({ asked }) => asked)).toEqual([1, 1, 0, 0, 0]);
		for (const { pieces } of bodies.slice(0, 2)) await pieces.return(undefined);
		await Promise.all(firsts.slice(2, 4));
		expect(bodies.map(({ asked }) => asked)).toEqual([1, 1, 1, 1, 0]);
		for (const { pieces } of bodies.slice(2)) void pieces.return(undefined);
		await firsts[4];
		await someTurns();
	});

	test("another client's body gets a place after one piece, though others are far from their ends", async () => {
		const busy = Array.from({ length: 4 }, () => bodyOf(1_000));
		const reading = busy.map(({ pieces }) => readAll(pieces));
		await someTurns();
		const asked = () => busy.reduce((sum, body) => sum + body.asked, 0);
		const other = bodyOf(1, undefined, "192.0.2.2");
		const before = asked();
		await other.pieces.next();
		// Of each of the two that had places the piece that was in hand, and the next.
		expect(asked() - before).toBeLessThanOrEqual(4);
		await Promise.all([...reading, other.pieces.return(undefined)]);
	});

	test("one whose sender pauses keeps nobody waiting", async () => {
		const { promise: sent, resolve: send } = Promise.withResolvers<void>();
		const slow = Array.from({ length: 5 }, () => bodyOf(2, () => sent));
		const reading = slow.map(({ pieces }) => readAll(pieces));
		await someTurns();
		expect(await readAll(bodyOf(3).pieces)).toEqual([0, 1, 2]);
		send();
		expect(await Promise.all(reading)).toEqual(slow.map(() => [0, 1]));
	});

	test("one that breaks off, or is given up, leaves its place and ends its source", async () => {
		const broken = bodyOf(2, () => Promise.reject(new Error("gone")));
		await expect(readAll(broken.pieces)).rejects.toThrow("gone");
		for (let count = 0; count < 5; count++) {
			const left = bodyOf(2);
			for await (const _ of left.pieces) break;
			expect(left.isEnded).toBe(true);
		}
		expect(await readAll(bodyOf(3).pieces)).toEqual([0, 1, 2]);
	});
});
