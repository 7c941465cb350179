import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { DISABLED_REASONS, ENDPOINT_STATES, WEBHOOK_DELIVERY_STATES } from "../../enumerations.ts";
import { apps } from "./apps.ts";
import { among } from "./columns.ts";

/** Where an App's events are sent. */
export const webhookEndpoints = sqliteTable(
	"webhook_endpoints",
	{
		/** AUTOINCREMENT: who sends to an endpoint holds it, so it must never be given to another. */
		pk: integer().primaryKey({ autoIncrement: true }),
		id: text().notNull().unique(),
		appPk: integer("app_pk")
			.notNull()
			.references(() => apps.pk),
		url: text().notNull(),
		types: text({ mode: "json" }).$type<readonly string[]>().notNull(),
		description: text().notNull().default(""),
		/** Kept as it is: every delivery is signed with it. */
		secret: text().notNull(),
		/** The one before it, which signs as well until then. */
		oldSecret: text("old_secret"),
		oldSecretUntilMs: integer("old_secret_until_ms"),
		state: text({ enum: ENDPOINT_STATES }).notNull().default("enabled"),
		disabledReason: text("disabled_reason", { enum: DISABLED_REASONS }),
		disabledMs: integer("disabled_ms"),
		lastDeliveredMs: integer("last_delivered_ms"),
		/** The first failure since something was delivered; null where nothing fails. */
		failingSinceMs: integer("failing_since_ms"),
		/** When its team was told that it fails. */
		warnedMs: integer("warned_ms"),
		/** The last event of the feed for which it has deliveries. */
		place: integer().notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("webhook_endpoints_app").on(table.appPk, table.pk),
		index("webhook_endpoints_enabled").on(table.pk).where(sql.raw("state = 'enabled'")),
		check("webhook_endpoints_state", among("state", ENDPOINT_STATES)),
	],
);

/** One event on its way to one endpoint. */
export const webhookDeliveries = sqliteTable(
	"webhook_deliveries",
	{
		pk: integer().primaryKey({ autoIncrement: true }),
		id: text().notNull().unique(),
		endpointPk: integer("endpoint_pk")
			.notNull()
			.references(() => webhookEndpoints.pk, { onDelete: "cascade" }),
		eventId: text("event_id").notNull(),
		type: text().notNull(),
		/** Of an event that is in no feed: what is sent, as JSON. */
		body: text(),
		state: text({ enum: WEBHOOK_DELIVERY_STATES }).notNull(),
		/** When it is tried next; null where it is not tried any more. */
		nextMs: integer("next_ms"),
		/** Tries since it was asked for: its place in the schedule. */
		tries: integer().notNull().default(0),
		/** JSON: what became of every try, the oldest first. */
		attempts: text({ mode: "json" }).$type<readonly KeptAttempt[]>().notNull().default([]),
		/** Random: identifies who tries it at present. */
		claim: text(),
		/** By the machines' own clocks. */
		leaseMs: integer("lease_ms"),
		/** The process that tries it, by its id. A trigger ends the lease once that process is known to be dead. */
		process: text(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		// An event is sent to an endpoint under one delivery, however often.
		uniqueIndex("webhook_deliveries_event").on(table.endpointPk, table.eventId),
		index("webhook_deliveries_list").on(table.endpointPk, table.pk),
		index("webhook_deliveries_due").on(table.endpointPk, table.nextMs).where(sql.raw("state = 'pending'")),
		index("webhook_deliveries_running").on(table.endpointPk).where(sql.raw("lease_ms IS NOT NULL")),
		check("webhook_deliveries_state", among("state", WEBHOOK_DELIVERY_STATES)),
	],
);

/** One try of a delivery. */
interface KeptAttempt {
	readonly atMs: number;
	/** Null without an answer. */
	readonly status: number | null;
	readonly ms: number;
	readonly error: string | null;
	/** The beginning of what a public receiver answered. */
	readonly response: string | null;
}
