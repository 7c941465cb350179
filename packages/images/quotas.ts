import type { Access } from "@svc/apps/access";
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

/** With a bound, in bytes, for the pool that all share who create without a key: what everybody may fill, nobody pays for. */
export function withPoolBound(quotaOf: QuotaOf, maxBytes: number): QuotaOf {
	return (access) => {
		const quota = quotaOf(access);
		return access.storage.kind === "anonymous" ? { ...quota, bytes: maxBytes } : quota;
	};
}

export function isUnbounded({ appImages, uploads, bytes }: Quota): boolean {
	return appImages === null && uploads === null && bytes === null;
}

function reached(limit: number | null, used: number): boolean {
	return limit !== null && used >= limit;
}

/** Whether there is no room for one image more, be it the smallest. */
export function isFull(quota: Quota, counted: StorageUsage): boolean {
	return (
		reachesMonth(quota, counted) || reached(quota.appImages, counted.appImages) || reached(quota.bytes, counted.bytes)
	);
}

/** Whether this month takes no upload more; deleting images does not change that. */
export function reachesMonth(quota: Quota, counted: StorageUsage): boolean {
	return reached(quota.uploads, counted.uploadsThisMonth);
}

/** Whether that many bytes more would not fit. */
export function overruns(quota: Quota, counted: StorageUsage, bytes: number): boolean {
	return quota.bytes !== null && counted.bytes + bytes > quota.bytes;
}
