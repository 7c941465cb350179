import type { Database } from "@svc/base/database/client";
import { sql } from "drizzle-orm";

/**
 * What a copy of the database needs before a later service starts on it. There, the job of its own backup counts as ended. A waiting
 * mail may have been sent by the time the copy is used: it counts as handed over once without an answer, and one that was on its way as
 * twice, by the claim that it keeps.
 */
export const LATER_SERVICE_CHANGES = [
	"DELETE FROM jobs WHERE kind = 'backup.make' AND state IN ('queued', 'running')",
	"UPDATE emails SET uncertain = uncertain + 1 WHERE next_ms IS NOT NULL",
] as const;

/** The same changes, for a copy that was not made by a backup. */
export async function makeForLaterService(database: Database): Promise<void> {
	await database.write(LATER_SERVICE_CHANGES.map((change) => ({ run: sql.raw(change) })));
}
