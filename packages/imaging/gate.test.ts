import { expect, test } from "bun:test";
import { gate } from "./gate.ts";

test("no more than the given number run at once, in the order in which they came, failures included", async () => {
	const inTurn = gate(2);
	let running = 0;
	let most = 0;
	const started: number[] = [];
	const outcomes = await Promise.allSettled(
		[0, 1, 2, 3, 4, 5].map((n) =>
			inTurn(async () => {
				started.push(n);
				most = Math.max(most, ++running);
				await Bun.sleep(5);
				running--;
				if (n % 2 === 0) throw new Error("even");
				return n;
			}),
		),
	);
	expect(most).toBe(2);
	expect(started).toEqual([0, 1, 2, 3, 4, 5]);
	expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([false, true, false, true, false, true]);
});
