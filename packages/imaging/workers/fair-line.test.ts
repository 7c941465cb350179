import { describe, expect, test } from "bun:test";
import { Failure } from "@svc/base/failure";
import fc from "fast-check";
import { FairLine, type FairLineOptions } from "./fair-line.ts";
import type { Lane, Wish } from "./line.ts";

const MIB = 1_024 ** 2;

/** Time that passes only when a test says so. */
class Hand {
	#nowMs = 0;
	#alarms: { readonly atMs: number; readonly work: () => void }[] = [];

	now(): number {
		return this.#nowMs;
	}

	after(ms: number, work: () => void): () => void {
		const alarm = { atMs: this.#nowMs + ms, work };
		this.#alarms.push(alarm);
		return () => {
			this.#alarms = this.#alarms.filter((one) => one !== alarm);
		};
	}

	async pass(ms: number): Promise<void> {
		const untilMs = this.#nowMs + ms;
		for (;;) {
			const next = this.#alarms.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
			if (!next) break;
			this.#alarms = this.#alarms.filter((one) => one !== next);
			this.#nowMs = Math.max(this.#nowMs, next.atMs);
			next.work();
			await settled();
		}
		this.#nowMs = untilMs;
	}
}

/** All promises that can settle now have. */
async function settled(): Promise<void> {
	for (let turns = 0; turns < 8; turns++) await Promise.resolve();
}

interface Asked {
	readonly name: string;
	readonly end: () => Promise<void>;
	readonly leave: () => void;
	readonly outcome: () => "waits" | "runs" | "done" | "refused" | "left";
	readonly failure: () => unknown;
}

/** A line whose pieces of work end when the test says so. */
function open(options: Partial<FairLineOptions> = {}) {
	const hand = new Hand();
	const line = new FairLine({
		places: 2,
		bytes: 640 * MIB,
		waiting: 256,
		clock: hand,
		after: (ms, work) => hand.after(ms, work),
		...options,
	});
	const began: string[] = [];
	let count = 0;
	function ask(
		lane: Lane,
		more: Partial<Wish & { network: string; app: string; bytes: number; cpuMs: number }> = {},
	): Asked {
		const { network = "n", app = "a", bytes = MIB, cpuMs = 100 } = more;
		const name = `${lane} ${network} ${count++}`;
		const leaving = new AbortController();
		const { promise, resolve } = Promise.withResolvers<void>();
		let outcome: ReturnType<Asked["outcome"]> = "waits";
		let failure: unknown;
		const wish: Wish = { lane, price: { bytes, cpuMs }, visitor: { network, app }, signal: leaving.signal };
		line
			.run(wish, async () => {
				outcome = "runs";
				began.push(name);
				await promise;
			})
			.then(
				() => {
					outcome = "done";
				},
				(error: unknown) => {
					failure = error;
					outcome = error === leaving.signal.reason ? "left" : "refused";
				},
			);
		return {
			name,
			end: async () => {
				resolve();
				await settled();
			},
			leave: () => leaving.abort(),
			outcome: () => outcome,
			failure: () => failure,
		};
	}
	return { line, hand, ask, began };
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
	Array.from({ length: count }, (_, index) => make(index));

describe("lanes", () => {
	test("dear work never takes the last place, so cheap work is never behind it", async () => {
		const { ask, line } = open();
		const dear = many(5, () => ask("dear"));
		await settled();
		expect(line.running).toBe(1);
		const cheap = ask("cheap", { network: "visitor" });
		await settled();
		expect(cheap.outcome()).toBe("runs");
		expect(dear.filter((one) => one.outcome() === "runs")).toHaveLength(1);
	});

	test("with one place cheap work goes first", async () => {
		const { ask, began } = open({ places: 1 });
		const first = ask("dear");
		const dear = ask("dear");
		const cheap = ask("cheap");
		await first.end();
		expect(began).toEqual([first.name, cheap.name]);
		await cheap.end();
		expect(dear.outcome()).toBe("runs");
	});

	test("an upload is behind a flood of cheap work for two seconds at most, and the flood is not behind uploads", async () => {
		const { ask, hand, began } = open();
		const running = many(2, () => ask("cheap"));
		many(20, () => ask("cheap"));
		const uploads = many(5, () => ask("ingest", { network: "app" }));
		await hand.pass(2_000);
		await running[0]?.end();
		await running[1]?.end();
		const [one, other] = began.slice(2);
		expect([one, other].filter((name) => name === uploads[0]?.name)).toHaveLength(1);
		expect([one, other].filter((name) => name?.startsWith("cheap"))).toHaveLength(1);
	});

	test("dear work gets its place after a while, however much cheap work there is", async () => {
		const { ask, hand } = open();
		const cheap = many(200, () => ask("cheap"));
		const dear = ask("dear");
		for (let turn = 0; dear.outcome() === "waits"; turn++) {
			expect(turn).toBeLessThan(100);
			await hand.pass(100);
			await cheap.find((one) => one.outcome() === "runs")?.end();
			cheap.push(ask("cheap"));
		}
		expect(dear.outcome()).toBe("runs");
	});
});

describe("a fair share", () => {
	test("the network that had least is next, though another stands in line with a hundred", async () => {
		const { ask, began } = open();
		const flood = many(100, () => ask("cheap", { network: "flood" }));
		const visitor = ask("cheap", { network: "visitor" });
		await flood[0]?.end();
		expect(began.at(-1)).toBe(visitor.name);
	});

	test("counts priced time, not requests", async () => {
		const { ask, began } = open({ places: 1 });
		const first = ask("cheap", { network: "heavy", cpuMs: 200 });
		const heavy = ask("cheap", { network: "heavy", cpuMs: 200 });
		const light = many(3, () => ask("cheap", { network: "light", cpuMs: 90 }));
		await first.end();
		for (const one of light.slice(0, 2)) await one.end();
		expect(began).toEqual([first, ...light].map(({ name }) => name));
		await light[2]?.end();
		expect(began.at(-1)).toBe(heavy.name);
	});

	test("what was had more than ten seconds ago counts no more", async () => {
		const { ask, hand, began } = open({ places: 1 });
		await ask("cheap", { network: "a", cpuMs: 5_000 }).end();
		await hand.pass(10_001);
		const holder = ask("cheap", { network: "c" });
		const [a, b] = [ask("cheap", { network: "a" }), ask("cheap", { network: "b" })];
		await holder.end();
		expect(began.at(-1)).toBe(a.name);
		expect(b.outcome()).toBe("waits");
	});

	test("among the Apps of one network the one that had least is next", async () => {
		const { ask, began } = open({ places: 1 });
		const first = ask("cheap", { app: "one" });
		ask("cheap", { app: "one" });
		const other = ask("cheap", { app: "two" });
		await first.end();
		expect(began.at(-1)).toBe(other.name);
	});

	test("nobody has more than half of the places while others wait, and alone all of them", async () => {
		const { ask, line } = open({ places: 4 });
		const flood = many(20, () => ask("cheap", { network: "flood", app: "x" }));
		await settled();
		expect(flood.filter((one) => one.outcome() === "runs")).toHaveLength(4);
		const others = many(4, (index) => ask("cheap", { network: `other ${index}`, app: "y", cpuMs: 9_000 }));
		for (const one of flood.slice(0, 4)) await one.end();
		expect(flood.filter((one) => one.outcome() === "runs")).toHaveLength(2);
		expect(others.filter((one) => one.outcome() === "runs")).toHaveLength(2);
		expect(line.running).toBe(4);
	});
});

describe("the line", () => {
	test("lets all of a page wait", async () => {
		const { ask } = open();
		const page = many(100, () => ask("cheap"));
		for (const one of page) await one.end();
		expect(page.map((one) => one.outcome())).toEqual(many(100, () => "done"));
	});

	test("refuses the newest of whoever has most in it when it is full", async () => {
		const { ask, line } = open({ waiting: 8 });
		const flood = many(10, () => ask("cheap", { network: "flood" }));
		const visitor = ask("cheap", { network: "visitor" });
		await settled();
		expect(visitor.outcome()).toBe("waits");
		expect(flood[9]?.outcome()).toBe("refused");
		expect(flood[9]?.failure()).toBeInstanceOf(Failure);
		expect(flood[9]?.failure()).toMatchObject({ code: "server_error", timedOut: true });
		const late = ask("cheap", { network: "flood" });
		await settled();
		expect(late.outcome()).toBe("refused");
		expect([line.waiting, line.shed]).toEqual([8, 2]);
	});

	test("holds a quarter as many dear requests, who may wait three times as long", async () => {
		const { ask, hand } = open({ waiting: 8 });
		const cheap = many(4, () => ask("cheap"));
		const dear = many(4, () => ask("dear"));
		await settled();
		expect(dear.map((one) => one.outcome())).toEqual(["waits", "waits", "refused", "refused"]);
		await hand.pass(10_000);
		expect(cheap.map((one) => one.outcome())).toEqual(["runs", "runs", "refused", "refused"]);
		await hand.pass(19_999);
		expect(dear[0]?.outcome()).toBe("waits");
		await hand.pass(1);
		expect(dear[0]?.outcome()).toBe("refused");
	});

	test("tells to come back when what stands before is done, in 1 to 30 seconds", async () => {
		const { ask } = open({ waiting: 4 });
		const quick = many(7, () => ask("cheap", { cpuMs: 10 }));
		await settled();
		expect(quick[6]?.failure()).toMatchObject({ retryAfterSeconds: 1 });
		const slow = open({ waiting: 4 });
		const long = many(7, () => slow.ask("cheap", { cpuMs: 4_000 }));
		await settled();
		expect(long[6]?.failure()).toMatchObject({ retryAfterSeconds: 12 });
		const endless = open({ waiting: 4 });
		const ages = many(7, () => endless.ask("cheap", { cpuMs: 60_000 }));
		await settled();
		expect(ages[6]?.failure()).toMatchObject({ retryAfterSeconds: 30 });
	});

	test("is served newest first once it has not been empty for five seconds", async () => {
		const { ask, hand, began } = open({ places: 1 });
		const first = ask("cheap");
		const old = ask("cheap");
		await hand.pass(5_000);
		const fresh = ask("cheap");
		await first.end();
		expect(began.at(-1)).toBe(fresh.name);
		await fresh.end();
		expect(began.at(-1)).toBe(old.name);
		await old.end();
		const again = many(3, () => ask("cheap"));
		await again[0]?.end();
		expect(began.at(-1)).toBe(again[1]?.name ?? "");
	});

	test("forgets who leaves, at once", async () => {
		const { ask, line } = open({ places: 1 });
		const running = ask("cheap");
		const [leaving, staying] = [ask("cheap"), ask("cheap")];
		leaving.leave();
		expect([line.waiting, line.abandoned]).toEqual([1, 1]);
		await running.end();
		expect([leaving.outcome(), staying.outcome()]).toEqual(["left", "runs"]);
		// Who runs holds its place until the work has ended: what was abandoned still uses the processor.
		staying.leave();
		await settled();
		expect(line.running).toBe(1);
	});
});

describe("memory", () => {
	test("work waits for its bytes, and cheap work finds some beside any dear work", async () => {
		const { ask, line } = open({ places: 4, bytes: 640 * MIB });
		const dear = [ask("dear", { bytes: 400 * MIB }), ask("dear", { bytes: 200 * MIB })];
		const cheap = ask("cheap", { bytes: 64 * MIB });
		await settled();
		expect([...dear, cheap].map((one) => one.outcome())).toEqual(["runs", "waits", "runs"]);
		expect(line.bytes).toBe(464 * MIB);
		await dear[0]?.end();
		expect(dear[1]?.outcome()).toBe("runs");
	});

	test("something large that has waited for long is not passed by any more", async () => {
		const { ask, hand } = open({ places: 4 });
		const first = ask("dear", { bytes: 300 * MIB });
		const large = ask("dear", { bytes: 500 * MIB });
		const upload = ask("ingest", { bytes: 200 * MIB });
		await settled();
		expect([large.outcome(), upload.outcome()]).toEqual(["waits", "runs"]);
		await hand.pass(2_000);
		await upload.end();
		const due = ask("ingest", { bytes: 500 * MIB, network: "other" });
		await hand.pass(2_000);
		const small = ask("ingest", { bytes: 200 * MIB });
		await settled();
		expect([due.outcome(), small.outcome()]).toEqual(["waits", "waits"]);
		expect(ask("cheap").outcome()).toBe("waits");
		await settled();
		await first.end();
		expect(due.outcome()).toBe("runs");
	});

	test("what alone is larger than all memory runs alone", async () => {
		const { ask } = open({ bytes: 100 * MIB });
		const cheap = ask("cheap");
		const huge = ask("ingest", { bytes: 200 * MIB });
		await settled();
		expect(huge.outcome()).toBe("waits");
		await cheap.end();
		expect(huge.outcome()).toBe("runs");
	});
});

const LANES = ["cheap", "ingest", "dear", "background"] as const;
type Step =
	| {
			readonly kind: "ask";
			readonly lane: Lane;
			readonly network: number;
			readonly bytes: number;
			readonly cpuMs: number;
	  }
	| { readonly kind: "end" | "leave"; readonly which: number }
	| { readonly kind: "pass"; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			kind: fc.constant("ask" as const),
			lane: fc.constantFrom(...LANES),
			network: fc.nat(5),
			bytes: fc.integer({ min: 0, max: 600 * MIB }),
			cpuMs: fc.integer({ min: 1, max: 10_000 }),
		}),
	},
	{ weight: 5, arbitrary: fc.record({ kind: fc.constantFrom("end" as const, "leave" as const), which: fc.nat() }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 6_000 }) }) },
);

