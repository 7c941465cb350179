import { conflict } from "@svc/apps/authority";
import type { Interval } from "@svc/base/enumerations";
import { newId } from "@svc/base/ids";
import type { Clock } from "@svc/base/ports";
import type { Payer } from "./billing-card.ts";
import type { Price } from "./plans.ts";
import type { PlanStore } from "./plans-store.ts";
import type { TierPlan, TierPlanStore } from "./tier-plans-store.ts";
import { PAID_TIERS, type PaidTier, TIER_CURRENCY, TIERS, type TierTerm, tierAmount } from "./tiers.ts";

/* The tiers as plans that the service itself sells: they are bought, changed and left as those of Apps are. */

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
	room: { readonly plans: Pick<PlanStore, "listOnSale"> },
	payer: Payer,
	chosen: { readonly plan: string | undefined; readonly interval: string | undefined },
): Promise<Price> {
	const plans = await room.plans.listOnSale(payer.seller.pk, { limit: PAID_TIERS.length, afterPk: undefined });
	const plan = plans.find(({ key }) => key === chosen.plan);
	const price = plan?.prices.find(({ interval }) => TERMS[interval] === chosen.interval);
	if (!price) throw conflict("Choose one of the plans, and how it is paid. The free plan is what there is without.");
	return price;
}

export function termOf({ interval }: Pick<Price, "interval">): TierTerm {
	return TERMS[interval];
}
