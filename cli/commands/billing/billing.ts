import type { AppBilling, AppCheckout, PaymentMethodPage } from "@svc/sdk/shapes";
import { openAddress } from "../../kit/browser.ts";
import { type Command, type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { chosenApp } from "../../kit/context.ts";
import { EXIT } from "../../kit/exit.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
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

const BILLING_ADVICE = {
	not_found: "See your Apps: svc apps list",
	state_conflict: "See how it is now: svc billing status",
	forbidden: "Its Owner starts an App's plan, its Admins end it: svc members list",
};

const status = defineCommand({
	summary: "Show an App's own plan, and which there are",
	notes: "What a user of the App may use of what it sells: svc users get",
	examples: ["svc billing status", "svc billing status --field plan"],
	args: {},
	async run(_given, context) {
		const { out, process } = context;
		const { billing } = (await chosenApp(context)).app;
		await out.record(BILLING_COLUMNS, await advising(BILLING_ADVICE, () => billing.get({ signal: process.signal })));
		return EXIT.ok;
	},
});

const checkout = defineCommand({
	summary: "Start an App's own plan, or move to another one",
	notes: "Prints the address to pay at, where there is something to pay. Asks first where a plan is paid for already.",
	examples: ["svc billing checkout pro", "svc billing checkout pro --interval year --open --yes"],
	args: {
		plan: {
			type: "positional",
			required: true,
			description: "One of the plans that svc billing status lists; back to free: svc billing cancel",
		},
		interval: { type: "string", description: "month or year, where the plan is sold for both", valueHint: "interval" },
		open: { type: "boolean", description: "Open the address in the browser" },
	},
	async run({ args }, context) {
		const { out, process } = context;
		const { app } = await chosenApp(context);
		const { billing } = app;
		const options = { signal: process.signal };
		await advising(BILLING_ADVICE, async () => {
			await confirmMove(await billing.get(options), args.plan, context);
			const made = await billing.checkout(args.plan, { ...options, interval: args.interval });
			await out.record(CHECKOUT_COLUMNS, made);
			if (args.open && made.url !== null) await openAddress(context, made.url);
		});
		return EXIT.ok;
	},
});

const paymentMethod = defineCommand({
	summary: "Change how an App's own plan is paid",
	notes: "Prints the address where the payment details are entered.",
	examples: ["svc billing payment-method", "svc billing payment-method --open"],
	args: { open: { type: "boolean", description: "Open the address in the browser" } },
	async run({ args }, context) {
		const { out, process } = context;
		const { app } = await chosenApp(context);
		const page = await advising(BILLING_ADVICE, () => app.billing.changePaymentMethod({ signal: process.signal }));
		await out.record(PAYMENT_METHOD_COLUMNS, page);
		if (args.open) await openAddress(context, page.url);
		return EXIT.ok;
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

const invoices = defineCommand({
	summary: "List what an App paid for its own plan",
	notes: pipeNote(INVOICE_COLUMNS),
	examples: ["svc billing invoices", "svc billing invoices --all -o jsonl"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { billing } = (await chosenApp(context)).app;
		return advising(BILLING_ADVICE, () =>
			printList(context, INVOICE_COLUMNS, args, (page) => billing.invoices.list(page)),
		);
	},
});

export const BILLING_COMMANDS = { status, checkout, "payment-method": paymentMethod, cancel, resume, invoices };

function endCommand(verb: "cancel" | "resume", summary: string, notes: string): Command {
	return defineCommand({
		summary,
		notes,
		examples: [`svc billing ${verb}`],
		args: {},
		async run(_given, context) {
			const { out, process } = context;
			const { app } = await chosenApp(context);
			const billing = await advising(BILLING_ADVICE, () => app.billing[verb]({ signal: process.signal }));
			await out.record(BILLING_COLUMNS, billing);
			return EXIT.ok;
		},
	});
}

/** A first plan is paid for at the address that comes back; another one is charged to the card that is known. */
async function confirmMove({ status, plan: now }: AppBilling, plan: string, context: Context): Promise<void> {
	if (status === "inactive") return;
	await confirm(context, `Move from ${now} to ${plan}? A dearer plan is charged at once.`);
}
