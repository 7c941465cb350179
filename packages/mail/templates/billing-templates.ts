import type { Locale } from "@svc/base/enumerations";
import { shortLine } from "@svc/base/text";
import { moneyText } from "@svc/base/words/money";
import type { MailFacts, PlanFacts } from "../mail.ts";
import { type Letter, NAME_MAX, appName as name, note, type Part, type Say, text } from "./letter.ts";

/* Mails to those who pay for plans. The payment processor itself mails receipts, failed payments and cancellations. */

type BillingTemplate =
	| "subscription_started"
	| "trial_started"
	| "trial_ending"
	| "withdrawn"
	| "further_refund"
	| "paid_twice"
	| "paid_unavailable"
	| "plan_paused"
	| "plan_resumed"
	| "plan_gone"
	| "plan_by_operator"
	| "plan_granted";

/** A date and time with its zone, as each language writes it; undefined for what is none. */
export function moment(iso: string | undefined, locale: Locale): string | undefined {
	const ms = Date.parse(iso ?? "");
	if (Number.isNaN(ms)) return undefined;
	const day = { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" } as const;
	return new Intl.DateTimeFormat(locale, { ...day, timeZone: "UTC", timeZoneName: "short" }).format(ms);
}

/** An amount in the smallest unit; undefined where an earlier release did not tell it. */
export function money(amount: number | undefined, { currency }: PlanFacts, locale: Locale): string | undefined {
	if (amount === undefined || currency === undefined) return undefined;
	return moneyText(amount, currency, locale);
}

export function price(facts: PlanFacts, t: Say, locale: Locale): string | undefined {
	const amount = money(facts.amount, facts, locale);
	return amount && t("billing.price", { amount, interval: facts.interval ?? "", tax: facts.taxed ?? "none" });
}

function whatOf(facts: PlanFacts, t: Say, service: string): string {
	return t("billing.what", { ...namesOf(facts), service });
}

function namesOf({ app, plan, seller }: PlanFacts) {
	return { app: name(app), plan: name(plan), seller: seller ?? "app" };
}

/** The sentences that there are facts for, the one link to act, and why one gets the mail. */
function lettered(
	template: BillingTemplate,
	facts: PlanFacts,
	sentences: readonly (string | undefined)[],
	{ service, t, why }: { readonly service: string; readonly t: Say; readonly why?: string },
): Letter {
	const names = namesOf(facts);
	const said = sentences.flatMap((sentence): Part[] => (sentence ? [text(sentence)] : []));
	const link = linkOf(facts, t);
	return {
		subject: t(`${template}.subject`, names),
		heading: t(`${template}.heading`, names),
		parts: [...said, ...link, note(why ?? t("billing.why", { what: whatOf(facts, t, service), service }))],
	};
}

/** What is paid back, and when it arrives. */
function refunded(facts: PlanFacts & { readonly refund?: number }, t: Say, locale: Locale): readonly string[] {
	const amount = facts.refund ? money(facts.refund, facts, locale) : undefined;
	return amount ? [`${t("billing.refund", { amount })} ${t("billing.arrives")}`] : [];
}

/** Money that went back is told of by its receipt. */
function linkOf({ page, receipt }: PlanFacts, t: Say): readonly Part[] {
	if (receipt) return [{ kind: "link", label: t("billing.receipt"), address: receipt }];
	return page ? [{ kind: "link", label: t("billing.link"), address: page }] : [];
}

/** What a bank has asked back already: it is not the seller's to give for now. */
function heldBack(facts: PlanFacts & { readonly held?: number }, t: Say, locale: Locale): string | undefined {
	const amount = facts.held ? money(facts.held, facts, locale) : undefined;
	return amount && t("billing.held", { amount });
}

export const BILLING_TEMPLATES = {
	subscription_started: (facts, service, t, locale) => {
		const [cost, day, until] = [price(facts, t, locale), moment(facts.until, locale), moment(facts.withdraw, locale)];
		const tax = facts.tax ? money(facts.tax, facts, locale) : undefined;
		const sentences = [
			t("subscription_started.text", { what: whatOf(facts, t, service) }),
			cost && day && t("subscription_started.price", { price: cost, day }),
			tax && t("billing.tax", { amount: tax }),
			until && t("billing.withdraw", { day: until }),
		];
		return lettered("subscription_started", facts, sentences, { service, t });
	},
	trial_started: (facts, service, t, locale) => {
		const [cost, until] = [price(facts, t, locale), moment(facts.withdraw, locale)];
		const sentences = [
			t("trial_started.text", { what: whatOf(facts, t, service), day: moment(facts.until, locale) ?? "" }),
			cost && t("trial_started.price", { price: cost }),
			until && t("billing.withdraw", { day: until }),
		];
		return lettered("trial_started", facts, sentences, { service, t });
	},
	trial_ending: (facts, service, t, locale) => {
		const amount = money(facts.amount, facts, locale);
		const sentences = [
			t("trial_ending.text", { what: whatOf(facts, t, service), day: moment(facts.until, locale) ?? "" }),
			amount && t("trial_ending.price", { amount }),
			t("trial_ending.cancel"),
		];
		return lettered("trial_ending", facts, sentences, { service, t });
	},
	withdrawn: (facts, service, t, locale) => {
		const numbers = facts.invoices ? shortLine(facts.invoices, NUMBERS_MAX) : "";
		const sentences = [
			t(facts.held ? "withdrawn.partly" : "withdrawn.text", { what: whatOf(facts, t, service) }),
			...refunded(facts, t, locale),
			heldBack(facts, t, locale),
			numbers && t("billing.invoices", { numbers }),
		];
		return lettered("withdrawn", facts, sentences, { service, t });
	},
	further_refund: (facts, service, t, locale) => {
		const said = t(facts.gone ? "further_refund.gone" : "further_refund.text", { what: whatOf(facts, t, service) });
		return lettered("further_refund", facts, [said, ...refunded(facts, t, locale)], { service, t });
	},
	paid_twice: (facts, service, t, locale) => {
		const sentences = [t("paid_twice.text", { what: whatOf(facts, t, service) }), ...refunded(facts, t, locale)];
		return lettered("paid_twice", facts, sentences, { service, t });
	},
	paid_unavailable: (facts, service, t, locale) => {
		const said = t("paid_unavailable.text", { what: whatOf(facts, t, service), app: name(facts.app) });
		return lettered("paid_unavailable", facts, [said, ...refunded(facts, t, locale)], { service, t });
	},
	plan_by_operator: (facts, service, t, locale) => {
		const until = moment(facts.until, locale);
		const amount = facts.refund ? money(facts.refund, facts, locale) : undefined;
		const { app, plan } = namesOf(facts);
		const sentences = [
			t("plan_by_operator.text", { deed: facts.deed, service, plan, app }),
			until && t("plan_by_operator.until", { day: until }),
			amount && t("billing.refund", { amount }),
			facts.invoices && t("billing.invoices", { numbers: shortLine(facts.invoices, NUMBERS_MAX) }),
			t("plan_by_operator.reason", { reason: shortLine(facts.reason, REASON_MAX) }),
		];
		return lettered("plan_by_operator", facts, sentences, { service, t });
	},
	plan_granted: (facts, service, t, locale) => {
		const what = whatOf(facts, t, service);
		const sentences = [
			t("plan_granted.text", { deed: facts.deed, what, day: moment(facts.until, locale) ?? "" }),
			t("plan_by_operator.reason", { reason: shortLine(facts.reason, REASON_MAX) }),
		];
		const why = t("plan_granted.why", { what, service });
		return lettered("plan_granted", facts, sentences, { service, t, why });
	},
	plan_paused: (facts, service, t) => {
		const sentences = [t("plan_paused.text", { what: whatOf(facts, t, service), app: name(facts.app) })];
		return lettered("plan_paused", facts, sentences, { service, t });
	},
	plan_resumed: (facts, service, t, locale) => {
		const [amount, day] = [money(facts.amount, facts, locale), moment(facts.until, locale)];
		const sentences = [
			t("plan_resumed.text", { what: whatOf(facts, t, service), app: name(facts.app) }),
			amount && day && t("plan_resumed.next", { amount, day }),
		];
		return lettered("plan_resumed", facts, sentences, { service, t });
	},
	plan_gone: (facts, service, t, locale) => {
		const day = moment(facts.until, locale) ?? "";
		const sentences = [
			t("plan_gone.text", { what: whatOf(facts, t, service), app: name(facts.app), day }),
			...refunded(facts, t, locale),
			heldBack(facts, t, locale),
		];
		return lettered("plan_gone", facts, sentences, { service, t });
	},
} satisfies {
	readonly [Template in BillingTemplate]: (
		facts: MailFacts[Template],
		service: string,
		t: Say,
		locale: Locale,
	) => Letter;
};

/** Characters of a list of invoice numbers. */
const NUMBERS_MAX = NAME_MAX * 5;
const REASON_MAX = 500;
