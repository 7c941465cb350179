import type { Database } from "@svc/base/database/client";
import { rowsOf } from "@svc/base/database/rows";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, members, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { untilChanged } from "@svc/base/database/until-changed";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { App, Storage } from "../access.ts";
import type { AppRecord, Membership } from "../app-record.ts";
import { toProfile } from "../profile/app-profile.ts";

export type MembershipStore = ReturnType<typeof membershipStore>;

export function membershipStore(database: Database) {
	const byMember = selectMemberships(database)
		.where(
			and(
				eq(apps.id, sql.placeholder("appId")),
				eq(members.accountPk, sql.placeholder("accountPk")),
				isNull(apps.deletingMs),
			),
		)
		.prepare();
	const userStorage = database.queries
		.select(storageFields)
		.from(connections)
		.innerJoin(storages, eq(storages.pk, connections.storagePk))
		.innerJoin(accounts, eq(accounts.pk, connections.accountPk))
		.where(
			and(
				eq(connections.userId, sql.placeholder("userId")),
				eq(connections.appPk, sql.placeholder("appPk")),
				eq(connections.state, "connected"),
				eq(accounts.status, "active"),
				eq(storages.state, "active"),
			),
		)
		.prepare();
	const findUserStorage = async (appPk: number, userId: string): Promise<Storage | undefined> => {
		const [row] = await database.read(() => userStorage.all({ appPk, userId }));
		return row;
	};
	const find = async (appId: string, accountPk: number): Promise<Membership | undefined> => {
		const [row] = await database.read(() => byMember.all({ appId, accountPk }));
		return row && { ...row, app: toAppRecord(row.app) };
	};
	return {
		/** Undefined for an App that does not exist, is being deleted, or has no such member: a caller cannot tell which. */
		find: untilChanged(database, {
			find,
			sql: byMember.getQuery().sql,
			nameOf: (appId, accountPk) => `${accountPk} ${appId}`,
			rowsOf: ({ storage }) => [rowsOf.storages(storage.pk)],
		}),
		/** An App that a key of it has led to. */
		async findApp(appPk: number): Promise<AppRecord | undefined> {
			const [row] = await database.read(() => database.queries.select().from(apps).where(eq(apps.pk, appPk)));
			return row && toAppRecord(row);
		},
		/** The storage of a connected user of this App; undefined unless connected. */
		findUserStorage: untilChanged(database, {
			find: findUserStorage,
			sql: userStorage.getQuery().sql,
			nameOf: (appPk, userId) => `${appPk} ${userId}`,
			rowsOf: ({ pk }) => [rowsOf.storages(pk)],
		}),
	};
}

/** What a query selects from storages to make a {@link Storage}. */
export const storageFields = {
	pk: storages.pk,
	id: storages.id,
	teamHash: storages.teamHash,
	kind: storages.kind,
	state: storages.state,
	tier: storages.tier,
	publicByDefault: storages.publicByDefault,
};

/** Selects members with their Apps and the App storages. */
function selectMemberships({ queries }: Pick<Database, "queries">) {
	return queries
		.select({ app: apps, role: members.role, storage: storageFields })
		.from(members)
		.innerJoin(apps, eq(apps.pk, members.appPk))
		.innerJoin(storages, and(eq(storages.appPk, apps.pk), sql`${storages.kind} = 'app'`));
}

export function toAppRecord(app: typeof apps.$inferSelect): AppRecord {
	return { ...app, ...toApp(app), profile: toProfile(app.profile) };
}

export function toApp({ pausedMs, blockedMs, ...row }: typeof apps.$inferSelect): App {
	const { pk, id, name, plan, tier, imagesLimit, usersLimit, limitsUsers } = row;
	const state = { paused: pausedMs !== null, blocked: blockedMs !== null };
	return { pk, id, name, plan, tier, imagesLimit, usersLimit, limitsUsers, ...state };
}
