import { UsageError } from "@svc/base/processes/exit";
import { SIMULATED_OUTCOMES } from "@svc/sdk/lists";
import type { ManagedSubscription } from "@svc/sdk/shapes";
import { givenFilters, readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { lists } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { REFUND_ARGS, REFUNDED_COLUMNS, readRefund } from "./refunds.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const SUBSCRIPTION_COLUMNS: readonly Column<ManagedSubscription>[] = [
	...fields("id", "plan_key", "status", "current_period_end", "cancel_at_period_end", "ended_at", "user_id"),
	{ name: "invoices", value: ({ invoices }) => invoices.map(({ id }) => id).join(","), hidden: true },
];

const ADVICE = {
	not_found: "Only operators see this: svc whoami; svc operator billing list names the subscriptions",
	forbidden: "It needs a fresh sign-in: svc login",
};

const SUBSCRIPTION = takes.id("Subscription id");
const { reason: REASON } = REFUND_ARGS;

const list = lists({
	summary: "List all subscriptions, of Apps' users and of Apps",
	examples: ["svc operator billing list --email ada@example.com", "svc operator billing list --state live --all"],
	args: {
		app: takes.text("Only of this App", "id"),
		state: takes.text("Only in this state", "live|ended"),
		email: takes.text("Only of payers whose address begins so", "address"),
	},
	columns: SUBSCRIPTION_COLUMNS,
	advice: ADVICE,
	from: "management",
	pages: ({ args: { app, email, state } }) => {
		const filter = { ...givenFilters({ app, email }), ...readChoice("state", state, ["live", "ended"] as const) };
		return ({ operator }) =>
			(page) =>
				operator.subscriptions.list({ ...page, ...filter });
	},
});

const cancel = shows({
	summary: "End a subscription with its term, or at once",
	examples: [
		"svc operator billing cancel sub_1 --reason 'Asked for by phone'",
		"svc operator billing cancel sub_1 --now --reason 'Fraud'",
	],
	args: { subscription: SUBSCRIPTION, now: takes.flag("At once, without a refund"), reason: REASON },
	columns: SUBSCRIPTION_COLUMNS,
	advice: ADVICE,
	from: "management",
	send:
		({ args: { subscription, now, reason } }) =>
		({ operator }, options) =>
			operator.subscriptions.cancel(subscription, now === true ? "now" : "period_end", reason, options),
});

const refund = shows({
	summary: "Pay an invoice back, or part of it",
	examples: [
		"svc operator billing refund sub_1 ivc_1 --reason 'Charged twice'",
		"svc operator billing refund sub_1 ivc_1 --amount 500 --reason 'Half a month was down'",
	],
	args: REFUND_ARGS,
	columns: REFUNDED_COLUMNS,
	advice: ADVICE,
	from: "management",
	send: ({ args }) => {
		const wish = readRefund(args);
		return ({ operator }, options) => operator.subscriptions.refund(args.subscription, wish, options);
	},
});

const extend = shows({
	summary: "Give more time, without a charge",
	notes: "It moves the end of a trial, of the term that is paid for, or of the time for a failed payment.",
	examples: ["svc operator billing extend sub_1 --days 14 --reason 'The App was down for two weeks'"],
	args: {
		subscription: SUBSCRIPTION,
		days: takes.demanded("How many days, 1 to 365", "n"),
		reason: REASON,
	},
	columns: SUBSCRIPTION_COLUMNS,
	advice: ADVICE,
	from: "management",
	send: ({ args: { subscription, days: given, reason } }) => {
		const days = /^[1-9]\d{0,2}$/.test(given) ? Number(given) : 0;
		if (days < 1 || days > 365) throw new UsageError("--days is a whole number from 1 to 365");
		return ({ operator }, options) => operator.subscriptions.extend(subscription, days, reason, options);
	},
});

export const BILLING_COMMANDS = { list, cancel, refund, extend };

const SIMULATED_ADVICE = { not_found: "Only operators do this, and only where payments are simulated" };

export const clock = shows({
	summary: "Show the service's clock, or move it forwards, where payments are simulated",
	examples: ["svc operator clock", "svc operator clock 2027-01-01T00:00:00Z"],
	rest: {
		name: "to",
		description: "Date and time with its zone; default: the clock is shown as it is",
		required: false,
	},
	columns: fields("now"),
	advice: SIMULATED_ADVICE,
	from: "management",
	send: ({ rest: [to, extra] }) => {
		if (extra !== undefined) throw new UsageError(`svc operator clock does not know what to do with "${extra}".`);
		return ({ operator: { simulation } }, options) =>
			to === undefined ? simulation.clock(options) : simulation.advanceClock(to, options);
	},
});

export const simulate = shows({
	summary: "Decide how the next payments of a subscription go, where they are simulated",
	examples: ["svc operator simulate sub_1 decline"],
	args: { subscription: SUBSCRIPTION, outcome: takes.word(SIMULATED_OUTCOMES.join(", ")) },
	columns: fields("subscription", "outcome", "status"),
	advice: SIMULATED_ADVICE,
	from: "management",
	send: ({ args: { subscription, outcome: given } }) => {
		const outcome = SIMULATED_OUTCOMES.find((one) => one === given);
		if (!outcome) throw new UsageError(`the outcome is one of ${SIMULATED_OUTCOMES.join(", ")}`);
		return ({ operator }, options) => operator.simulation.decide(subscription, outcome, options);
	},
});
