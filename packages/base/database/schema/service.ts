import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes } from "./columns.ts";

/** WITHOUT ROWID. Counters of throttled actions in a window: here rather than in memory, so that a restart does not reset them. */
export const throttles = sqliteTable(
	"throttles",
	{
		bucket: text().primaryKey(),
		count: integer().notNull(),
		endsMs: integer("ends_ms").notNull(),
	},
	(table) => [index("throttles_end").on(table.endsMs)],
);

/** WITHOUT ROWID. Values for the whole deployment: secrets that its processes share, the health probe's counter. */
export const meta = sqliteTable("meta", { key: text().primaryKey(), value: text().notNull() });

/** WITHOUT ROWID. How a part of the service has fared that it goes on without: mail, for example. */
export const partHealth = sqliteTable("part_health", {
	part: text().primaryKey(),
	/** Tries in a row that failed. */
	failures: integer().notNull().default(0),
	/** When a try worked last. */
	workedMs: integer("worked_ms"),
	/** Why the last try that failed did, without secrets. */
	failure: text(),
	/** Since when it fails; null while it works. */
	failingMs: integer("failing_ms"),
	/** When operators were told so; null while they were not. */
	mailedMs: integer("told_ms"),
});

/** WITHOUT ROWID. Which changes over a network have happened: known-outcomes.ts. Empty where the database is a file. */
export const commits = sqliteTable("commits", {
	slot: text().primaryKey(),
	/** The last change that took its turn in this slot; -1: no change ever will again. */
	turn: integer().notNull(),
	/** By the server's clock, in seconds since 1970: those of several processes differ. */
	usedSeconds: integer("used_s").notNull(),
});

/** WITHOUT ROWID. POSTs that were sent under an Idempotency-Key, and what they were answered, for a day. */
export const replays = sqliteTable(
	"replays",
	{
		/** SHA-256 of the caller, the method, the path and the key. */
		hash: bytes().primaryKey(),
		/** The public id of the account or App that sent it. */
		caller: text().notNull(),
		/** SHA-256 of the body as it was understood. */
		fingerprint: bytes().notNull(),
		/** The request that answers it; a takeover brings another one, and later changes under the old one are refused. */
		requestId: text("request_id").notNull(),
		/** The change is kept: set in the same commit. Without an answer, that one got lost. */
		changed: integer({ mode: "boolean" }).notNull().default(false),
		/** Until when no other request may take over. */
		leaseMs: integer("lease_ms").notNull(),
		status: integer(),
		/** JSON, without the secrets that are shown once, sealed with the deployment's secret: the answer of an upload ticket has its address. */
		body: text(),
		expiresMs: integer("expires_ms").notNull(),
		/** The id of the process that answers it; null for one of a release that did not say. */
		process: text(),
	},
	(table) => [
		index("replays_expiry").on(table.expiresMs),
		index("replays_caller").on(table.caller),
		check("replays_hashes", sql.raw("length(hash) = 32 AND length(fingerprint) = 32")),
		check("replays_changed", sql.raw("changed IN (0, 1)")),
	],
);

/** Append-only by triggers. Holds ids rather than references, so that it outlives its subjects. */
export const audit = sqliteTable(
	"audit",
	{
		pk: integer().primaryKey({ autoIncrement: true }),
		atMs: integer("at_ms").notNull(),
		/** The public id of the key, account or session that did it, or the name of a job. */
		actor: text().notNull(),
		appPk: integer("app_pk"),
		/** The action, as `image.created`. */
		event: text().notNull(),
		target: text(),
		changes: text(),
		requestId: text("request_id"),
	},
	(table) => [
		index("audit_app").on(table.appPk, table.pk),
		// Indexes for operators' filters, each in the order of the list.
		index("audit_actor").on(table.actor),
		index("audit_event").on(table.event),
		index("audit_time").on(table.atMs),
		check("audit_changes", sql.raw("changes IS NULL OR json_valid(changes)")),
	],
);

/** Always empty: inserting NULL here is how a failed condition rolls a whole batch back. */
export const guard = sqliteTable("guard", { ok: integer().notNull() });
