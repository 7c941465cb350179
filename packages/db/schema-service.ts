import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { among } from "./columns.ts";

/** Slow or failable work, enqueued in the same commit as the change that wants it. */
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
		state: text({ enum: ["queued", "running", "done", "failed"] }).notNull(),
		/** Items worked off so far, and how many there are; the total is null until it is known. */
		done: integer().notNull().default(0),
		total: integer(),
		/** JSON; what a finished job found or made. */
		result: text(),
		/** Why a failed job failed, in words for whoever watches it. */
		failure: text(),
		runMs: integer("run_ms").notNull(),
		/** Random: whoever holds the lease. A worker that lost it changes nothing any more. */
		claim: text(),
		leaseMs: integer("lease_ms"),
		attempts: integer().notNull().default(0),
		createdMs: integer("created_ms").notNull(),
		endedMs: integer("ended_ms"),
	},
	(table) => [
		index("jobs_due").on(table.runMs).where(sql.raw("state = 'queued'")),
		index("jobs_leased").on(table.leaseMs).where(sql.raw("state = 'running'")),
		index("jobs_ended").on(table.endedMs).where(sql.raw("ended_ms IS NOT NULL")),
		uniqueIndex("jobs_dedupe").on(table.dedupe).where(sql.raw("state IN ('queued', 'running')")),
		check("jobs_state", among("state", ["queued", "running", "done", "failed"])),
		check("jobs_payload", sql.raw("json_valid(payload)")),
	],
);

/** The outbox: a mail is written in the same commit as the change that it tells of, and sent afterwards. */
export const emails = sqliteTable(
	"emails",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		template: text().notNull(),
		recipient: text().notNull(),
		/** JSON. What is secret in it is removed once the mail is sent or of no use any more. */
		facts: text().notNull(),
		/** The same mail is never enqueued twice. */
		dedupe: text().unique(),
		attempts: integer().notNull().default(0),
		/** When it is due; null once it is sent or given up. */
		nextMs: integer("next_ms"),
		/** Random: whoever is sending it, until `next_ms`. */
		claim: text(),
		sentMs: integer("sent_ms"),
		/** Tries of which nobody knows whether they delivered it. */
		uncertain: integer().notNull().default(0),
		/** Why the last try failed, without secrets. */
		failure: text(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("emails_due").on(table.nextMs).where(sql.raw("next_ms IS NOT NULL")),
		check("emails_facts", sql.raw("json_valid(facts)")),
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
		// What operators filter by, each in the order of the list.
		index("audit_actor").on(table.actor),
		index("audit_event").on(table.event),
		index("audit_time").on(table.atMs),
		check("audit_changes", sql.raw("changes IS NULL OR json_valid(changes)")),
	],
);

/** Always empty: inserting NULL here is how a failed condition rolls a whole batch back. */
export const guard = sqliteTable("guard", { ok: integer().notNull() });