type Opened = ReturnType<typeof open>;
type Known = Asked & { readonly lane: Lane; readonly bytes: number };

async function take(one: Step, { hand, ask }: Opened, asked: Known[]): Promise<void> {
	const running = asked.filter((each) => each.outcome() === "runs");
	switch (one.kind) {
		case "pass":
			await hand.pass(one.ms);
			break;
		case "ask": {
			const bytes = one.lane === "cheap" ? one.bytes % (64 * MIB) : one.bytes;
			const wish = { network: `${one.network}`, app: `${one.network % 2}`, bytes, cpuMs: one.cpuMs };
			asked.push({ ...ask(one.lane, wish), lane: one.lane, bytes });
			break;
		}
		case "end":
			await running[one.which % Math.max(1, running.length)]?.end();
			break;
		case "leave":
			asked[one.which % Math.max(1, asked.length)]?.leave();
	}
	await settled();
}

function expectBounds({ line }: Opened, asked: readonly Known[], places: number): void {
	const running = asked.filter((each) => each.outcome() === "runs");
	expect(running.length).toBe(line.running);
	expect(line.running).toBeLessThanOrEqual(places);
	expect(line.bytes).toBe(running.reduce((sum, { bytes }) => sum + bytes, 0));
	if (running.length > 1) expect(line.bytes).toBeLessThanOrEqual(640 * MIB);
	const patient = running.filter(({ lane }) => lane === "dear" || lane === "background").length;
	expect(patient).toBeLessThanOrEqual(Math.max(1, places - 1));
	if (line.waiting > 0) expect(line.running).toBeGreaterThan(0);
}

test("whatever is asked: the bounds hold, no place stays empty for nothing, and everybody is done, refused or gone in the end", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 5 }), async (steps, places) => {
			const opened = open({ places, waiting: 12 });
			const asked: Known[] = [];
			for (const one of steps) {
				await take(one, opened, asked);
				expectBounds(opened, asked, places);
			}
			for (let turns = 0; opened.line.running > 0; turns++) {
				expect(turns).toBeLessThan(500);
				await take({ kind: "end", which: 0 }, opened, asked);
				await opened.hand.pass(500);
			}
			expect(asked.filter((one) => one.outcome() === "waits")).toEqual([]);
			expect([opened.line.waiting, opened.line.bytes]).toEqual([0, 0]);
		}),
		{ numRuns: 300 },
	);
});

test("a flood of networks and requests does not slow the line", async () => {
	const { ask, line } = open({ waiting: 256 });
	const flood = many(20_000, (index) => ask("cheap", { network: `n${index % 5_000}` }));
	await settled();
	expect(line.waiting).toBe(256);
	expect(flood.filter((one) => one.outcome() === "refused")).toHaveLength(20_000 - 258);
});
