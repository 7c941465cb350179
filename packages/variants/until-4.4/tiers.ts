import type { Access } from "@svc/apps/access";
import type { Addresses } from "@svc/base/addresses";
import type { Tier } from "@svc/base/enumerations";

/* The tiers of storages, as the older billing status lists them; where they are sold these are their prices. */

export interface TierLimits {
	readonly name: string;
	readonly monthlyUploads: number;
	readonly storageBytes: number;
	/** Whole currency units a month. */
	readonly pricePerMonth: number;
	readonly upgradeTo: Tier | null;
}

const GB = 1_000_000_000;
const SMALLEST_UNITS = 100;

export const TIER_CURRENCY = "usd";

export const TIERS: Readonly<Record<Tier, TierLimits>> = {
	free: { name: "Free", monthlyUploads: 1_000, storageBytes: 10 * GB, pricePerMonth: 0, upgradeTo: "pro" },
	pro: { name: "Pro", monthlyUploads: 10_000, storageBytes: 100 * GB, pricePerMonth: 29, upgradeTo: "scale" },
	scale: { name: "Scale", monthlyUploads: 50_000, storageBytes: 500 * GB, pricePerMonth: 99, upgradeTo: "max" },
	max: { name: "Max", monthlyUploads: 200_000, storageBytes: 2_000 * GB, pricePerMonth: 199, upgradeTo: null },
};

/** How often a tier is paid for, and for how many months each time. */
const TIER_TERMS = { monthly: 1, annual: 12 } as const;

export type TierTerm = keyof typeof TIER_TERMS;

/** The amount in the smallest unit of `TIER_CURRENCY`. A year costs what its months do. */
export function tierAmount(tier: Tier, term: TierTerm): number {
	return TIERS[tier].pricePerMonth * SMALLEST_UNITS * TIER_TERMS[term];
}

/** The page for what people have in no App. */
export const PERSONAL_PLAN_PATH = "/account/plan";

/**
 * The page on which its user changes a storage's plan. For an App's users that is the hosted billing card, to which the App adds its
 * `redirect_uri`, and may add `state`; what belongs to no App has a page that needs nothing more.
 */
export function billingUrl({ app, storage }: Pick<Access, "app" | "storage">, { web }: Pick<Addresses, "web">): string {
	if (storage.kind === "personal") return `${web}${PERSONAL_PLAN_PATH}`;
	return `${web}/billing?${new URLSearchParams({ app: app.id })}`;
}
