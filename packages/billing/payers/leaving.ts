import type { Step } from "@svc/base/database/step";
import type { Billing } from "../room.ts";
import type { OwnPlan } from "../subscription.ts";
import { type OwnPayer, withdrawalOf } from "./own-plans.ts";
import { mayWithdraw } from "./user-billing.ts";

/* Who leaves an App, or all of them, may still take back what they have just paid for. */

const PLANS_MAX = 1_000;

/** The plans for what one has in an App that can still be withdrawn from; without an App all for what one has anywhere. What an App has stays its own. */
export async function listWithdrawable(
	room: Billing,
	account: { readonly pk: number },
	appId?: string,
): Promise<readonly OwnPlan[]> {
	const plans = await room.ownPlans.list(account.pk, { limit: PLANS_MAX, beforePk: undefined });
	const now = room.clock.now();
	return plans.filter(({ storage, app, ...plan }) => {
		const isMeant = appId === undefined ? storage !== "app" : storage === "user" && app?.id === appId;
		return isMeant && mayWithdraw(plan, now);
	});
}

/** Withdraws from plans in the commit that ends their payer's connection or account: it is refused as a whole where one of them has just ended. */
export async function withdrawalSteps(
	room: Billing,
	payer: OwnPayer,
	plans: readonly OwnPlan[],
): Promise<readonly Step<"plan_ended">[]> {
	const withdrawals = await Promise.all(plans.map((plan) => withdrawalOf(room, plan, payer)));
	return withdrawals.flatMap(room.subscriptions.withdrawalSteps);
}
