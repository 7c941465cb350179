import { APP_PLAN_CURRENCY, APP_PLANS } from "@svc/apps/app-plan";
import type { PriceTerms } from "./plans.ts";
import type { Bought } from "./subscriptions.ts";

/* What is paid for, as it is shown and counted. */

const DAY_MS = 86_400_000;
/** The law gives 14 days; it is offered and honoured for longer (specification, "Limits"). */
export const WITHDRAWAL_MS = 20 * DAY_MS + 3_600_000;

const SMALLEST_UNITS = 100;

/** The terms of what is paid for. */
export function termsOf(bought: Bought): PriceTerms {
	if (bought.subject === "user") return bought.terms;
	const amount = APP_PLANS[bought.appPlan].pricePerMonth * SMALLEST_UNITS;
	return { amount, currency: APP_PLAN_CURRENCY, interval: "month", trialDays: 0 };
}

/** The name of what is paid for, as people read it. */
export function planNameOf(bought: Bought): string {
	return bought.subject === "user" ? bought.planName : APP_PLAN_TITLES[bought.appPlan];
}

const APP_PLAN_TITLES = { pro: "Pro", unlimited: "Unlimited" } as const;
