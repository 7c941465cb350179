import { PAID_OWN_PLAN_KEYS, type PaidOwnPlanKey, type TaxBehavior } from "@svc/base/enumerations";
import { APP_PLAN_TITLES, appPriceId, monthlyTerms } from "./app-plans.ts";
import type { Bought, PriceTerms } from "./plan.ts";

/* What is paid for, as it is shown and counted. */

/** What the service itself sells: tiers of storages, and the monthly plans of Apps. */
export type OwnGoods = "tier" | "app_plan";

const DAY_MS = 86_400_000;
/** The law gives 14 days; it is offered and honoured for longer (specification, "Limits"). */
export const WITHDRAWAL_MS = 20 * DAY_MS + 3_600_000;

/** The terms of what is paid for. */
export function termsOf(bought: Bought): PriceTerms {
	return bought.subject === "user" ? bought.terms : monthlyTerms(bought.appPlan);
}

/** The id of its price; the service has some of its own, for plans of Apps. */
export function priceIdOf(bought: Bought): string {
	return bought.subject === "user" ? bought.priceId : appPriceId(bought.appPlan);
}

/** Whether what is paid for holds its tax; null where none is taken. */
export function taxBehaviorOf(bought: Bought): TaxBehavior | null {
	return bought.subject === "user" ? bought.taxBehavior : null;
}

/** The name of what is paid for, as people read it. */
export function planNameOf(bought: Bought): string {
	return bought.subject === "user" ? bought.planName : APP_PLAN_TITLES[bought.appPlan];
}

/** Which of the service's own goods it is, where the service sells it: a tier has a price of ours. */
export function goodsOf({ subject }: Bought): OwnGoods {
	return subject === "user" ? "tier" : "app_plan";
}

/** What an App pays for itself: a plan, or a tier of its storage. */
export function ownPlanKeyOf(bought: Bought): PaidOwnPlanKey {
	if (bought.subject === "app") return bought.appPlan;
	const key = PAID_OWN_PLAN_KEYS.find((one) => one === bought.planKey);
	if (!key) throw new Error("This is nothing that an App buys for itself.");
	return key;
}
