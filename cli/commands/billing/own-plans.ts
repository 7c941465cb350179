import { plainMoney } from "@svc/base/words/money";
import type { ChangePreview, Invoice, OwnPlan } from "@svc/sdk/shapes";
import type { Command } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";
import { lists } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";

const ADVICE = {
	not_found: "See what you pay for: svc account plans list",
	state_conflict: "See how it is now: svc account plans list",
	forbidden: "A token cannot do this; sign in: svc login",
};

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<OwnPlan>[] = [
	...fields("id", "plan_name"),
	{ name: "seller", value: ({ seller }) => seller.name, shrinks: true },
	{ name: "price", value: ({ price }) => `${plainMoney(price.amount, price.currency)} a ${price.interval}` },
	{ name: "access", value: ({ access }) => access.status },
	{ name: "next_charge", value: ({ next_charge: next }) => next?.at ?? null },
	...fields("cancel_at", "withdraw_until", "ended_at"),
];

const INVOICE_COLUMNS: readonly Column<Invoice>[] = [
	...fields("id", "number", "status", "total", "amount_paid", "amount_refunded", "currency", "created_at"),
	...fields("receipt_url"),
];

const PREVIEW_COLUMNS: readonly Column<ChangePreview>[] = [
	...fields("amount_now", "currency", "credit", "next_amount", "next_at", "effective_at"),
];

const PLAN = takes.id("Subscription id");

const list = lists({
	summary: "List what you pay or have paid for, newest first",
	notes: `For a session, not a token.\n${pipeNote(COLUMNS)}`,
	examples: ["svc account plans list", "svc account plans list --all --field id"],
	columns: COLUMNS,
	advice: ADVICE,
	from: "management",
	pages:
		() =>
		({ me }) =>
			me.plans.list,
});

const show = shows({
	summary: "Show one of your plans",
	examples: ["svc account plans get sub_1"],
	args: { plan: PLAN },
	columns: COLUMNS,
	advice: ADVICE,
	from: "management",
	send:
		({ args: { plan } }) =>
		({ me }, options) =>
			me.plans.get(plan, options),
});

const cancel = change("cancel", (plan) => `Cancel ${plan} to the end of its term?`, {
	summary: "Cancel a plan to the end of its term",
	notes: "You keep it until then. Asks first, unless --yes is given.",
	examples: ["svc account plans cancel sub_1 --yes"],
});

const resume = change("resume", undefined, {
	summary: "Take a cancellation back",
	examples: ["svc account plans resume sub_1"],
});

const withdraw = change("withdraw", (plan) => `End ${plan} at once, and get all back?`, {
	summary: "End a plan at once and get everything back",
	notes: "Only for some days after it began: withdraw_until. Asks first, unless --yes is given.",
	examples: ["svc account plans withdraw sub_1 --yes"],
});

const preview = shows({
	summary: "Show what a change to another price would cost now",
	examples: ["svc account plans preview sub_1 prc_2"],
	args: { plan: PLAN, price: takes.id("Price id, of the same seller") },
	columns: PREVIEW_COLUMNS,
	advice: ADVICE,
	from: "management",
	send:
		({ args: { plan, price } }) =>
		({ me }, options) =>
			me.plans.preview(plan, price, options),
});

const invoices = lists({
	summary: "List the invoices of one of your plans, newest first",
	examples: ["svc account plans invoices sub_1"],
	args: { plan: PLAN },
	columns: INVOICE_COLUMNS,
	advice: ADVICE,
	from: "management",
	pages:
		({ args: { plan } }) =>
		({ me }) =>
			me.plans.invoices(plan).list,
});

export const OWN_PLAN_COMMANDS = { list, get: show, cancel, resume, withdraw, preview, invoices };

function change(
	verb: "cancel" | "resume" | "withdraw",
	question: ((plan: string) => string) | undefined,
	described: Pick<Command, "summary" | "examples" | "notes">,
): Command {
	return shows({
		...described,
		args: { plan: PLAN },
		columns: COLUMNS,
		advice: ADVICE,
		from: "management",
		send: async ({ args: { plan } }, context) => {
			if (question !== undefined) await confirm(context, question(plan));
			return ({ me }, options) => me.plans[verb](plan, options);
		},
	});
}
