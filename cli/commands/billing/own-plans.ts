import type { ChangePreview, Invoice, OwnPlan } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { EXIT, type ExitCode } from "../../kit/exit.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { money } from "./plans.ts";

const ADVICE = {
	not_found: "See what you pay for: svc account plans list",
	state_conflict: "See how it is now: svc account plans list",
	forbidden: "A token cannot do this; sign in: svc login",
};

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<OwnPlan>[] = [
	...fields("id", "plan_name"),
	{ name: "seller", value: ({ seller }) => seller.name, shrinks: true },
	{ name: "price", value: ({ price }) => `${money(price.amount, price.currency)} a ${price.interval}` },
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

const PLAN = { type: "positional", required: true, valueHint: "id", description: "Subscription id" } as const;

const list = defineCommand({
	summary: "List what you pay or have paid for, newest first",
	notes: `For a session, not a token.\n${pipeNote(COLUMNS)}`,
	examples: ["svc account plans list", "svc account plans list --all --field id"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { me } = await context.management();
		return advising(ADVICE, () => printList(context, COLUMNS, args, (page) => me.plans.list(page)));
	},
});

const show = defineCommand({
	summary: "Show one of your plans",
	examples: ["svc account plans get sub_1"],
	args: { plan: PLAN },
	async run({ args: { plan } }, { management, out, process }) {
		const { me } = await management();
		await out.record(COLUMNS, await advising(ADVICE, () => me.plans.get(plan, { signal: process.signal })));
		return EXIT.ok;
	},
});

const cancel = defineCommand({
	summary: "Cancel a plan to the end of its term",
	notes: "You keep it until then. Asks first, unless --yes is given.",
	examples: ["svc account plans cancel sub_1 --yes"],
	args: { plan: PLAN },
	run: ({ args: { plan } }, context) => change(context, plan, "cancel", `Cancel ${plan} to the end of its term?`),
});

const resume = defineCommand({
	summary: "Take a cancellation back",
	examples: ["svc account plans resume sub_1"],
	args: { plan: PLAN },
	run: ({ args: { plan } }, context) => change(context, plan, "resume"),
});

const withdraw = defineCommand({
	summary: "End a plan at once and get everything back",
	notes: "Only for some days after it began: withdraw_until. Asks first, unless --yes is given.",
	examples: ["svc account plans withdraw sub_1 --yes"],
	args: { plan: PLAN },
	run: ({ args: { plan } }, context) => change(context, plan, "withdraw", `End ${plan} at once, and get all back?`),
});

const preview = defineCommand({
	summary: "Show what a change to another price would cost now",
	examples: ["svc account plans preview sub_1 prc_2"],
	args: {
		plan: PLAN,
		price: { type: "positional", required: true, valueHint: "id", description: "Price id, of the same seller" },
	},
	async run({ args: { plan, price } }, { management, out, process }) {
		const { me } = await management();
		const found = await advising(ADVICE, () => me.plans.preview(plan, price, { signal: process.signal }));
		await out.record(PREVIEW_COLUMNS, found);
		return EXIT.ok;
	},
});

const invoices = defineCommand({
	summary: "List the invoices of one of your plans, newest first",
	notes: pipeNote(INVOICE_COLUMNS),
	examples: ["svc account plans invoices sub_1"],
	args: { ...LIST_ARGS, plan: PLAN },
	async run({ args }, context) {
		const { me } = await context.management();
		const pages = me.plans.invoices(args.plan);
		return advising(ADVICE, () => printList(context, INVOICE_COLUMNS, args, (page) => pages.list(page)));
	},
});

export const OWN_PLAN_COMMANDS = { list, get: show, cancel, resume, withdraw, preview, invoices };

async function change(
	context: Context,
	plan: string,
	verb: "cancel" | "resume" | "withdraw",
	question?: string,
): Promise<ExitCode> {
	const { management, out, process } = context;
	if (question !== undefined) await confirm(context, question);
	const { me } = await management();
	await out.record(COLUMNS, await advising(ADVICE, () => me.plans[verb](plan, { signal: process.signal })));
	return EXIT.ok;
}
