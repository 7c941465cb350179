import { sql } from "drizzle-orm";
import type { Settled } from "../../database-error.ts";
import type { Database } from "../client.ts";
import { commits } from "../schema/service.ts";
import { statements } from "../statements.ts";

/** Finds out what became of changes whose answers were lost, however long the database is away. */
export interface LookUp {
	/** What became of the change that was to take this turn. Asked for until it is known, or too long has passed; never rejects. */
	find(slot: string, turn: number): Promise<Settled>;
	/** What is not known yet stays unknown. */
	close(): void;
}

interface Lost {
	readonly slot: string;
	readonly turn: number;
	readonly untilMs: number;
	settle(outcome: Settled): void;
}

const FORGOTTEN_MS = 30 * 60_000;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;
/** An outage leaves many changes behind, which are all asked for when it ends. */
const AT_ONCE = 50;
const BARRED = -1;

/** One question at a time, whatever the number of lost answers: an outage must not end under a storm of them. */
export function lookUpLost({ write }: Pick<Database, "write">, forgottenMs = FORGOTTEN_MS): LookUp {
	const waiting = new Set<Lost>();
	let running = false;
	let closed = false;

	async function run(): Promise<void> {
		let pauseMs = FIRST_PAUSE_MS;
		while (waiting.size > 0) {
			if (await settleSome()) pauseMs = FIRST_PAUSE_MS;
			else {
				await new Promise((resolve) => setTimeout(resolve, pauseMs));
				pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
			}
		}
		running = false;
	}

	/** False while the database does not answer. */
	async function settleSome(): Promise<boolean> {
		const asked = [...waiting].slice(0, AT_ONCE);
		const found = await ask(asked).catch(() => undefined);
		const nowMs = performance.now();
		for (const [place, lost] of asked.entries()) {
			if (found || nowMs > lost.untilMs) end(lost, found?.[place]);
		}
		return found !== undefined;
	}

	async function ask(asked: readonly Lost[]): Promise<readonly Settled[] | undefined> {
		const { rows } = await write(asked.map((lost) => ({ run: bar(lost) })));
		return rows?.map((row, place) => (Number(row[0]?.turn) === asked[place]?.turn ? "happened" : "never"));
	}

	function end(lost: Lost, outcome: Settled): void {
		waiting.delete(lost);
		lost.settle(outcome);
	}

	function giveUp(): void {
		running = false;
		for (const lost of waiting) end(lost, undefined);
	}

	return {
		find(slot, turn) {
			if (closed) return Promise.resolve(undefined);
			const { promise, resolve } = Promise.withResolvers<Settled>();
			waiting.add({ slot, turn, untilMs: performance.now() + forgottenMs, settle: resolve });
			if (!running) {
				running = true;
				run().catch(giveUp);
			}
			return promise;
		},
		close() {
			closed = true;
			giveUp();
		},
	};
}

/** Leaves a turn that is taken, and bars the slot otherwise; asked twice it says the same. */
function bar({ slot, turn }: Lost) {
	return statements
		.insert(commits)
		.values({ slot, turn: BARRED, usedSeconds: sql`unixepoch()` })
		.onConflictDoUpdate({
			target: commits.slot,
			set: { turn: sql`iif(${commits.turn} = ${turn}, ${turn}, ${BARRED})`, usedSeconds: sql`unixepoch()` },
		})
		.returning({ turn: commits.turn });
}
