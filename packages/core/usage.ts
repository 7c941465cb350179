import type { App } from "./access.ts";
import { APP_PLANS, type AppPlan } from "./plans.ts";

/** What is counted: one storage, and the whole App that it belongs to. */
export interface StorageUsage {
	readonly uploadsThisMonth: number;
	readonly images: number;
	readonly bytes: number;
	readonly appImages: number;
	readonly appUsers: number;
}

export interface Usage extends StorageUsage {
	readonly plan: AppPlan;
	readonly uploadsLimit: number;
	readonly bytesLimit: number;
	/** Null: no limit. */
	readonly imagesLimit: number | null;
	readonly usersLimit: number | null;
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

export function usageOf(app: App, counted: StorageUsage, nowMs: number): Usage {
	const plan = APP_PLANS[app.plan];
	const now = new Date(nowMs);
	return {
		...counted,
		plan: app.plan,
		uploadsLimit: plan.monthlyUploads,
		bytesLimit: plan.storageBytes,
		imagesLimit: imagesLimit(app),
		usersLimit: usersLimit(app),
		resetsMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1),
	};
}
