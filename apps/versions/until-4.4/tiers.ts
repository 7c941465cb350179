import type { Tier } from "@svc/base/enumerations";

/* The tiers of storages, as the older billing status lists them; where they are sold these are their prices. */

interface TierLimits {
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
