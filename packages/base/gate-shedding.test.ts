import { describe, expect, test } from "bun:test";
import { Failure } from "./failure.ts";
import { Gate } from "./gate.ts";

const patient = new AbortController().signal;

/** Lets every promise that can settle do so. */
async function settle() {
	for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** A gate whose clock only the test moves, and what became of those who came to it. */
class Door {
	nowMs = 0;
	readonly gate: Gate;
	readonly #running: (() => void)[] = [];
	/** Milliseconds from coming to the end of the work, of those who were let in. */
	readonly took: number[] = [];
	refused = 0;

	constructor({ running = 2, waiting = 64, burst = 30, burstMs = 400 } = {}) {
		const clock = { now: () => this.nowMs };
		this.gate = new Gate({ running, waiting, waitMs: 5_000, shedding: { burst, burstMs, clock } });
	}

	come(count = 1): void {
		for (let each = 0; each < count; each++) {
			const cameMs = this.nowMs;
			const work = () => new Promise<void>((resolve) => this.#running.push(resolve));
			this.gate.run(patient, work).then(
				() => this.took.push(this.nowMs - cameMs),
				(error: unknown) => {
					expect(error).toBeInstanceOf(Failure);
					this.refused++;
				},
			);
		}
	}

	/** So many come, and after so many milliseconds the piece of work that runs longest ends. */
	async step(ms: number, arrivals = 0): Promise<void> {
		this.come(arrivals);
		await settle();
		this.nowMs += ms;
		this.#running.shift()?.();
		await settle();
	}

	/** Until nothing is left to do. */
	async empty(stepMs: number): Promise<void> {
		do await this.step(stepMs);
		while (this.gate.running > 0);
	}
}

/** A gate that knows how long a piece of work takes: with two at once twice as long as a step. */
async function warmed(stepMs: number, limits?: ConstructorParameters<typeof Door>[0]): Promise<Door> {
	const door = new Door(limits);
	door.come();
	for (let step = 0; step < 100; step++) await door.step(stepMs, 1);
	await door.empty(stepMs);
	door.took.length = 0;
	return door;
}

describe("a burst", () => {
	test.each([5, 50, 150])("as large as a page is let in whole on an idle gate, at %i ms a picture", async (stepMs) => {
		const door = await warmed(stepMs);
		door.come(30);
		await door.empty(stepMs);
		expect([door.refused, door.took.length]).toEqual([0, 30]);
	});

	test("may be as long as the line where that is quickly done, and no longer", async () => {
		const door = await warmed(5);
		door.come(2 + 64 + 1);
		await door.empty(5);
		expect([door.refused, door.took.length]).toEqual([1, 66]);
	});

	test("ends where those behind would wait longer than they may", async () => {
		const door = await warmed(20, { burst: 10 });
		door.come(2 + 21);
		// One is done every 20 ms: the 20th in line waits 400 ms, the 21st would wait longer.
		expect(door.gate.waiting).toBe(20);
	});

	test("ends where it would be given up before its turn anyway", async () => {
		const door = await warmed(500);
		door.come(2 + 11);
		expect(door.gate.waiting).toBe(10);
	});

	test("that is over before the line is full may be followed by others for ever, as when some browsers keep a few waiting", async () => {
		const door = await warmed(15);
		door.come(18);
		for (let step = 0; step < 500; step++) await door.step(15, 1);
		await door.empty(15);
		expect([door.refused, door.took.length]).toEqual([0, 518]);
	});
});

describe("an overload", () => {
	/** Ten come while one is done. */
	async function overloaded(steps: number): Promise<Door> {
		const door = await warmed(10);
		for (let step = 0; step < steps; step++) await door.step(10, 10);
		return door;
	}

	test("after its first moments nobody waits, and hardly a place is ever empty", async () => {
		const steps = 6_000;
		const door = await overloaded(steps);
		expect(door.took.length).toBe(steps);
		expect(door.refused + steps + door.gate.running + door.gate.waiting).toBe(10 * steps);
		const late = door.took.filter((ms) => ms > 20);
		expect(late.length).toBeGreaterThan(0);
		expect(late.length).toBeLessThan(steps / 100);
	});

	test("is over when nobody had to be turned away for a second: the next burst is let in whole", async () => {
		const door = await overloaded(50);
		const { refused } = door;
		await door.empty(10);
		door.nowMs += 1_000;
		door.come(30);
		await door.empty(10);
		expect(door.refused).toBe(refused);
	});

	test("is over as soon as more are served than turned away, also when it goes on with a little too much", async () => {
		const door = await overloaded(50);
		// A tenth more than can be done.
		const some = async (steps: number) => {
			for (let step = 0; step < steps; step++) await door.step(10, step % 10 === 0 ? 2 : 1);
		};
		await some(50);
		const { refused } = door;
		await some(200);
		expect(door.refused).toBe(refused);
		expect(door.gate.waiting).toBeGreaterThan(10);
	});

	test("goes on until then", async () => {
		const door = await overloaded(50);
		await door.empty(10);
		const { refused } = door;
		door.nowMs += 500;
		await door.step(0, 32);
		expect(door.refused - refused).toBe(32 - 2);
	});

	test("never makes the line longer than its bound, whatever else is allowed", async () => {
		for (const waiting of [0, 1, 3]) {
			const door = new Door({ waiting });
			for (let step = 0; step < 50; step++) {
				door.come(20);
				expect(door.gate.waiting).toBeLessThanOrEqual(waiting);
				await door.step(step < 25 ? 20 : 2_000);
			}
		}
	});
});
