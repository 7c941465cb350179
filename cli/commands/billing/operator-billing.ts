import { SIMULATED_OUTCOMES } from "@svc/sdk/lists";
import type { Invoice, ManagedSubscription } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { EXIT, type ExitCode, UsageError } from "../../kit/exit.ts";
import { givenFilters, readChoice } from "../../kit/line/choice.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const SUBSCRIPTION_COLUMNS: readonly Column<ManagedSubscription>[] = [
	...fields("id", "plan_key", "status", "current_period_end", "cancel_at_period_end", "ended_at", "user_id"),
	{ name: "invoices", value: ({ invoices }) => invoices.map(({ id }) => id).join(","), hidden: true },
];

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const INVOICE_COLUMNS: readonly Column<Invoice>[] = [
	...fields("id", "status", "amount_paid", "amount_refunded", "currency"),
];

const ADVICE = {
	not_found: "Only operators see this: svc whoami; svc operator billing list names the subscriptions",
	forbidden: "It needs a fresh sign-in: svc login",
};

const SUBSCRIPTION = { type: "positional", required: true, valueHint: "id", description: "Subscription id" } as const;
const REASON = { type: "string", valueHint: "text", required: true, description: "Why; the payer reads it" } as const;

const list = defineCommand({
	summary: "List all subscriptions, of Apps' users and of Apps",
	notes: pipeNote(SUBSCRIPTION_COLUMNS),
	examples: ["svc operator billing list --email ada@example.com", "svc operator billing list --state live --all"],
	args: {
		...LIST_ARGS,
		app: { type: "string", valueHint: "id", description: "Only of this App" },
		state: { type: "string", valueHint: "live|ended", description: "Only in this state" },
		email: { type: "string", valueHint: "address", description: "Only of payers whose address begins so" },
	},
	async run({ args }, context) {
		const filter = {
			...givenFilters({ app: args.app, email: args.email }),
			...readChoice("state", args.state, ["live", "ended"] as const),
		};
		const { operator } = await context.management();
		return advising(ADVICE, () =>
			printList(context, SUBSCRIPTION_COLUMNS, args, (page) => operator.subscriptions.list({ ...page, ...filter })),
		);
	},
});

const cancel = defineCommand({
	summary: "End a subscription with its term, or at once",
	examples: [
		"svc operator billing cancel sub_1 --reason 'Asked for by phone'",
		"svc operator billing cancel sub_1 --now --reason 'Fraud'",
	],
	args: {
		subscription: SUBSCRIPTION,
		now: { type: "boolean", description: "At once, without a refund" },
		reason: REASON,
	},
	async run({ args: { subscription, now, reason } }, context): Promise<ExitCode> {
		const { management, out, process } = context;
		const body = { at: now === true ? ("now" as const) : ("period_end" as const), reason };
		const { operator } = await management();
		const ended = await advising(ADVICE, () =>
			operator.subscriptions.cancel(subscription, body.at, reason, { signal: process.signal }),
		);
		await out.record(SUBSCRIPTION_COLUMNS, ended);
		return EXIT.ok;
	},
});

const refund = defineCommand({
	summary: "Pay an invoice back, or part of it",
	examples: [
		"svc operator billing refund sub_1 ivc_1 --reason 'Charged twice'",
		"svc operator billing refund sub_1 ivc_1 --amount 500 --reason 'Half a month was down'",
	],
	args: {
		subscription: SUBSCRIPTION,
		invoice: { type: "positional", required: true, valueHint: "id", description: "Invoice id" },
		amount: {
			type: "string",
			valueHint: "n",
			description: "In the currency's smallest unit; all that is left otherwise",
		},
		reason: REASON,
	},
	async run({ args: { subscription, invoice, amount, reason } }, context): Promise<ExitCode> {
		const { management, out, process } = context;
		if (amount !== undefined && !/^[1-9]\d{0,9}$/.test(amount))
			throw new UsageError("--amount is a whole number above 0");
		const body = { invoice, ...(amount !== undefined && { amount: Number(amount) }), reason };
		const { operator } = await management();
		const paid = await advising(ADVICE, () =>
			operator.subscriptions.refund(subscription, body, { signal: process.signal }),
		);
		await out.record(INVOICE_COLUMNS, paid);
		return EXIT.ok;
	},
});

const extend = defineCommand({
	summary: "Give more time, without a charge",
	notes: "It moves the end of a trial, of the term that is paid for, or of the time for a failed payment.",
	examples: ["svc operator billing extend sub_1 --days 14 --reason 'The App was down for two weeks'"],
	args: {
		subscription: SUBSCRIPTION,
		days: { type: "string", valueHint: "n", required: true, description: "How many days, 1 to 365" },
		reason: REASON,
	},
	async run({ args: { subscription, days: given, reason } }, context): Promise<ExitCode> {
		const { management, out, process } = context;
		const days = /^[1-9]\d{0,2}$/.test(given) ? Number(given) : 0;
		if (days < 1 || days > 365) throw new UsageError("--days is a whole number from 1 to 365");
		const { operator } = await management();
		const extended = await advising(ADVICE, () =>
			operator.subscriptions.extend(subscription, days, reason, { signal: process.signal }),
		);
		await out.record(SUBSCRIPTION_COLUMNS, extended);
		return EXIT.ok;
	},
});

export const BILLING_COMMANDS = { list, cancel, refund, extend };

const SIMULATED_ADVICE = { not_found: "Only operators do this, and only where payments are simulated" };

export const clock = defineCommand({
	summary: "Show the service's clock, or move it forwards, where payments are simulated",
	examples: ["svc operator clock", "svc operator clock 2027-01-01T00:00:00Z"],
	args: {},
	rest: {
		name: "to",
		description: "Date and time with its zone; default: the clock is shown as it is",
		required: false,
	},
	async run({ rest: [to, extra] }, { management, out, process }): Promise<ExitCode> {
		if (extra !== undefined) throw new UsageError(`svc operator clock does not know what to do with "${extra}".`);
		const { simulation } = (await management()).operator;
		const options = { signal: process.signal };
		const clockThen = await advising(SIMULATED_ADVICE, () =>
			to === undefined ? simulation.clock(options) : simulation.advanceClock(to, options),
		);
		await out.record([{ name: "now", value: ({ now }) => now }], clockThen);
		return EXIT.ok;
	},
});

export const simulate = defineCommand({
	summary: "Decide how the next payments of a subscription go, where they are simulated",
	examples: ["svc operator simulate sub_1 decline"],
	args: {
		subscription: SUBSCRIPTION,
		outcome: { type: "positional", required: true, description: SIMULATED_OUTCOMES.join(", ") },
	},
	async run({ args: { subscription, outcome: given } }, { management, out, process }): Promise<ExitCode> {
		const outcome = SIMULATED_OUTCOMES.find((one) => one === given);
		if (!outcome) throw new UsageError(`the outcome is one of ${SIMULATED_OUTCOMES.join(", ")}`);
		const { operator } = await management();
		const decided = await advising(SIMULATED_ADVICE, () =>
			operator.simulation.decide(subscription, outcome, { signal: process.signal }),
		);
		await out.record(
			[
				{ name: "subscription", value: (one) => one.subscription },
				{ name: "outcome", value: (one) => one.outcome },
				{ name: "status", value: (one) => one.status },
			],
			decided,
		);
		return EXIT.ok;
	},
});
