import type { AppBilling, AppCheckout, PaymentMethodPage } from "@svc/sdk/shapes";
import { openAddress } from "../../kit/browser.ts";
import type { Command, Context } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";

import { lists } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { INVOICE_COLUMNS } from "./subscribers.ts";

/** Columns of an App's own plan. */
const BILLING_COLUMNS: readonly Column<AppBilling>[] = [
	{ name: "app", value: (billing) => billing.id },
	...fields("plan", "interval", "status", "current_period_end", "cancel_at_period_end", "pending_plan"),
	{ name: "pending_from", value: (billing) => billing.pending_effective_at },
	{ name: "plans", value: ({ plans }) => plans.map(({ key }) => key).join(",") },
];

const CHECKOUT_COLUMNS: readonly Column<AppCheckout>[] = [...fields("plan", "effective", "url")];

const PAYMENT_METHOD_COLUMNS: readonly Column<PaymentMethodPage>[] = [{ name: "url", value: ({ url }) => url }];

const OPEN = takes.flag("Open the address in the browser");

const BILLING_ADVICE = {
	not_found: "See your Apps: svc apps list",
	state_conflict: "See how it is now: svc billing status",
	forbidden: "Its Owner starts an App's plan, its Admins end it: svc members list",
};

const status = shows({
	summary: "Show an App's own plan, and which there are",
	notes: "What a user of the App may use of what it sells: svc users get",
	examples: ["svc billing status", "svc billing status --field plan"],
	columns: BILLING_COLUMNS,
	advice: BILLING_ADVICE,
	from: "app",
	send: () => (app, options) => app.billing.get(options),
});

const checkout = shows({
	summary: "Start an App's own plan, or move to another one",
	notes: "Prints the address to pay at, where there is something to pay. Asks first where a plan is paid for already.",
	examples: ["svc billing checkout pro", "svc billing checkout pro --interval year --open --yes"],
	args: {
		plan: takes.word("One of the plans that svc billing status lists; back to free: svc billing cancel"),
		interval: takes.text("month or year, where the plan is sold for both", "interval"),
		open: OPEN,
	},
	columns: CHECKOUT_COLUMNS,
	advice: BILLING_ADVICE,
	from: "app",
	send:
		({ args: { plan, interval } }, context) =>
		async ({ billing }, options) => {
			await confirmMove(await billing.get(options), plan, context);
			return await billing.checkout(plan, { ...options, interval });
		},
	after: async ({ url }, { args }, context) => {
		if (args.open && url !== null) await openAddress(context, url);
	},
});

const paymentMethod = shows({
	summary: "Change how an App's own plan is paid",
	notes: "Prints the address where the payment details are entered.",
	examples: ["svc billing payment-method", "svc billing payment-method --open"],
	args: { open: OPEN },
	columns: PAYMENT_METHOD_COLUMNS,
	advice: BILLING_ADVICE,
	from: "app",
	send: () => (app, options) => app.billing.changePaymentMethod(options),
	after: async ({ url }, { args }, context) => {
		if (args.open) await openAddress(context, url);
	},
});

const cancel = endCommand(
	"cancel",
	"End an App's own plan with its term",
	"Nothing that the App holds is deleted. Until then it is undone by: svc billing resume",
);
const resume = endCommand(
	"resume",
	"Take the end of an App's own plan back",
	"Only while the term lasts that was paid for.",
);

const invoices = lists({
	summary: "List what an App paid for its own plan",
	examples: ["svc billing invoices", "svc billing invoices --all -o jsonl"],
	columns: INVOICE_COLUMNS,
	advice: BILLING_ADVICE,
	from: "app",
	pages: () => (app) => app.billing.invoices.list,
});

export const BILLING_COMMANDS = { status, checkout, "payment-method": paymentMethod, cancel, resume, invoices };

function endCommand(verb: "cancel" | "resume", summary: string, notes: string): Command {
	return shows({
		summary,
		notes,
		examples: [`svc billing ${verb}`],
		columns: BILLING_COLUMNS,
		advice: BILLING_ADVICE,
		from: "app",
		send: () => (app, options) => app.billing[verb](options),
	});
}

/** A first plan is paid for at the address that comes back; another one is charged to the card that is known. */
async function confirmMove({ status, plan: now }: AppBilling, plan: string, context: Context): Promise<void> {
	if (status === "inactive") return;
	await confirm(context, `Move from ${now} to ${plan}? A dearer plan is charged at once.`);
}
