import { Conflict } from "@svc/base/conflicts";
import { type Interval, TIER_NAMES, type Tier } from "@svc/base/enumerations";
import { newId } from "@svc/base/ids";
import type { Clock } from "@svc/base/ports";
import type { Payer } from "@svc/billing/payers/payers";
import type { PlanPrice } from "@svc/billing/plans/plan";
import type { Billing } from "@svc/billing/room";
import { TIER_CURRENCY, TIERS, type TierTerm, tierAmount } from "../until-4.4/tiers.ts";
import type { TierPlan, TierPlanStore } from "./tier-plans-store.ts";

/* The tiers as plans that the service's own App sells. */

/** The tiers that have a price; a storage has the other one without paying. */
export type PaidTier = Exclude<Tier, "free">;

const PAID_TIERS = TIER_NAMES.filter((tier) => tier !== "free");

const TERMS: Readonly<Record<Interval, TierTerm>> = { month: "monthly", year: "annual" };

export async function offerTiers(store: TierPlanStore, clock: Clock): Promise<void> {
	await store.offer(PAID_TIERS.map(planOf), clock.now());
}

function planOf(key: PaidTier, place: number): TierPlan {
	const terms = Object.entries(TERMS) as readonly [Interval, TierTerm][];
	return {
		id: newId("pln"),
		key,
		name: TIERS[key].name,
		displayOrder: place + 1,
		prices: terms.map(([interval, term]) => ({
			id: newId("prc"),
			amount: tierAmount(key, term),
			currency: TIER_CURRENCY,
			interval,
		})),
	};
}

/**
 * The price of what was chosen on the card.
 * @throws Failure state_conflict for what is not sold, the free tier above all
 */
export async function getTierPrice(
	room: { readonly plans: Pick<Billing["plans"], "listOnSale"> },
	payer: Payer,
	chosen: { readonly plan: string | undefined; readonly interval: string | undefined },
): Promise<PlanPrice> {
	const plans = await room.plans.listOnSale(payer.seller.pk, { limit: PAID_TIERS.length, afterPk: undefined });
	const plan = plans.find(({ key }) => key === chosen.plan);
	const price = plan?.prices.find(({ interval }) => TERMS[interval] === chosen.interval);
	if (!price) throw new Conflict("choose_plan");
	return price;
}

export function termOf({ interval }: Pick<PlanPrice, "interval">): TierTerm {
	return TERMS[interval];
}
