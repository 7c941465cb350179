import type { By } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import type { Job, NewJob } from "@svc/jobs/jobs";
import { jobEntry, jobFinds } from "@svc/jobs/jobs-store";
import { and, desc, eq, lt, ne, type SQL, sql } from "drizzle-orm";
import type { ConnectedUser, ConnectionName, NamedConnection, OwnConnection, OwnStorage, UserPage } from "./users.ts";

export interface UserStore {
	/** Newest first, without those who are gone. */
	list(appPk: number, page: UserPage): Promise<readonly ConnectedUser[]>;
	find(appPk: number, userId: string): Promise<ConnectedUser | undefined>;
	/** The Apps that a person is connected to, or is being disconnected from; newest first. Their own storage is none of them. */
	listConnections(accountPk: number, page: Omit<UserPage, "email">): Promise<readonly OwnConnection[]>;
	/** A person's own storage, outside of every App. */
	findOwnStorage(accountPk: number): Promise<OwnStorage | undefined>;
	findConnection(name: ConnectionName): Promise<NamedConnection | undefined>;
	/** One commit: the connection ends, nothing is stored in its storage any more, and the job that empties it is due. */
	disconnect(connection: NamedConnection, job: NewJob<"storage.empty">, by: By): Promise<"moved" | undefined>;
	/** The last job that empties or emptied a storage. */
	findEmptying(storageId: string): Promise<Job | undefined>;
}

export function userStore(database: Database): UserStore {
	const { queries, read, write } = database;
	const jobs = jobFinds(database);
	const selectUsers = (where: SQL | undefined, limit: number) =>
		queries
			.select(userFields)
			.from(connections)
			.innerJoin(accounts, eq(accounts.pk, connections.accountPk))
			.leftJoin(storages, eq(storages.pk, connections.storagePk))
			.where(and(where, ne(connections.state, "gone")))
			.orderBy(desc(connections.pk))
			.limit(limit);

	return {
		async list(appPk, { email, ...page }) {
			const named = email === undefined ? undefined : eq(accounts.emailNorm, email);
			const rows = await read(() => selectUsers(and(eq(connections.appPk, appPk), named, below(page)), page.limit));
			return rows.map(toUser);
		},
		async find(appPk, userId) {
			const where = and(eq(connections.userId, userId), eq(connections.appPk, appPk));
			const [row] = await read(() => selectUsers(where, 1));
			return row && toUser(row);
		},
		async listConnections(accountPk, page) {
			const rows = await read(() =>
				queries
					.select({ ...ownFields, app: { id: apps.id, name: apps.name } })
					.from(connections)
					.innerJoin(apps, eq(apps.pk, connections.appPk))
					.leftJoin(storages, eq(storages.pk, connections.storagePk))
					.where(and(eq(connections.accountPk, accountPk), ne(connections.state, "gone"), isInApp, below(page)))
					.orderBy(desc(connections.pk))
					.limit(page.limit),
			);
			return rows.map(({ state, ...row }) => ({ ...row, state: state === "connected" ? state : "disconnecting" }));
		},
		async findOwnStorage(accountPk) {
			const [row] = await read(() =>
				queries
					.select({ images: storages.images, bytes: storages.bytes })
					.from(storages)
					// Literals, so that its index applies.
					.where(
						and(eq(storages.accountPk, accountPk), sql`${storages.kind} = 'personal' AND ${storages.state} = 'active'`),
					),
			);
			return row;
		},
		async findConnection(name) {
			const where =
				"userId" in name
					? and(eq(connections.userId, name.userId), eq(connections.appPk, name.appPk))
					: and(eq(apps.id, name.appId), eq(connections.accountPk, name.accountPk));
			const [row] = await read(() =>
				queries
					.select({
						pk: connections.pk,
						userId: connections.userId,
						appPk: connections.appPk,
						state: connections.state,
						storage: { pk: storages.pk, id: storages.id },
					})
					.from(connections)
					.innerJoin(apps, eq(apps.pk, connections.appPk))
					.leftJoin(storages, eq(storages.pk, connections.storagePk))
					.where(and(where, isInApp)),
			);
			return row && { ...row, storage: row.storage ?? undefined };
		},
		async disconnect(connection, job, by) {
			const { refused } = await write([
				...disconnectSteps(connection, by.nowMs),
				{ run: jobEntry(job, by.nowMs) },
				{ run: auditBy(by, { appPk: connection.appPk, event: "user.disconnected", target: connection.userId }) },
			]);
			return refused;
		},
		findEmptying: (storageId) => jobs.emptying(storageId),
	};
}

/** What a person keeps outside of every App is held by a connection too, which nobody sees and nobody ends on its own. */
const isInApp = sql`${storages.kind} IS NOT 'personal'`;

function disconnectSteps(
	{ pk, appPk, storage }: Parameters<UserStore["disconnect"]>[0],
	nowMs: number,
): readonly Step<"moved">[] {
	const storagePk = storage?.pk ?? null;
	return [
		{
			// With the very storage that the job will empty: a person who has come back has another one.
			run: sql`UPDATE connections SET state = 'disconnecting', ended_ms = ${nowMs}
				WHERE pk = ${pk} AND state = 'connected' AND storage_pk = ${storagePk}`,
			guard: "moved",
		},
		{
			run: sql`UPDATE storages SET state = 'deleting' WHERE pk = ${storagePk} AND id = ${storage?.id ?? null} AND state = 'active'`,
			guard: "moved",
		},
		{ run: sql`UPDATE app_usage SET users = users - 1 WHERE app_pk = ${appPk}` },
		{ run: sql`UPDATE exchange_codes SET used_ms = ${nowMs} WHERE connection_pk = ${pk} AND used_ms IS NULL` },
	];
}

const ownFields = {
	pk: connections.pk,
	id: connections.id,
	userId: connections.userId,
	state: connections.state,
	images: sql<number>`coalesce(${storages.images}, 0)`,
	bytes: sql<number>`coalesce(${storages.bytes}, 0)`,
	createdMs: connections.createdMs,
};

const userFields = {
	pk: connections.pk,
	id: connections.userId,
	email: accounts.email,
	verifiedMs: accounts.verifiedMs,
	status: accounts.status,
	connection: connections.state,
	images: ownFields.images,
	bytes: ownFields.bytes,
	createdMs: connections.createdMs,
};

interface UserRow {
	readonly pk: number;
	readonly id: string;
	readonly email: string;
	readonly verifiedMs: number | null;
	readonly status: "active" | "disabled" | "deleting";
	readonly connection: "connected" | "disconnecting" | "gone";
	readonly images: number;
	readonly bytes: number;
	readonly createdMs: number;
}

function toUser({ verifiedMs, status, connection, ...row }: UserRow) {
	const connected = status === "active" ? ("connected" as const) : ("unavailable" as const);
	return {
		...row,
		verified: verifiedMs !== null,
		state: connection === "connected" ? connected : ("disconnecting" as const),
	};
}

function below({ beforePk }: Pick<UserPage, "beforePk">): SQL | undefined {
	return beforePk === undefined ? undefined : lt(connections.pk, beforePk);
}
