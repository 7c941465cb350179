import type { Invoice, ManagedSubscription } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { chosenApp } from "../../kit/context.ts";
import { EXIT } from "../../kit/exit.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { money } from "./plans.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const SUBSCRIPTION_COLUMNS: readonly Column<ManagedSubscription>[] = [
	...fields("id"),
	{ name: "user", value: (subscription) => subscription.user_id },
	{ name: "plan", value: (subscription) => subscription.plan_key },
	{ name: "price", value: (subscription) => subscription.price_id },
	...fields("status", "current_period_end"),
	{ name: "ends_at", value: endOf },
	{ name: "seller", value: ({ seller }) => seller.name, worth: 1 },
];

/** Every column of one subscription. */
const SUBSCRIPTION_DETAIL: readonly Column<ManagedSubscription>[] = [
	...SUBSCRIPTION_COLUMNS,
	...fields("trial_end"),
	{ name: "pending_plan", value: (subscription) => subscription.pending_plan_key },
	{ name: "pending_from", value: (subscription) => subscription.pending_effective_at },
	{ name: "invoices", value: ({ invoices }) => invoices.map(invoiceText).join(" · ") },
	...fields("created_at"),
];

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const INVOICE_COLUMNS: readonly Column<Invoice>[] = [
	...fields("id", "created_at", "status"),
	{ name: "due", value: (invoice) => money(invoice.amount_due, invoice.currency) },
	{ name: "paid", value: (invoice) => money(invoice.amount_paid, invoice.currency) },
	{ name: "refunded", value: (invoice) => money(invoice.amount_refunded, invoice.currency) },
];

const list = defineCommand({
	summary: "List who pays an App",
	notes: `Ended subscriptions too. ${pipeNote(SUBSCRIPTION_COLUMNS)}`,
	examples: ["svc subscribers list", "svc subscribers list --app app_1 --all"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { subscriptions } = (await chosenApp(context)).app;
		return advising({ not_found: "See your Apps: svc apps list" }, () =>
			printList(context, SUBSCRIPTION_COLUMNS, args, (page) => subscriptions.list(page)),
		);
	},
});

const get = defineCommand({
	summary: "Show a subscription with its invoices",
	examples: ["svc subscribers get sub_1", "svc subscribers get sub_1 --field status"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "Subscription id" } },
	async run({ args }, context) {
		const { out, process } = context;
		const { subscriptions } = (await chosenApp(context)).app;
		const subscription = await advising({ not_found: "See what there is: svc subscribers list" }, () =>
			subscriptions.get(args.id, { signal: process.signal }),
		);
		await out.record(SUBSCRIPTION_DETAIL, subscription);
		return EXIT.ok;
	},
});

export const SUBSCRIBER_COMMANDS = { list, get };

/** When the subscription ends, where that is known. */
function endOf({ ended_at, cancel_at, cancel_at_period_end, current_period_end }: ManagedSubscription): string | null {
	return ended_at ?? cancel_at ?? (cancel_at_period_end ? current_period_end : null);
}

function invoiceText({ created_at, status, amount_due, amount_paid, amount_refunded, currency }: Invoice): string {
	const refunded = amount_refunded > 0 ? `, ${money(amount_refunded, currency)} refunded` : "";
	return `${created_at} ${status}: ${money(amount_paid, currency)} of ${money(amount_due, currency)} paid${refunded}`;
}
