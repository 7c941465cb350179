import { plainMoney } from "@svc/base/words/money";
import type { Invoice, ManagedSubscription } from "@svc/sdk/shapes";
import { type NounSection, type NounTone, noun, signed } from "./noun.ts";
import { amountText, priceText } from "./plan.ts";
import { ageText, dayText, named } from "./words.ts";

/** With the address of who pays. */
export type SubscriptionThing = ManagedSubscription & { readonly user_email?: string | undefined };

const TONES: Readonly<Record<string, readonly [sign: string, tone: NounTone | undefined]>> = {
	active: ["○", undefined],
	trialing: ["…", "accent"],
	past_due: ["▣", "warn"],
	unpaid: ["▣", "warn"],
};

export const SUBSCRIPTION = noun<SubscriptionThing>()({
	fields: {
		id: {},
		user: {
			value: ({ user_id: user }) => user,
			title: "User",
			cell: ({ user_id: user, user_email: email }) => email ?? user ?? "the App itself",
			line: ({ user_id: user, user_email: email }) => named(email, user ?? "none: the App's own plan"),
		},
		plan: { value: ({ plan_key: key }) => key, title: "Plan", width: 16 },
		price: {
			value: ({ price_id: id }) => id,
			title: "Price",
			width: 15,
			cell: ({ price }) => priceText(price),
			line: ({ price }) => priceText(price),
		},
		status: { title: "State", width: 12, ...signed(stateOf), label: "state", line: (it) => stateOf(it)[0] },
		current_period_end: {
			title: "Paid until",
			width: 10,
			cell: ({ current_period_end: end }) => dayText(end),
			label: "paid until",
			line: ({ current_period_end: end }) => dayText(end),
		},
		ends_at: { value: endOf },
		seller: { value: ({ seller }) => seller.name, worth: 1, label: "sold by" },
		trial_end: {
			label: "trial until",
			line: ({ trial_end: end }) => (end === null ? undefined : dayText(end)),
		},
		pending_plan: {
			value: ({ pending_plan_key: key }) => key,
			label: "then",
			line: ({ pending_plan_key: key }) => key ?? undefined,
		},
		pending_from: { value: ({ pending_effective_at: at }) => at },
		invoices: {
			value: ({ invoices }) => invoices.map(invoiceWords).join(" · "),
			title: "Invoices",
			width: 8,
			more: true,
			cell: ({ invoices }) => String(invoices.length),
		},
		created_at: { kind: "time", title: "Since", width: 8, more: true, label: "since" },
		dispute: {
			line: ({ dispute }, nowMs) =>
				dispute === null ? undefined : `${dispute.state} since ${ageText(dispute.at, nowMs)}`,
		},
		ended_at: { kind: "time", label: "ended" },
	},
	list: ["id", "user", "plan", "price", "status", "current_period_end", "ends_at", "seller"],
	detail: ["trial_end", "pending_plan", "pending_from", "invoices", "created_at"],
	dashboard: {
		title: "Subscription",
		empty: "Nobody pays this App. svc subscribers list says the same; plans are sold on the screen of plans.",
		columns: ["status", "user", "plan", "price", "current_period_end", "created_at", "invoices"],
		lines: [
			...["id", "user", "seller", "plan", "price", "status", "current_period_end", "trial_end", "pending_plan"],
			...["dispute", "created_at", "ended_at"],
		] as const,
		more: ({ invoices }) => [{ title: `Invoices: ${invoices.length}`, rows: invoices.flatMap(invoiceRows) }],
	},
});

function stateOf({
	status,
	ended_at,
	cancel_at_period_end,
}: ManagedSubscription): readonly [string, NounTone | undefined] {
	if (ended_at !== null) return ["⛒ ended", "danger"];
	if (cancel_at_period_end) return ["▣ cancelled", "warn"];
	const [sign, tone] = TONES[status] ?? ["⛒", "danger"];
	return [`${sign} ${status.replaceAll("_", " ")}`, tone];
}

/** When the subscription ends, where that is known. */
function endOf({ ended_at, cancel_at, cancel_at_period_end, current_period_end }: ManagedSubscription): string | null {
	return ended_at ?? cancel_at ?? (cancel_at_period_end ? current_period_end : null);
}

function invoiceWords({ created_at, status, amount_due, amount_paid, amount_refunded, currency }: Invoice): string {
	const refunded = amount_refunded > 0 ? `, ${plainMoney(amount_refunded, currency)} refunded` : "";
	return `${created_at} ${status}: ${plainMoney(amount_paid, currency)} of ${plainMoney(amount_due, currency)} paid${refunded}`;
}

function invoiceRows({ created_at, number, status, total, currency, refunds }: Invoice): NounSection["rows"] {
	const back = refunds.map(({ amount, reason }): readonly [string, string] => [
		"",
		`paid back ${amountText(amount, currency)}: ${reason}`,
	]);
	return [[dayText(created_at), `${amountText(total, currency)} ${status}, ${number}`], ...back];
}
