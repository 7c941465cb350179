import { type Letter, appName as name, note, text } from "./letter.ts";
import type { MailFacts } from "./mail.ts";

/* Mails to subscribers of an App's plans. The payment processor itself mails receipts, failed payments and cancellations. */

type BillingTemplate = "subscription_started" | "trial_started" | "trial_ending" | "withdrawn" | "further_refund";

const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

function day(iso: string): string {
	const ms = Date.parse(iso);
	return Number.isNaN(ms) ? "its end" : DAY.format(ms);
}

export const BILLING_TEMPLATES = {
	subscription_started: ({ app, plan }, service) => ({
		subject: `Your plan ${name(plan)} of ${name(app)}`,
		heading: `You have the plan “${name(plan)}”`,
		parts: [
			text(
				`Thank you. Your plan “${name(plan)}” of the App “${name(app)}” has started, and renews until you cancel it.`,
			),
			text(
				`For 14 days from today you may withdraw from it and get back everything that you paid for it. “${name(app)}” leads to the page of ${service} where you do that, or cancel or change the plan.`,
			),
			note("The receipt comes in a mail of its own."),
		],
	}),
	trial_started: ({ app, plan, until }, service) => ({
		subject: `Your trial of ${name(plan)} at ${name(app)}`,
		heading: `Your trial of “${name(plan)}” has started`,
		parts: [
			text(
				`You can try the plan “${name(plan)}” of the App “${name(app)}” free of charge until ${day(until)}. Then it renews and is paid for, until you cancel it.`,
			),
			text(`“${name(app)}” leads to the page of ${service} where you cancel, withdraw or change the plan.`),
		],
	}),
	trial_ending: ({ app, plan, until }, service) => ({
		subject: `Your trial of ${name(plan)} at ${name(app)} ends soon`,
		heading: "Your trial ends soon",
		parts: [
			text(
				`Your trial of the plan “${name(plan)}” of the App “${name(app)}” ends on ${day(until)}. From then on it is charged to the payment method that you gave when you started it.`,
			),
			text(
				`You do not want that? Cancel before that day: “${name(app)}” leads to the page of ${service} where you do so, and you keep the plan until the trial ends.`,
			),
		],
	}),
	withdrawn: ({ app, plan }) => ({
		subject: `You have withdrawn from ${name(plan)} of ${name(app)}`,
		heading: "Your withdrawal",
		parts: [
			text(
				`You have withdrawn from the plan “${name(plan)}” of the App “${name(app)}”. It has ended, nothing more is charged, and what you paid is being paid back in full.`,
			),
			note("It can take your bank some days until you see it."),
		],
	}),
	further_refund: ({ app, plan }) => ({
		subject: `A further refund from ${name(app)}`,
		heading: "A further refund is on its way",
		parts: [
			text(
				`You withdrew from the plan “${name(plan)}” of the App “${name(app)}”. One more payment that you had made for it is now being paid back as well.`,
			),
			note("It can take your bank some days until you see it."),
		],
	}),
} satisfies {
	readonly [Template in BillingTemplate]: (facts: MailFacts[Template], service: string) => Letter;
};
