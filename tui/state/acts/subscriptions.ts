import { minorUnits } from "@svc/base/words/money";
import { amountText } from "@svc/nouns/plan";
import type { Invoice, ManagedSubscription } from "@svc/sdk/shapes";
import { openForm } from "../forms/form.ts";
import { listOf, selectedOf } from "../lists/list.ts";
import { type State, type Step, say, stay } from "../model.ts";

/* What operators do for those who pay: forms, because the payer reads the reason. */

const REASON = { kind: "text", name: "reason", label: "Reason", hint: "The payer reads it", value: "" } as const;
const DAYS_MOST = 365;

function withSubscription(state: State, act: (subscription: ManagedSubscription) => Step): Step {
	if (state.person?.operator !== true) return stay(say(state, "warn", "Only operators change what somebody pays."));
	const subscription = selectedOf(listOf(state));
	if (subscription?.object !== "subscription") return stay(say(state, "warn", "No subscription is chosen."));
	return act(subscription);
}

function withLiving(state: State, act: (subscription: ManagedSubscription) => Step): Step {
	return withSubscription(state, (subscription) =>
		subscription.ended_at === null ? act(subscription) : stay(say(state, "warn", "It has ended.")),
	);
}

export function extendSubscription(state: State): Step {
	return withLiving(state, ({ id }) =>
		openForm(state, {
			title: `More time for ${id}, without a charge`,
			fields: [
				{ kind: "number", name: "days", label: "Days", unit: "days", hint: `1 to ${DAYS_MOST}`, value: "7" },
				REASON,
			],
			read({ days = "", reason = "" }) {
				if (reason === "") return { errors: { reason: "is needed: the payer reads it" } };
				return { kind: "subscription", verb: "extend", id, days: Number(days), reason };
			},
		}),
	);
}

const ENDS = { "with its term": "period_end", "at once": "now" } as const;

export function cancelSubscription(state: State): Step {
	return withLiving(state, ({ id }) =>
		openForm(state, {
			title: `End ${id}; nothing is paid back`,
			fields: [
				{
					kind: "choice",
					name: "at",
					label: "Ends",
					hint: "What is paid for stays until the end of its term",
					choices: Object.keys(ENDS),
					value: "with its term",
				},
				REASON,
			],
			read({ at = "", reason = "" }) {
				if (reason === "") return { errors: { reason: "is needed: the payer reads it" } };
				return { kind: "subscription", verb: "cancel", id, at: ENDS[at as keyof typeof ENDS], reason };
			},
		}),
	);
}

const leftOf = ({ amount_paid, amount_refunded }: Invoice) => amount_paid - amount_refunded;

export function refundInvoice(state: State): Step {
	return withSubscription(state, ({ id, invoices }) => {
		const paid = invoices.filter((invoice) => leftOf(invoice) > 0);
		const [newest] = paid;
		if (newest === undefined) return stay(say(state, "warn", "Nothing is left to pay back."));
		return openForm(state, {
			title: `Pay back what was paid for ${id}`,
			fields: [
				{
					kind: "choice",
					name: "invoice",
					label: "Invoice",
					hint: "Those of which something is left",
					choices: paid.map(({ number }) => number),
					value: newest.number,
				},
				{
					kind: "text",
					name: "amount",
					label: "Amount",
					hint: `As 4.99; empty pays all back that is left, of the newest one ${amountText(leftOf(newest), newest.currency)}`,
					value: "",
					empty: "all that is left",
				},
				REASON,
			],
			read({ invoice: number, amount: text = "", reason = "" }) {
				const invoice = paid.find((one) => one.number === number) ?? newest;
				if (reason === "") return { errors: { reason: "is needed: the payer reads it" } };
				const amount = text === "" ? undefined : minorUnits(text, invoice.currency);
				if (typeof amount === "string") return { errors: { amount } };
				const refund = { invoice: invoice.id, reason, ...(amount !== undefined && { amount }) };
				return { kind: "refund", verb: "refund", id, refund };
			},
		});
	});
}
