import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { JOB_STATES } from "../../../enumerations.ts";
import { among } from "../columns.ts";

/** Slow or failable work, enqueued in the same commit as the change that requires it. */
export const jobs = sqliteTable(
	"jobs",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		kind: text().notNull(),
		/** At most one queued or running job has it. */
		dedupe: text(),
		appPk: integer("app_pk"),
		/** Public id of the account that may watch it; null where only operators may. */
		startedBy: text("started_by"),
		payload: text().notNull(),
		state: text({ enum: JOB_STATES }).notNull(),
		/** Items processed so far, and their total number, which is null until it is known. */
		done: integer().notNull().default(0),
		total: integer(),
		/** JSON; the result of a finished job. */
		result: text(),
		/** Why a failed job failed, in words for the people who watch it. */
		failure: text(),
		runMs: integer("run_ms").notNull(),
		/** Random: identifies the lease's holder. A worker that lost the lease changes nothing any more. */
		claim: text(),
		leaseMs: integer("lease_ms"),
		/** The process that holds the lease, by its id. A trigger ends the lease once that process is known to be dead. */
		process: text(),
		attempts: integer().notNull().default(0),
		createdMs: integer("created_ms").notNull(),
		endedMs: integer("ended_ms"),
	},
	(table) => [
		index("jobs_due").on(table.runMs).where(sql.raw("state = 'queued'")),
		index("jobs_leased").on(table.leaseMs).where(sql.raw("state = 'running'")),
		index("jobs_ended").on(table.endedMs).where(sql.raw("ended_ms IS NOT NULL")),
		uniqueIndex("jobs_dedupe").on(table.dedupe).where(sql.raw("state IN ('queued', 'running')")),
		// Those that an account asked for.
		index("jobs_exports").on(table.startedBy, table.pk).where(sql.raw("kind = 'account.export'")),
		// Those that an App's team sees.
		index("jobs_app").on(table.appPk, table.pk).where(sql.raw("kind = 'import' OR kind = 'image_job'")),
		index("jobs_backups").on(table.pk).where(sql.raw("kind = 'backup.make'")),
		check("jobs_state", among("state", JOB_STATES)),
		check("jobs_payload", sql.raw("json_valid(payload)")),
	],
);
