import { type Letter, msOf, appName as name, note, type Say, text } from "./letter.ts";
import type { MailFacts } from "./mail.ts";

/* Mails to subscribers of an App's plans. The payment processor itself mails receipts, failed payments and cancellations. */

type BillingTemplate = "subscription_started" | "trial_started" | "trial_ending" | "withdrawn" | "further_refund";

export const BILLING_TEMPLATES = {
	subscription_started: ({ app, plan }, service, t) => ({
		subject: t("subscription_started.subject", { plan: name(plan), app: name(app) }),
		heading: t("subscription_started.heading", { plan: name(plan) }),
		parts: [
			text(t("subscription_started.text", { plan: name(plan), app: name(app) })),
			text(t("subscription_started.withdraw", { app: name(app), service })),
			note(t("subscription_started.note")),
		],
	}),
	trial_started: ({ app, plan, until }, service, t) => ({
		subject: t("trial_started.subject", { plan: name(plan), app: name(app) }),
		heading: t("trial_started.heading", { plan: name(plan) }),
		parts: [
			text(t("trial_started.text", { plan: name(plan), app: name(app), until: msOf(until) })),
			text(t("trial_started.manage", { app: name(app), service })),
		],
	}),
	trial_ending: ({ app, plan, until }, service, t) => ({
		subject: t("trial_ending.subject", { plan: name(plan), app: name(app) }),
		heading: t("trial_ending.heading"),
		parts: [
			text(t("trial_ending.text", { plan: name(plan), app: name(app), until: msOf(until) })),
			text(t("trial_ending.cancel", { app: name(app), service })),
		],
	}),
	withdrawn: ({ app, plan }, _, t) => ({
		subject: t("withdrawn.subject", { plan: name(plan), app: name(app) }),
		heading: t("withdrawn.heading"),
		parts: [text(t("withdrawn.text", { plan: name(plan), app: name(app) })), note(t("refund.note"))],
	}),
	further_refund: ({ app, plan }, _, t) => ({
		subject: t("further_refund.subject", { app: name(app) }),
		heading: t("further_refund.heading"),
		parts: [text(t("further_refund.text", { plan: name(plan), app: name(app) })), note(t("refund.note"))],
	}),
} satisfies {
	readonly [Template in BillingTemplate]: (facts: MailFacts[Template], service: string, t: Say) => Letter;
};
