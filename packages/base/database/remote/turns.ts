import { sql } from "drizzle-orm";
import { commits } from "../schema/service.ts";
import { statements } from "../statements.ts";

/** Takes the next turn in a slot; touches no row where it is taken. The first statement of its change. */
export function takeTurn(slot: string, turn: number) {
	return statements
		.insert(commits)
		.values({ slot, turn, usedSeconds: sql`unixepoch()` })
		.onConflictDoUpdate({
			target: commits.slot,
			set: { turn, usedSeconds: sql`unixepoch()` },
			setWhere: sql`${commits.turn} = ${turn - 1}`,
		});
}

/**
 * The same asked in a program, by the values of {@link takeTurn}: the slot, the turn twice, and the one before it. A turn that is taken already means that the change
 * was made before, and its answer lost: it is not refused.
 */
export const MAY_TAKE_TURN = "NOT EXISTS (SELECT 1 FROM commits WHERE slot = NEW.v0 AND turn <> NEW.v3)";
