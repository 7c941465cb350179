import type { Access } from "./access.ts";
import { imagesLimit, type StorageUsage } from "./usage.ts";

/** What a create may not exceed, itself included; null for no bound. */
export interface Quota {
	/** Images over all storages of the App. */
	readonly appImages: number | null;
	/** Uploads of the storage in this month. */
	readonly uploads: number | null;
	/** Bytes in the storage. */
	readonly bytes: number | null;
}

export type QuotaOf = (access: Pick<Access, "app" | "storage">) => Quota;

export const UNBOUNDED: Quota = { appImages: null, uploads: null, bytes: null };

/** By the App's own plan. */
export function appQuota({ app }: Pick<Access, "app">): Quota {
	return { ...UNBOUNDED, appImages: imagesLimit(app) };
}

/** Whether there is no room for one image more, be it the smallest. */
export function isFull(quota: Quota, counted: StorageUsage): boolean {
	const reached = (limit: number | null, used: number) => limit !== null && used >= limit;
	return (
		reached(quota.appImages, counted.appImages) ||
		reached(quota.uploads, counted.uploadsThisMonth) ||
		reached(quota.bytes, counted.bytes)
	);
}
