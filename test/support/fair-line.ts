import { FairLine, type FairLineOptions } from "@svc/imaging/workers/fair-line";
import type { Lane, Wish } from "@svc/imaging/workers/line";

export const MIB = 1_024 ** 2;

/** All promises that can settle now have. */
export async function settled(): Promise<void> {
	for (let turns = 0; turns < 8; turns++) await Promise.resolve();
}

export interface Asked {
	readonly name: string;
	readonly end: () => Promise<void>;
	readonly leave: () => void;
	readonly outcome: () => "waits" | "runs" | "done" | "refused" | "left";
	readonly failure: () => unknown;
}

/** A line whose pieces of work end when the test says so. */
export function openLine(options: Partial<FairLineOptions> = {}) {
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

/** What a test makes several of. */
export const many = <T>(count: number, make: (index: number) => T): T[] =>
	Array.from({ length: count }, (_, index) => make(index));

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
