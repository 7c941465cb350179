import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The outbox: a mail is written in the same commit as the change that it reports, and sent afterwards. */
export const emails = sqliteTable(
	"emails",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		template: text().notNull(),
		recipient: text().notNull(),
		/** Decides, before anything else, which mail is sent first. */
		class: text().notNull().default("notice"),
		/** The address of the person whose mails of this class wait behind each other. */
		person: text().notNull().default(""),
		/** Its place in its class: each person has one mail in a round. */
		round: integer().notNull().default(0),
		/** The language that it is written in; null: the service's first. */
		locale: text(),
		/** JSON. Secrets in it are removed once the mail is sent or of no use any more. */
		facts: text().notNull(),
		/** The same mail is never enqueued twice. */
		dedupe: text().unique(),
		attempts: integer().notNull().default(0),
		/** When it is due; null once it is sent or given up. */
		nextMs: integer("next_ms"),
		/** Random: identifies the process that is sending it, until `next_ms`. */
		claim: text(),
		/** The process that sends it, by its id. A trigger ends the claim once that process is known to be dead. */
		process: text(),
		sentMs: integer("sent_ms"),
		/** Tries that may or may not have delivered it. */
		uncertain: integer().notNull().default(0),
		/** Why the last try failed, without secrets. */
		failure: text(),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		index("emails_due").on(table.nextMs).where(sql.raw("next_ms IS NOT NULL")),
		index("emails_turn").on(table.class, table.round, table.nextMs).where(sql.raw("next_ms IS NOT NULL")),
		index("emails_person").on(table.class, table.person, table.round).where(sql.raw("next_ms IS NOT NULL")),
		check("emails_facts", sql.raw("json_valid(facts)")),
	],
);
