import type { App } from "@svc/apps/access";
import { APP_PLANS } from "@svc/apps/app-plan";
import type { AppPlan, Tier } from "@svc/base/enumerations";

/** What is counted: one storage, and the whole App that it belongs to. */
export interface StorageUsage {
	readonly uploadsThisMonth: number;
	readonly images: number;
	readonly bytes: number;
	readonly appImages: number;
	readonly appUsers: number;
}

/** What a storage, and the App that it belongs to, may take in; how much of it is enforced is a {@link Quota}. */
export interface Allowance {
	readonly plan: AppPlan | Tier;
	/** A month. */
	readonly uploadsLimit: number;
	readonly bytesLimit: number;
	/** Null: no limit. */
	readonly imagesLimit: number | null;
	readonly usersLimit: number | null;
}

export interface Usage extends StorageUsage, Allowance {
	/** The first of next month, 00:00 UTC. */
	readonly resetsMs: number;
}

/** The UTC month as `2026-11`. */
export function monthOf(nowMs: number): string {
	return new Date(nowMs).toISOString().slice(0, 7);
}

export function imagesLimit(app: App): number | null {
	return app.imagesLimit ?? APP_PLANS[app.plan].images;
}

export function usersLimit(app: App): number | null {
	return app.usersLimit ?? APP_PLANS[app.plan].users;
}

/** By the App's own plan. */
export function appAllowance({ app }: { readonly app: App }): Allowance {
	const plan = APP_PLANS[app.plan];
	return {
		plan: app.plan,
		uploadsLimit: plan.monthlyUploads,
		bytesLimit: plan.storageBytes,
		imagesLimit: imagesLimit(app),
		usersLimit: usersLimit(app),
	};
}

export function usageOf(allowance: Allowance, counted: StorageUsage, nowMs: number): Usage {
	const now = new Date(nowMs);
	return { ...counted, ...allowance, resetsMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) };
}
