import type { Database } from "@svc/base/database/client";
import { appUsage, monthlyUsage, storages } from "@svc/base/database/schema/apps";
import { Failure } from "@svc/base/failure";
import { and, eq, sql } from "drizzle-orm";
import { monthOf, type StorageUsage } from "./usage.ts";

export type UsageStore = ReturnType<typeof usageStore>;

export function usageStore({ queries, read }: Database) {
	const counters = queries
		.select({
			uploadsThisMonth: sql<number>`coalesce(${monthlyUsage.uploads}, 0)`,
			images: storages.images,
			bytes: storages.bytes,
			appImages: appUsage.images,
			appUsers: appUsage.users,
		})
		.from(storages)
		.innerJoin(appUsage, eq(appUsage.appPk, storages.appPk))
		.leftJoin(
			monthlyUsage,
			and(eq(monthlyUsage.storagePk, storages.pk), eq(monthlyUsage.month, sql.placeholder("month"))),
		)
		.where(eq(storages.pk, sql.placeholder("storagePk")))
		.prepare();

	return {
		/** Counters of one storage and of its whole App, for the UTC month that `nowMs` lies in. */
		async read(storagePk: number, nowMs: number): Promise<StorageUsage> {
			const [row] = await read(() => counters.all({ storagePk, month: monthOf(nowMs) }));
			// Its key was found a moment ago: the storage has been deleted in between.
			if (row === undefined) throw new Failure("workspace_unavailable");
			return row;
		},
	};
}
