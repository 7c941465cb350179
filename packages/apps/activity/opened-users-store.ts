import { auditEach } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { audit } from "@svc/base/database/schema/service";
import { LeastRecent } from "@svc/base/pace/least-recent";
import { and, eq, gte, sql } from "drizzle-orm";

const DAY_MS = 86_400_000;
/** A person who looks at more users on one day is asked for in the database again. */
const REMEMBERED = 10_000;
const EVENT = "user.opened";

/** Somebody of a team, and the user of their App whose storage they look into. */
interface Opening {
	readonly appPk: number;
	/** Account id. */
	readonly actor: string;
	readonly userId: string;
	readonly nowMs: number;
}

/**
 * Notes in the audit that somebody of a team looks into a user's storage: one entry a person, user and day (UTC), however much they look at there and
 * by how many processes. What could not be noted is not opened.
 */
export function openedUsers(database: Pick<Database, "write">) {
	const noted = new LeastRecent<string, true>(REMEMBERED);
	return async ({ appPk, actor, userId, nowMs }: Opening): Promise<void> => {
		const day = Math.floor(nowMs / DAY_MS);
		const name = `${actor} ${userId} ${day}`;
		if (noted.use(name)) return;
		const today = and(
			eq(audit.actor, actor),
			eq(audit.event, EVENT),
			eq(audit.target, userId),
			gte(audit.atMs, day * DAY_MS),
		);
		const entry = { atMs: nowMs, actor, appPk, event: EVENT, target: userId };
		await database.write([{ run: auditEach(entry, sql`WHERE NOT EXISTS (SELECT 1 FROM ${audit} WHERE ${today})`) }]);
		noted.set(name, true);
	};
}
