import { sql } from "drizzle-orm";
import { DatabaseError } from "../../database-error.ts";
import { randomBase62 } from "../../ids.ts";
import type { Database, WriteResult } from "../client.ts";
import { commits } from "../schema/service.ts";
import { statements } from "../statements.ts";
import type { Step } from "../step.ts";
import { lookUpLost } from "./lost-answers.ts";
import { takeTurn } from "./turns.ts";

/*
 * Over a network the answer to a commit can get lost, and then nobody knows whether it happened. So every change also takes its turn in a
 * slot: a row that no other change under way uses. When the answer is lost, the slot is looked at: either the turn is taken, and the
 * change has happened, or the slot is barred by the same statement, and the change never will happen, even if it is still on its way.
 */

interface Slot {
	readonly name: string;
	/** The last turn that was taken; 0 in a new slot. */
	taken: number;
}

export interface OutcomeOptions {
	/** How long a change and its second try may take before its outcome is given up as unknown. */
	readonly withinMs?: number;
	/** How long a lost answer is looked up at least: a change that got no answer may have used up all the time. */
	readonly lookUpMs?: number;
}

const WITHIN_MS = 5_000;
const LOOK_UP_MS = 2_500;
const DAY_SECONDS = 86_400;

/**
 * A remote database on which the outcome of a change is known wherever the server answers in time: one whose answer was lost is
 * looked up, and one that did not happen is tried once more. Where it stays unknown, the error says later what it turned out to be.
 * @param quick the same database with a short time limit, for looking up
 */
export function withKnownOutcomes(
	database: Database,
	quick: Pick<Database, "write" | "close">,
	{ withinMs = WITHIN_MS, lookUpMs = LOOK_UP_MS }: OutcomeOptions = {},
): Database {
	const free: Slot[] = [];
	const lookUp = lookUpLost(quick);

	/** One try; an error is returned where the answer was lost. */
	async function attempt<Cause extends string>(
		steps: readonly Step<Cause>[],
		deadlineMs: number,
	): Promise<WriteResult<Cause> | DatabaseError> {
		const slot = free.pop() ?? { name: randomBase62(16), taken: 0 };
		const turn = slot.taken + 1;
		const outcome = await marked(database, { ...slot, turn }, steps);
		if ("answer" in outcome) {
			// A refused change has left the slot as it was.
			if (outcome.committed) slot.taken = turn;
			free.push(slot);
			return outcome.answer();
		}
		// No other change uses this slot any more.
		const settled = lookUp.find(slot.name, turn);
		const known = await Promise.race([settled, pause(Math.max(deadlineMs - performance.now(), lookUpMs))]);
		if (known === "happened") return { refused: undefined, rows: undefined } as WriteResult<Cause>;
		const { code, cause } = outcome.lost;
		return new DatabaseError(code, known === "never" ? "no" : "unknown", cause, settled);
	}

	return {
		...database,
		async write(steps) {
			const deadlineMs = performance.now() + withinMs;
			for (let tries = 1; ; tries++) {
				const result = await attempt(steps, deadlineMs);
				if (!(result instanceof DatabaseError)) return result;
				const again = result.written === "no" && tries === 1 && performance.now() < deadlineMs;
				if (!again) throw result;
			}
		},
		async close() {
			lookUp.close();
			await quick.close();
			await database.close();
		},
	};
}

type Outcome<Cause extends string> =
	| { readonly committed: boolean; answer(): WriteResult<Cause> }
	| { readonly lost: DatabaseError };

/** Runs a change that also takes a turn in a slot. `answer` throws where the database said why the change failed. */
async function marked<Cause extends string>(
	database: Database,
	{ name, turn }: { readonly name: string; readonly turn: number },
	steps: readonly Step<Cause>[],
): Promise<Outcome<Cause>> {
	// A new slot comes with the process, or with a lost answer: often enough to remove what others left behind.
	const own: readonly Step<"unmarked">[] = [
		{ run: takeTurn(name, turn), kind: "turn", guard: "unmarked" },
		...(turn === 1 ? [{ run: forgetSlots() }] : []),
	];
	try {
		const result = await database.write<Cause | "unmarked">([...own, ...steps]);
		// The turn is taken already where the connection repeated the request by itself: the answer to the first was lost.
		if (result.refused === "unmarked") return { lost: new DatabaseError("UNKNOWN", "unknown", undefined) };
		const answer = "rows" in result ? { ...result, rows: result.rows?.slice(own.length) } : result;
		return { committed: result.refused === undefined, answer: () => answer as WriteResult<Cause> };
	} catch (error) {
		if (!(error instanceof DatabaseError)) throw error;
		if (error.written === "unknown") return { lost: error };
		const answer = () => {
			throw error;
		};
		return { committed: false, answer };
	}
}

function forgetSlots() {
	return statements.delete(commits).where(sql`${commits.usedSeconds} < unixepoch() - ${DAY_SECONDS}`);
}

function pause(ms: number): Promise<undefined> {
	return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}
