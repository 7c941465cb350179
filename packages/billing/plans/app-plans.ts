import type { App } from "@svc/apps/access";
import { APP_PLAN_CURRENCY, APP_PLANS, bestPlan } from "@svc/apps/profile/app-plan";
import type { Apps } from "@svc/apps/room";
import {
	APP_PLAN_NAMES,
	type AppPlan,
	type Interval,
	type OwnPlanKey,
	PAID_APP_PLANS,
	type PaidAppPlan,
	type PaidOwnPlanKey,
	type Tier,
} from "@svc/base/enumerations";
import { imagesLimit, usersLimit } from "@svc/images/usage/usage";
import type { ChosenGoods, PriceTerms } from "./plan.ts";
import type { planStore } from "./plans-store.ts";

/* What an App can have and pay for itself: one price list for what is advertised and what is charged. */

/** What can be bought for an App at this price. */
export interface AppOffer {
	readonly key: PaidOwnPlanKey;
	readonly terms: PriceTerms;
	/** What the payer reads. */
	readonly title: string;
	/** Our own name of the price, under which the processor knows it. */
	readonly priceId: string;
	readonly bought: ChosenGoods;
}

/** A plan as a list shows it, with all prices at which it is sold. */
interface ListedAppPlan {
	readonly key: AppPlan | Tier;
	readonly limits: { readonly images: number | null; readonly users: number | null };
	readonly monthlyUploads: number;
	readonly storageBytes: number;
	/** In whole units of the currency. */
	readonly pricePerMonth: number;
	readonly currency: string;
	readonly prices: readonly Pick<PriceTerms, "amount" | "currency" | "interval">[];
}

export type WatchedLimit =
	| { readonly limit: "images" | "users"; readonly of: Readonly<Record<AppPlan, number | null>> }
	| { readonly limit: "bytes"; readonly of: Readonly<Record<Tier, number>> };

/** The own plans of Apps as an interface version has them. */
export interface AppPlans {
	/** What operators may grant; the first is what an App has without. */
	readonly grants: readonly OwnPlanKey[];
	readonly listed: readonly ListedAppPlan[];
	/** The best of what is paid for and what is granted, in this version's words. */
	best(...keys: readonly (OwnPlanKey | null)[]): AppPlan | Tier;
	/** The plan in force. */
	inForce(app: Pick<App, "plan" | "tier">): AppPlan | Tier;
	/** The limits in force; null for none. */
	limits(app: App): ListedAppPlan["limits"];
	/** What its Owner is told of before it runs out, by the plan in force; null for no limit. Nothing where no limit is enforced. */
	readonly watched: readonly WatchedLimit[];
	/** The page, without its origin, where the Owner sees what there is for this App. */
	page(app: Pick<App, "id">): string;
	/** Undefined for what is not sold. */
	findOffer(
		room: { readonly plans: ReturnType<typeof planStore>; readonly apps: Apps; readonly name: string },
		key: OwnPlanKey,
		interval: Interval,
	): Promise<AppOffer | undefined>;
}

const SMALLEST_UNITS = 100;

/** The plans of Apps, by the month. */
export const monthlyAppPlans: AppPlans = {
	grants: APP_PLAN_NAMES,
	listed: APP_PLAN_NAMES.map(listed),
	best: bestPlan,
	inForce: ({ plan }) => plan,
	watched: [
		{ limit: "images", of: { free: APP_PLANS.free.images, pro: APP_PLANS.pro.images, unlimited: null } },
		{ limit: "users", of: { free: APP_PLANS.free.users, pro: APP_PLANS.pro.users, unlimited: null } },
	],
	page: () => "/account/plans",
	limits: (app) => ({ images: imagesLimit(app), users: usersLimit(app) }),
	async findOffer({ name }, key, interval) {
		const plan = PAID_APP_PLANS.find((one) => one === key);
		return plan && interval === "month" ? monthlyOffer(name, plan) : undefined;
	},
};

function listed(key: AppPlan): ListedAppPlan {
	const { images, users, monthlyUploads, storageBytes, pricePerMonth } = APP_PLANS[key];
	const { amount, currency, interval } = monthlyTerms(key);
	const prices = amount === 0 ? [] : [{ amount, currency, interval }];
	return { key, limits: { images, users }, monthlyUploads, storageBytes, pricePerMonth, currency, prices };
}

function monthlyOffer(service: string, key: PaidAppPlan): AppOffer {
	const bought = { subject: "app", appPlan: key } as const;
	const title = `${service} ${APP_PLAN_TITLES[key]}`;
	return { key, terms: monthlyTerms(key), title, priceId: appPriceId(key), bought };
}

/** Our own name of the price of a plan of an App. The amount is part of it: should it ever change, those who pay the old one keep it. */
export function appPriceId(plan: PaidAppPlan): string {
	const { currency, amount } = monthlyTerms(plan);
	return `app_plan:${plan}:${currency}:${amount}`;
}

/** What a plan of an App costs. */
export function monthlyTerms(plan: AppPlan): PriceTerms {
	const amount = APP_PLANS[plan].pricePerMonth * SMALLEST_UNITS;
	return { amount, currency: APP_PLAN_CURRENCY, interval: "month", trialDays: 0 };
}

export const APP_PLAN_TITLES: Readonly<Record<PaidAppPlan, string>> = { pro: "Pro", unlimited: "Unlimited" };
