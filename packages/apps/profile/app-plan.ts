import { APP_PLAN_NAMES, type AppPlan, type OwnPlanKey, type Tier } from "@svc/base/enumerations";

export interface AppPlanLimits {
	/** Images over all storages of the App; null for no limit. */
	readonly images: number | null;
	/** Connected users; null for no limit. */
	readonly users: number | null;
	/** Informational: shown, never enforced. */
	readonly monthlyUploads: number;
	/** Informational: shown, never enforced. */
	readonly storageBytes: number;
	/** Whole currency units a month. */
	readonly pricePerMonth: number;
	readonly upgradeTo: AppPlan | null;
}

/** The currency of {@link AppPlanLimits.pricePerMonth}; it has a hundred smallest units. */
export const APP_PLAN_CURRENCY = "usd";

// The fields are integers, so "no limit" is the largest integer that JSON carries exactly.
const WITHOUT_END = Number.MAX_SAFE_INTEGER;

export const APP_PLANS = {
	free: {
		images: 5_000,
		users: 50,
		monthlyUploads: 5_000,
		storageBytes: 100_000_000_000,
		pricePerMonth: 0,
		upgradeTo: "pro",
	},
	pro: {
		images: 50_000,
		users: 500,
		monthlyUploads: 50_000,
		storageBytes: 1_000_000_000_000,
		pricePerMonth: 20,
		upgradeTo: "unlimited",
	},
	unlimited: {
		images: null,
		users: null,
		monthlyUploads: WITHOUT_END,
		storageBytes: WITHOUT_END,
		pricePerMonth: 100,
		upgradeTo: null,
	},
} as const satisfies Record<AppPlan, AppPlanLimits>;

/** What each thing that an App can pay for is worth as a plan: who paid for it keeps as much to the end of the term. */
export const WORTH: Readonly<Record<OwnPlanKey, AppPlan>> = {
	free: "free",
	pro: "pro",
	scale: "pro",
	max: "unlimited",
	unlimited: "unlimited",
};

/** The same as the tier of its storage. */
export const TIER_OF: Readonly<Record<OwnPlanKey, Tier>> = {
	free: "free",
	pro: "pro",
	scale: "scale",
	max: "max",
	unlimited: "max",
};

/** The best of these, as a plan; null stands for nothing. */
export function bestPlan(...keys: readonly (OwnPlanKey | null)[]): AppPlan {
	const known = keys.map((key) => WORTH[key ?? "free"]);
	return APP_PLAN_NAMES.findLast((plan) => known.includes(plan)) ?? "free";
}
