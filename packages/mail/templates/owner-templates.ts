import type { Locale } from "@svc/base/enumerations";
import type { MailFacts, PlanFacts } from "../mail.ts";
import { moment, money, price } from "./billing-templates.ts";
import { type Letter, appName as name, note, type Part, type Say, text } from "./letter.ts";

/* Mails to those who run an App, about what the App pays for itself and how much of it is used. */

type OwnerTemplate = "app_plan_started" | "app_plan_failing" | "app_plan_locked" | "app_plan_ended";

function namesOf({ app, plan }: PlanFacts) {
	return { app: name(app), plan: name(plan) };
}

function lettered(
	template: OwnerTemplate,
	facts: PlanFacts,
	sentences: readonly (string | undefined)[],
	{ service, t }: { readonly service: string; readonly t: Say },
): Letter {
	const names = namesOf(facts);
	const said = sentences.flatMap((sentence): Part[] => (sentence ? [text(sentence)] : []));
	const link: Part[] = facts.page ? [{ kind: "link", label: t("app_plan.link"), address: facts.page }] : [];
	return {
		subject: t(`${template}.subject`, names),
		heading: t(`${template}.heading`, names),
		parts: [...said, ...link, note(t("app_plan.why", { app: names.app, service }))],
	};
}

const GIGABYTE = 1_000_000_000;

export const OWNER_TEMPLATES = {
	app_plan_started: (facts, service, t, locale) => {
		const [cost, day, until] = [price(facts, t, locale), moment(facts.until, locale), moment(facts.withdraw, locale)];
		const tax = facts.tax ? money(facts.tax, facts, locale) : undefined;
		const sentences = [
			t("app_plan_started.text", { ...namesOf(facts), service }),
			cost && day && t("subscription_started.price", { price: cost, day }),
			tax && t("billing.tax", { amount: tax }),
			until && t("billing.withdraw", { day: until }),
		];
		return lettered("app_plan_started", facts, sentences, { service, t });
	},
	app_plan_failing: (facts, service, t, locale) => {
		const [amount, day] = [money(facts.due, facts, locale) ?? "", moment(facts.until, locale) ?? ""];
		const next = moment(facts.next, locale);
		const sentences = [
			t("app_plan_failing.text", { ...namesOf(facts), amount }),
			next && t("app_plan_failing.next", { day: next }),
			t("app_plan_failing.locks", { day }),
			t("app_plan_failing.pay"),
		];
		return lettered("app_plan_failing", facts, sentences, { service, t });
	},
	app_plan_locked: (facts, service, t, locale) => {
		const [amount, day] = [money(facts.amount, facts, locale) ?? "", moment(facts.until, locale) ?? ""];
		const said = t("app_plan_locked.text", { ...namesOf(facts), amount, day });
		return lettered("app_plan_locked", facts, [said, t("app_plan.kept")], { service, t });
	},
	app_plan_ended: (facts, service, t, locale) => {
		const said = t("app_plan_ended.text", { ...namesOf(facts), day: moment(facts.until, locale) ?? "" });
		return lettered("app_plan_ended", facts, [said, t("app_plan.kept")], { service, t });
	},
	app_limit: ({ app, limit, percent, used, most, page }, service, t, locale) => {
		const shown = (count: number) => new Intl.NumberFormat(locale).format(limit === "bytes" ? count / GIGABYTE : count);
		const names = { app: name(app), percent: String(percent) };
		return {
			subject: t("app_limit.subject", names),
			heading: t("app_limit.heading", names),
			parts: [
				text(t("app_limit.text", { app: name(app), limit, used: shown(used), most: shown(most) })),
				text(t(percent < 100 ? "app_limit.soon" : "app_limit.full", { limit })),
				{ kind: "link", label: t("app_limit.link"), address: page },
				note(t("app_plan.why", { app: name(app), service })),
			],
		};
	},
} satisfies {
	readonly [Template in OwnerTemplate | "app_limit"]: (
		facts: MailFacts[Template],
		service: string,
		t: Say,
		locale: Locale,
	) => Letter;
};
