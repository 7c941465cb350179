import { expect, test } from "bun:test";
import { type Asked, MIB, many, openLine, settled } from "@svc/test/support/fair-line";
import fc from "fast-check";
import type { Lane } from "./line.ts";

/* What holds of the line whatever is asked of it, in whatever order. */

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

type Opened = ReturnType<typeof openLine>;
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
			const opened = openLine({ places, waiting: 12 });
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
	const { ask, line } = openLine({ waiting: 256 });
	const flood = many(20_000, (index) => ask("cheap", { network: `n${index % 5_000}` }));
	await settled();
	expect(line.waiting).toBe(256);
	expect(flood.filter((one) => one.outcome() === "refused")).toHaveLength(20_000 - 258);
});
