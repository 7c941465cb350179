import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { among } from "./columns.ts";

export const jobs = sqliteTable(
	"jobs",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		kind: text().notNull(),
		/** At most one queued or running job has it. */
		dedupe: text(),
		appPk: integer("app_pk"),
		payload: text().notNull(),
		state: text({ enum: ["queued", "running", "done", "failed"] }).notNull(),
		progress: text(),
		runMs: integer("run_ms").notNull(),
		leaseMs: integer("lease_ms"),
		attempts: integer().notNull().default(0),
		error: text(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("jobs_due").on(table.runMs).where(sql.raw("state = 'queued'")),
		index("jobs_leased").on(table.leaseMs).where(sql.raw("state = 'running'")),
		uniqueIndex("jobs_dedupe").on(table.dedupe).where(sql.raw("state IN ('queued', 'running')")),
		check("jobs_state", among("state", ["queued", "running", "done", "failed"])),
		check("jobs_payload", sql.raw("json_valid(payload)")),
	],
);

/** Append-only by triggers. Holds ids rather than references, so that it outlives what it tells of. */
export const audit = sqliteTable(
	"audit",
	{
		pk: integer().primaryKey({ autoIncrement: true }),
		atMs: integer("at_ms").notNull(),
		/** The public id of the key, account or session that did it, or the name of a job. */
		actor: text().notNull(),
		appPk: integer("app_pk"),
		/** What was done, as `image.created`. */
		event: text().notNull(),
		target: text(),
		changes: text(),
		requestId: text("request_id"),
	},
	(table) => [
		index("audit_app").on(table.appPk, table.pk),
		check("audit_changes", sql.raw("changes IS NULL OR json_valid(changes)")),
	],
);

/** Always empty: inserting NULL here is how a failed condition rolls a whole batch back. */
export const guard = sqliteTable("guard", { ok: integer().notNull() });
