import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, appUsage, storages } from "@svc/base/database/schema/apps";
import { connections, exchangeCodes } from "@svc/base/database/schema/connect";
import type { Job, NewJob } from "@svc/jobs/jobs";
import { jobEntry, jobFinds } from "@svc/jobs/jobs-store";
import { and, desc, eq, isNull, lt, ne, type SQL, sql } from "drizzle-orm";
import type { ConnectedUser, ConnectionName, NamedConnection, OwnConnection, OwnStorage, UserPage } from "./users.ts";

export function userStore(database: Database) {
	const jobs = jobFinds(database);
	return {
		/** Newest first, without those who are gone. */
		list: (appPk: number, page: UserPage) => listUsers(database, appPk, page),
		find: (appPk: number, userId: string) => findUser(database, appPk, userId),
		/** The Apps that a person is connected to, or is being disconnected from; newest first. Their own storage is none of them. */
		listConnections: (accountPk: number, page: Omit<UserPage, "email">) => listConnections(database, accountPk, page),
		/** A person's own storage, outside of every App. */
		findOwnStorage: (accountPk: number) => findOwnStorage(database, accountPk),
		findConnection: (name: ConnectionName) => findConnection(database, name),
		/** One commit: the connection ends, nothing is stored in its storage any more, and the job that empties it is due. */
		disconnect: (connection: NamedConnection, job: NewJob<"storage.empty">, by: Actor) =>
			disconnect(database, connection, job, by),
		/** The last job that empties or emptied a storage. */
		findEmptying: (storageId: string): Promise<Job | undefined> => jobs.emptying(storageId),
	};
}

async function listUsers(
	{ queries, read }: Database,
	appPk: number,
	{ email, ...page }: UserPage,
): Promise<readonly ConnectedUser[]> {
	const named = email === undefined ? undefined : eq(accounts.emailNorm, email);
	const where = and(eq(connections.appPk, appPk), named, below(page));
	const rows = await read(() => selectUsers(queries, where, page.limit));
	return rows.map(toUser);
}

async function findUser(
	{ queries, read }: Database,
	appPk: number,
	userId: string,
): Promise<ConnectedUser | undefined> {
	const where = and(eq(connections.userId, userId), eq(connections.appPk, appPk));
	const [row] = await read(() => selectUsers(queries, where, 1));
	return row && toUser(row);
}

async function listConnections(
	{ queries, read }: Database,
	accountPk: number,
	page: Omit<UserPage, "email">,
): Promise<readonly OwnConnection[]> {
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
}

async function findOwnStorage({ queries, read }: Database, accountPk: number): Promise<OwnStorage | undefined> {
	// Literals, so that its index applies.
	const current = sql`${storages.kind} = 'personal' AND ${storages.state} = 'active'`;
	const [row] = await read(() =>
		queries
			.select({ images: storages.images, bytes: storages.bytes })
			.from(storages)
			.where(and(eq(storages.accountPk, accountPk), current)),
	);
	return row;
}

async function findConnection({ queries, read }: Database, name: ConnectionName): Promise<NamedConnection | undefined> {
	const { pk, userId, appPk, state } = connections;
	const where =
		"userId" in name
			? and(eq(userId, name.userId), eq(appPk, name.appPk))
			: and(eq(apps.id, name.appId), eq(connections.accountPk, name.accountPk));
	const [row] = await read(() =>
		queries
			.select({ pk, userId, appPk, state, storage: { pk: storages.pk, id: storages.id } })
			.from(connections)
			.innerJoin(apps, eq(apps.pk, appPk))
			.leftJoin(storages, eq(storages.pk, connections.storagePk))
			.where(and(where, isInApp)),
	);
	return row && { ...row, storage: row.storage ?? undefined };
}

async function disconnect(
	{ queries, write }: Database,
	connection: NamedConnection,
	job: NewJob<"storage.empty">,
	by: Actor,
): Promise<"moved" | undefined> {
	const { refused } = await write([
		...disconnectSteps(queries, connection, by.nowMs),
		{ run: jobEntry(job, by.nowMs) },
		{ run: auditBy(by, { appPk: connection.appPk, event: "user.disconnected", target: connection.userId }) },
	]);
	return refused;
}

function selectUsers(queries: Database["queries"], where: SQL | undefined, limit: number) {
	return queries
		.select(userFields)
		.from(connections)
		.innerJoin(accounts, eq(accounts.pk, connections.accountPk))
		.leftJoin(storages, eq(storages.pk, connections.storagePk))
		.where(and(where, ne(connections.state, "gone")))
		.orderBy(desc(connections.pk))
		.limit(limit);
}

/** What a person keeps outside of every App is held by a connection too, which nobody sees and nobody ends on its own. */
const isInApp = sql`${storages.kind} IS NOT 'personal'`;

function disconnectSteps(
	queries: Database["queries"],
	{ pk, appPk, storage }: NamedConnection,
	nowMs: number,
): readonly Step<"moved">[] {
	const storagePk = storage?.pk ?? null;
	return [
		{
			// With the very storage that the job will empty: a person who has come back has another one.
			run: queries
				.update(connections)
				.set({ state: "disconnecting", endedMs: nowMs })
				.where(
					sql`${connections.pk} = ${pk} AND ${connections.state} = 'connected' AND ${connections.storagePk} = ${storagePk}`,
				),
			guard: "moved",
		},
		{
			run: queries
				.update(storages)
				.set({ state: "deleting" })
				.where(
					sql`${storages.pk} = ${storagePk} AND ${storages.id} = ${storage?.id ?? null} AND ${storages.state} = 'active'`,
				),
			guard: "moved",
		},
		{
			run: queries
				.update(appUsage)
				.set({ users: sql`${appUsage.users} - 1` })
				.where(eq(appUsage.appPk, appPk)),
		},
		{
			run: queries
				.update(exchangeCodes)
				.set({ usedMs: nowMs })
				.where(and(eq(exchangeCodes.connectionPk, pk), isNull(exchangeCodes.usedMs))),
		},
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

type UserRow = Awaited<ReturnType<typeof selectUsers>>[number];

function toUser({ verifiedMs, status, connection, ...row }: UserRow): ConnectedUser {
	const connected = status === "active" ? "connected" : "unavailable";
	return {
		...row,
		verified: verifiedMs !== null,
		state: connection === "connected" ? connected : "disconnecting",
	};
}

function below({ beforePk }: Pick<UserPage, "beforePk">): SQL | undefined {
	return beforePk === undefined ? undefined : lt(connections.pk, beforePk);
}
