import type { Access, App } from "@svc/apps/access";
import { APP_PLANS } from "@svc/apps/profile/app-plan";
import type { AppPlan, Tier } from "@svc/base/enumerations";

/** The limits of a create, which counts itself; null for no limit. */
export interface Quota {
	/** Images over all storages of the App. */
	readonly appImages: number | null;
	/** Images of the storage. */
	readonly images: number | null;
	/** Uploads of the storage in this month. */
	readonly uploads: number | null;
	/** Bytes in the storage. */
	readonly bytes: number | null;
	/** Whether the plan that the storage's user has limits it besides. */
	readonly ofUser: boolean;
}

/** What the plan of a user lets their storage hold, or what they have without one; null for no limit. */
export interface HeldLimits {
	readonly images: number | null;
	readonly bytes: number | null;
	/** Null: they have none. */
	readonly plan: { readonly key: string; readonly name: string } | null;
}

export type QuotaOf = (access: Pick<Access, "app" | "storage">) => Quota;

export const UNBOUNDED: Quota = { appImages: null, images: null, uploads: null, bytes: null, ofUser: false };

/** The limits of the App's own plan. A person's own storage is in no App that pays: it has the free plan for itself. */
export function appQuota({ app, storage }: Pick<Access, "app" | "storage">): Quota {
	if (storage.kind === "personal") return { ...UNBOUNDED, images: APP_PLANS.free.images };
	return { ...UNBOUNDED, appImages: imagesLimit(app), ofUser: app.limitsUsers && storage.kind === "user" };
}

export function isUnbounded({ appImages, images, uploads, bytes, ofUser }: Quota): boolean {
	return appImages === null && images === null && uploads === null && bytes === null && !ofUser;
}

function reached(limit: number | null, used: number): boolean {
	return limit !== null && used >= limit;
}

/** Whether there is no space even for the smallest image. */
export function isFull(quota: Quota, counted: StorageUsage): boolean {
	return (
		reachesMonth(quota, counted) ||
		reached(quota.appImages, counted.appImages) ||
		reached(quota.images, counted.images) ||
		reached(quota.bytes, counted.bytes) ||
		reached(counted.held?.images ?? null, counted.images) ||
		reached(counted.held?.bytes ?? null, counted.bytes)
	);
}

/** Whether this month allows no more uploads; deleting images does not change that. */
export function reachesMonth(quota: Quota, counted: StorageUsage): boolean {
	return reached(quota.uploads, counted.uploadsThisMonth);
}

/** Whether that many bytes more would not fit. */
export function overruns(quota: Quota, counted: StorageUsage, bytes: number): boolean {
	const limits = [quota.bytes, counted.held?.bytes ?? null];
	return limits.some((limit) => limit !== null && counted.bytes + bytes > limit);
}

/** The counters of one storage, and of the whole App that it belongs to. */
export interface StorageUsage {
	readonly uploadsThisMonth: number;
	readonly images: number;
	readonly bytes: number;
	readonly appImages: number;
	readonly appUsers: number;
	/** Where a plan limits the storage, and that was asked. */
	readonly held?: HeldLimits | undefined;
}

/** The limits of a storage and its App; how much of them is enforced is a {@link Quota}. */
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

/** The UTC day within its month as `07`. */
export function dayOfMonth(nowMs: number): string {
	return new Date(nowMs).toISOString().slice(8, 10);
}

export function imagesLimit(app: App): number | null {
	return app.imagesLimit ?? APP_PLANS[app.plan].images;
}

export function usersLimit(app: App): number | null {
	return app.usersLimit ?? APP_PLANS[app.plan].users;
}

/** The limits of the App's own plan; of a person's own storage those of the free one. */
export function appAllowance({ app, storage }: Pick<Access, "app" | "storage">): Allowance {
	const own =
		storage.kind === "personal" ? ({ ...app, plan: "free", imagesLimit: null, usersLimit: null } as const) : app;
	const { monthlyUploads, storageBytes } = APP_PLANS[own.plan];
	return {
		plan: own.plan,
		uploadsLimit: monthlyUploads,
		bytesLimit: storageBytes,
		imagesLimit: imagesLimit(own),
		usersLimit: usersLimit(own),
	};
}

export function usageOf(allowance: Allowance, counted: StorageUsage, nowMs: number): Usage {
	const now = new Date(nowMs);
	return { ...counted, ...allowance, resetsMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) };
}

/* An App's usage as its team sees it, besides the counters that a key sees. */

/** One storage of an App. */
export interface UserUsage {
	/** The pk of the storage. */
	readonly pk: number;
	/** Null: the App storage. */
	readonly userId: string | null;
	readonly images: number;
	readonly bytes: number;
	/** In the current month. */
	readonly uploads: number;
}

export interface MonthUploads {
	/** Months since year 0, so that months have an order. */
	readonly pk: number;
	/** UTC, as `2026-11`. */
	readonly month: string;
	readonly uploads: number;
}

export function monthNumber(month: string): number {
	const [year, number] = month.split("-").map(Number);
	return (year ?? 0) * 12 + (number ?? 1) - 1;
}

/** The opposite of {@link monthNumber}. */
export function monthText(number: number): string {
	return `${String(Math.floor(number / 12)).padStart(4, "0")}-${String((number % 12) + 1).padStart(2, "0")}`;
}

/** How often a label is used, counted up to a maximum. */
export interface LabelCount {
	readonly key: string;
	readonly value: string;
	readonly count: number;
	/** Counting stopped there. */
	readonly more: boolean;
}

/** The most labels that are listed, and the most images that are counted for each. */
export const LABELS_MAX = 1_000;
