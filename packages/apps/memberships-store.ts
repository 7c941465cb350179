import type { Database } from "@svc/base/database/client";
import { apps, members, storages } from "@svc/base/database/schema/apps";
import { and, eq, isNull, sql } from "drizzle-orm";
import { storageFields, toApp } from "./app-rows-store.ts";
import type { AppRecord } from "./apps.ts";
import type { Membership } from "./team.ts";

export interface MembershipStore {
	/** Undefined for an App that does not exist, is being deleted, or has no such member: nobody can tell which. */
	find(appId: string, accountPk: number): Promise<Membership | undefined>;
}

export function membershipStore(database: Database): MembershipStore {
	const find = selectMemberships(database)
		.where(
			and(
				eq(apps.id, sql.placeholder("appId")),
				eq(members.accountPk, sql.placeholder("accountPk")),
				isNull(apps.deletingMs),
			),
		)
		.prepare();
	return {
		async find(appId, accountPk) {
			const [row] = await database.read(() => find.all({ appId, accountPk }));
			return row && { ...row, app: toAppRecord(row.app) };
		},
	};
}

/** Members with their Apps and these with their own storages. */
export function selectMemberships({ queries }: Pick<Database, "queries">) {
	return queries
		.select({
			app: apps,
			role: members.role,
			storage: storageFields,
		})
		.from(members)
		.innerJoin(apps, eq(apps.pk, members.appPk))
		.innerJoin(storages, and(eq(storages.appPk, apps.pk), sql`${storages.kind} = 'app'`));
}

export function toAppRecord(app: typeof apps.$inferSelect): AppRecord {
	const { pausedMs, blockedMs, blockReason, signIn, selling, createdMs } = app;
	return {
		...toApp(app),
		pausedMs,
		blockedMs,
		blockReason,
		signIn,
		selling,
		createdMs,
	};
}
