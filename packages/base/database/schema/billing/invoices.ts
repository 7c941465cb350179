import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { subscriptions } from "./subscriptions.ts";

/** As `invoices.lines` holds them. */
interface InvoiceLineRow {
	readonly description: string;
	readonly quantity: number;
	readonly amount: number;
	readonly periodStartMs: number;
	readonly periodEndMs: number;
}

/** As `invoices.refunds` holds them. */
interface RefundRow {
	readonly amount: number;
	readonly atMs: number;
	readonly reason: string;
}

/** Mirrors the processor's own. Amounts are in the currency's smallest unit. */
export const invoices = sqliteTable(
	"invoices",
	{
		pk: integer().primaryKey(),
		id: text().notNull().unique(),
		subscriptionPk: integer("subscription_pk")
			.notNull()
			.references(() => subscriptions.pk),
		ref: text().notNull(),
		/** The status in the processor's own words: `open`, `paid`, `void`, … */
		status: text().notNull(),
		amountDue: integer("amount_due").notNull(),
		amountPaid: integer("amount_paid").notNull(),
		amountRefunded: integer("amount_refunded").notNull(),
		/** What the payer's bank holds of it until a dispute is decided. */
		amountDisputed: integer("amount_disputed").notNull().default(0),
		currency: text().notNull(),
		/** Who it is from: the number of an App, 0 for the service. Each seller counts its invoices without gaps. */
		sellerPk: integer("seller_pk").notNull().default(0),
		seq: integer().notNull().default(0),
		/** As payers read it: some letters for the seller, and `seq`. */
		number: text().notNull().default(""),
		periodStartMs: integer("period_start_ms").notNull().default(0),
		periodEndMs: integer("period_end_ms").notNull().default(0),
		lines: text({ mode: "json" }).$type<readonly InvoiceLineRow[]>().notNull().default([]),
		subtotal: integer().notNull().default(0),
		tax: integer().notNull().default(0),
		/** With tax, before credit; below zero where it gives credit. */
		total: integer().notNull().default(0),
		paidMs: integer("paid_ms"),
		/** What was paid back, as it was read. */
		refunds: text({ mode: "json" }).$type<readonly RefundRow[]>().notNull().default([]),
		processorUrl: text("processor_url"),
		createdMs: integer("created_ms").notNull(),
	},
	(table) => [
		uniqueIndex("invoices_ref").on(table.subscriptionPk, table.ref),
		uniqueIndex("invoices_number").on(table.sellerPk, table.seq),
		check("invoices_amounts", sql.raw("amount_due >= 0 AND amount_paid >= 0 AND amount_refunded >= 0")),
	],
);
