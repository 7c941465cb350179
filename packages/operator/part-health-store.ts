import type { Database } from "@svc/base/database/client";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import { partHealth } from "@svc/base/database/schema/service";
import { jobs } from "@svc/base/database/schema/work/jobs";
import { statements, updateStep } from "@svc/base/database/statements";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";

interface Failing {
	readonly sinceMs: number;
	/** When operators were told; null while they were not. */
	readonly mailedMs: number | null;
}

export function partHealthStore(database: Database) {
	const { queries, read, write } = database;
	return {
		/** Undefined for a part that works, as far as was noted. */
		async findFailing(part: string): Promise<Failing | undefined> {
			const { failingMs, mailedMs } = partHealth;
			const [row] = await read(() =>
				queries.select({ sinceMs: failingMs, mailedMs }).from(partHealth).where(eq(partHealth.part, part)),
			);
			return row && row.sinceMs !== null ? { sinceMs: row.sinceMs, mailedMs: row.mailedMs } : undefined;
		},
		/** A part that was noted before keeps its time. */
		async noteFailing(part: string, nowMs: number): Promise<void> {
			const row = statements.insert(partHealth).values({ part, failingMs: nowMs });
			const set = { failingMs: nowMs, mailedMs: null };
			await write([
				{ run: row.onConflictDoUpdate({ target: partHealth.part, set, setWhere: isNull(partHealth.failingMs) }) },
			]);
		},
		/** Writes the letters, once: of several processes one does. */
		async tell(part: string, mails: readonly NewMail[], sinceMs: number, nowMs: number): Promise<void> {
			const unmailed = and(eq(partHealth.part, part), eq(partHealth.failingMs, sinceMs), isNull(partHealth.mailedMs));
			await write([
				updateStep(partHealth, { mailedMs: nowMs }, unmailed, "mailed"),
				...mails.map((mail) => ({ run: mailEntry(mail, nowMs) })),
			]);
		},
		/** Notes that the part works again, and writes the letters that say so, once. */
		async heal(part: string, mails: readonly NewMail[], sinceMs: number, nowMs: number): Promise<void> {
			const failing = and(eq(partHealth.part, part), eq(partHealth.failingMs, sinceMs));
			await write([
				updateStep(partHealth, { failingMs: null, mailedMs: null }, failing, "healed"),
				...mails.map((mail) => ({ run: mailEntry(mail, nowMs) })),
			]);
		},
		/** Whether the last backup that came to something has failed, or is tried again. */
		async isBackupFailing(): Promise<boolean> {
			const { state, attempts } = jobs;
			const [row] = await read(() =>
				queries
					.select({ state })
					.from(jobs)
					// A literal, so that the partial index applies.
					.where(sql`${jobs.kind} = 'backup.make' AND (${state} IN ('done', 'failed') OR ${attempts} > 1
						OR (${state} = 'queued' AND ${attempts} > 0))`)
					.orderBy(desc(jobs.pk))
					.limit(1),
			);
			return row !== undefined && row.state !== "done";
		},
		/** When the last whole backup was made, in milliseconds since 1970; null without one. */
		async findLastBackup(): Promise<number | null> {
			const [row] = await read(() =>
				queries
					.select({ endedMs: jobs.endedMs })
					.from(jobs)
					.where(sql`${jobs.kind} = 'backup.make' AND ${jobs.state} = 'done'`)
					.orderBy(desc(jobs.pk))
					.limit(1),
			);
			return row?.endedMs ?? null;
		},
		/** The addresses of all operators who can sign in. */
		async listOperatorEmails(): Promise<readonly string[]> {
			// Found from the operators, who are few, and not among all accounts.
			const theirs = inArray(accounts.pk, queries.select({ pk: operators.accountPk }).from(operators));
			const active = and(theirs, eq(accounts.status, "active"));
			const rows = await read(() => queries.select({ email: accounts.email }).from(accounts).where(active));
			return rows.map(({ email }) => email);
		},
	};
}
