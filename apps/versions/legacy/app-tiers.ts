import { TIER_OF } from "@svc/apps/profile/app-plan";
import { INTERVALS, TIER_NAMES, type Tier } from "@svc/base/enumerations";
import type { AppOffer, AppPlans } from "@svc/billing/plans/app-plans";
import { TIER_CURRENCY, TIERS, tierAmount } from "../until-4.4/tiers.ts";
import { appPlanPath } from "./own-cards.ts";
import { termOf } from "./tier-plans.ts";

/* What an App can pay for its own storage: the tiers, at the prices of all storages. */

const NO_LIMITS = { images: null, users: null };

export const tierAppPlans: AppPlans = {
	grants: TIER_NAMES,
	listed: TIER_NAMES.map(listed),
	best,
	inForce: ({ tier }) => tier,
	watched: [
		{
			limit: "bytes",
			of: {
				free: TIERS.free.storageBytes,
				pro: TIERS.pro.storageBytes,
				scale: TIERS.scale.storageBytes,
				max: TIERS.max.storageBytes,
			},
		},
	],
	page: appPlanPath,
	// Tiers limit uploads and bytes.
	limits: () => NO_LIMITS,
	async findOffer({ apps, plans }, key, interval): Promise<AppOffer | undefined> {
		const own = await apps.ownApp.find();
		if (!own || key === "free" || key === "unlimited") return undefined;
		const sold = await plans.listOnSale(own.app.pk, { limit: TIER_NAMES.length, afterPk: undefined });
		const plan = sold.find((one) => one.key === key);
		const price = plan?.prices.find((one) => one.interval === interval);
		if (!plan || !price) return undefined;
		const { pk: pricePk, id: priceId, amount, currency } = price;
		const bought = { subject: "user", pricePk, appPlan: key } as const;
		return { key, terms: { amount, currency, interval, trialDays: 0 }, title: plan.name, priceId, bought };
	},
};

function listed(key: Tier): AppPlans["listed"][number] {
	const { monthlyUploads, storageBytes, pricePerMonth } = TIERS[key];
	const prices = INTERVALS.map((interval) => ({
		amount: tierAmount(key, termOf({ interval })),
		currency: TIER_CURRENCY,
		interval,
	}));
	return {
		key,
		limits: NO_LIMITS,
		monthlyUploads,
		storageBytes,
		pricePerMonth,
		currency: TIER_CURRENCY,
		prices: key === "free" ? [] : prices,
	};
}

/** The best of these, as a tier; null stands for nothing. */
function best(...keys: readonly (keyof typeof TIER_OF | null)[]): Tier {
	const known = keys.map((key) => TIER_OF[key ?? "free"]);
	return TIER_NAMES.findLast((tier) => known.includes(tier)) ?? "free";
}
