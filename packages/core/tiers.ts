import type { Access } from "./access.ts";
import type { AppPlan } from "./plans.ts";
import { type Quota, UNBOUNDED } from "./quotas.ts";
import type { Allowance } from "./usage.ts";

/** What a storage may take in, where the interface sells storages rather than Apps (specification, "Limits", [L]). */
export type Tier = "free" | "pro" | "scale" | "max";

export interface TierLimits {
	readonly name: string;
	readonly monthlyUploads: number;
	readonly storageBytes: number;
	/** Whole currency units a month. */
	readonly pricePerMonth: number;
	readonly upgradeTo: Tier | null;
}

const GB = 1_000_000_000;

export const TIERS: Readonly<Record<Tier, TierLimits>> = {
	free: { name: "Free", monthlyUploads: 1_000, storageBytes: 10 * GB, pricePerMonth: 0, upgradeTo: "pro" },
	pro: { name: "Pro", monthlyUploads: 10_000, storageBytes: 100 * GB, pricePerMonth: 29, upgradeTo: "scale" },
	scale: { name: "Scale", monthlyUploads: 50_000, storageBytes: 500 * GB, pricePerMonth: 99, upgradeTo: "max" },
	max: { name: "Max", monthlyUploads: 200_000, storageBytes: 2_000 * GB, pricePerMonth: 199, upgradeTo: null },
};

/** What an App pays for itself counts for its own storage. */
const TIER_OF_PLAN: Readonly<Record<AppPlan, Tier>> = { free: "free", pro: "pro", unlimited: "max" };

type Place = Pick<Access, "app" | "storage">;

export function tierOf({ app, storage }: Place): Tier {
	return storage.kind === "app" ? TIER_OF_PLAN[app.plan] : storage.tier;
}

export function tierAllowance(place: Place): Allowance {
	const plan = tierOf(place);
	const { monthlyUploads, storageBytes } = TIERS[plan];
	return { plan, uploadsLimit: monthlyUploads, bytesLimit: storageBytes, imagesLimit: null, usersLimit: null };
}

/** The anonymous pool has no bound of its own: each caller has, and nothing in it stays for long. */
export function tierQuota(place: Place): Quota {
	if (place.storage.kind === "anonymous") return UNBOUNDED;
	const { uploadsLimit, bytesLimit } = tierAllowance(place);
	return { appImages: null, uploads: uploadsLimit, bytes: bytesLimit };
}
