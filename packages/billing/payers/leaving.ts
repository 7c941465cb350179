import type { Billing } from "../room.ts";
import { type OwnPlan, type Payer, withdrawOwnPlan } from "./own-plans.ts";
import { mayWithdraw } from "./user-billing.ts";

/* Who leaves an App may still take back what they have just paid for there. */

const PLANS_MAX = 1_000;

/** The plans for what one has in an App that can still be withdrawn from. */
export async function listWithdrawable(
	room: Billing,
	account: { readonly pk: number },
	appId: string,
): Promise<readonly OwnPlan[]> {
	const plans = await room.ownPlans.list(account.pk, { limit: PLANS_MAX, beforePk: undefined });
	const now = room.clock.now();
	return plans.filter((plan) => plan.storage === "user" && plan.app?.id === appId && mayWithdraw(plan, now));
}

/**
 * Withdraws from plans of an App that is about to be left. It comes first, since a connection that has ended ends its plans without paying back:
 * whoever is cut off in between has their money, and may ask to leave again.
 * @throws Failure state_conflict for a plan that has just ended
 */
export async function withdrawBeforeLeaving(room: Billing, payer: Payer, plans: readonly OwnPlan[]): Promise<void> {
	for (const { id } of plans) await withdrawOwnPlan(room, payer, id);
}
