import { plainMoney } from "@svc/base/words/money";
import { SUBSCRIPTION } from "@svc/nouns/subscription";
import type { Invoice } from "@svc/sdk/shapes";
import * as takes from "../../kit/line/takes.ts";

import { lists } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { REFUND_ARGS, REFUNDED_COLUMNS, readRefund } from "./refunds.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const INVOICE_COLUMNS: readonly Column<Invoice>[] = [
	...fields("id", "created_at", "status"),
	{ name: "due", value: (invoice) => plainMoney(invoice.amount_due, invoice.currency) },
	{ name: "paid", value: (invoice) => plainMoney(invoice.amount_paid, invoice.currency) },
	{ name: "refunded", value: (invoice) => plainMoney(invoice.amount_refunded, invoice.currency) },
];

const list = lists({
	summary: "List who pays an App",
	notes: `Ended subscriptions too. ${pipeNote(SUBSCRIPTION.list)}`,
	examples: ["svc subscribers list", "svc subscribers list --app app_1 --all"],
	columns: SUBSCRIPTION.list,
	advice: { not_found: "See your Apps: svc apps list" },
	from: "app",
	pages: () => (app) => app.subscriptions.list,
});

const get = shows({
	summary: "Show a subscription with its invoices",
	examples: ["svc subscribers get sub_1", "svc subscribers get sub_1 --field status"],
	args: { id: takes.id("Subscription id") },
	columns: SUBSCRIPTION.detail,
	advice: { not_found: "See what there is: svc subscribers list" },
	from: "app",
	send:
		({ args }) =>
		(app, options) =>
			app.subscriptions.get(args.id, options),
});

const refund = shows({
	summary: "Pay an invoice of a subscriber back, or part of it",
	notes: "For the App's Owner. The payer gets a mail with the reason. The invoices: svc subscribers get <id>",
	examples: [
		"svc subscribers refund sub_1 ivc_1 --reason 'Charged twice'",
		"svc subscribers refund sub_1 ivc_1 --amount 500 --reason 'Half a month was down'",
	],
	args: REFUND_ARGS,
	columns: REFUNDED_COLUMNS,
	advice: {
		not_found: "See what there is: svc subscribers list",
		forbidden: "Its Owner does it, with a fresh sign-in: svc whoami, svc login",
	},
	from: "app",
	send: ({ args }) => {
		const wish = readRefund(args);
		return (app, options) => app.subscriptions.refund(args.subscription, wish, options);
	},
});

export const SUBSCRIBER_COMMANDS = { list, get, refund };
