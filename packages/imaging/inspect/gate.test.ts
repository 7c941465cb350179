import { expect, test } from "bun:test";
import { weightedGate } from "./gate.ts";

/** A gate whose work ends when it is told to, and the names of what has begun. */
function watched(capacity: number) {
	const inTurn = weightedGate(capacity);
	const started: string[] = [];
	const running = new Map<string, { readonly end: () => void; readonly fail: () => void }>();
	const enter = (name: string, weight: number) =>
		inTurn(weight, () => {
			started.push(name);
			return new Promise<string>((resolve, reject) => {
				running.set(name, { end: () => resolve(name), fail: () => reject(new Error(name)) });
			});
		});
	const settle = async (name: string, how: "end" | "fail" = "end") => {
		running.get(name)?.[how]();
		await Bun.sleep(0);
	};
	return { enter, started, settle };
}

test("what fits runs at once, and the next in line begins as soon as it fits", async () => {
	const { enter, started, settle } = watched(10);
	const all = [enter("a", 4), enter("b", 6), enter("c", 5), enter("d", 1)];
	await Bun.sleep(0);
	expect(started).toEqual(["a", "b"]);
	await settle("a");
	// Although there is room for the one behind it.
	expect(started).toEqual(["a", "b"]);
	await settle("b");
	expect(started).toEqual(["a", "b", "c", "d"]);
	await settle("c");
	await settle("d");
	expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
});

test("what weighs more than all together runs, alone", async () => {
	const { enter, started, settle } = watched(10);
	void enter("small", 1);
	void enter("huge", 500);
	void enter("late", 1);
	await Bun.sleep(0);
	expect(started).toEqual(["small"]);
	await settle("small");
	expect(started).toEqual(["small", "huge"]);
	await settle("huge");
	expect(started).toEqual(["small", "huge", "late"]);
	await settle("late");
});

test("a failure gives back what it weighed, and is passed on", async () => {
	const { enter, started, settle } = watched(10);
	const failing = enter("fails", 10).catch(({ message }: Error) => message);
	void enter("next", 10);
	await Bun.sleep(0);
	await settle("fails", "fail");
	expect(await failing).toBe("fails");
	expect(started).toEqual(["fails", "next"]);
	await settle("next");
});
