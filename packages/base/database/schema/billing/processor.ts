import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { SIM_KINDS } from "../../../enumerations.ts";
import { among } from "../columns.ts";

/** WITHOUT ROWID. The payment processor's name for a price or a payer of ours. */
export const processorRefs = sqliteTable(
	"processor_refs",
	{
		processor: text().notNull(),
		/** The public id of a price, a connection or an App; for an App's own plan `app_plan:pro`. */
		subject: text().notNull(),
		ref: text().notNull(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.processor, table.subject] }),
		uniqueIndex("processor_refs_ref").on(table.processor, table.ref),
	],
);

/** WITHOUT ROWID. Deliveries of the processor, each processed once. */
export const processorEvents = sqliteTable(
	"processor_events",
	{
		processor: text().notNull(),
		id: text().notNull(),
		type: text().notNull(),
		/** The processor's id of the subscription; it is read again, so that neither order nor content of deliveries matters. */
		subscriptionRef: text("subscription_ref"),
		receivedMs: integer("received_ms").notNull(),
		/** How often a subscription that the processor does not know was asked for in vain, and when it is asked for again. */
		tries: integer().notNull().default(0),
		nextMs: integer("next_ms"),
		doneMs: integer("done_ms"),
	},
	(table) => [
		primaryKey({ columns: [table.processor, table.id] }),
		index("processor_events_due").on(table.receivedMs).where(sql.raw("done_ms IS NULL")),
	],
);

/** WITHOUT ROWID. The whole state of the simulated processor. */
export const simObjects = sqliteTable(
	"sim_objects",
	{
		kind: text({ enum: SIM_KINDS }).notNull(),
		id: text().notNull(),
		revision: integer().notNull(),
		/** When it is next due; null for never. */
		dueMs: integer("due_ms"),
		value: text().notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.kind, table.id] }),
		index("sim_objects_due").on(table.kind, table.dueMs).where(sql.raw("due_ms IS NOT NULL")),
		check("sim_objects_kind", among("kind", SIM_KINDS)),
		check("sim_objects_value", sql.raw("json_valid(value)")),
	],
);

/** How far the service's clock is ahead; moved only while the processor is simulated, and never backwards. */
export const simClock = sqliteTable(
	"sim_clock",
	{ one: integer().primaryKey(), offsetMs: integer("offset_ms").notNull() },
	() => [check("sim_clock_one", sql.raw("one = 1 AND offset_ms >= 0"))],
);
