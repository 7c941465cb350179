import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, appUsage, dailyUsage, storages } from "@svc/base/database/schema/apps";
import { connections, exchangeCodes } from "@svc/base/database/schema/connect";
import { olderThan, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { NewJob } from "@svc/jobs/jobs";
import { jobEntry, jobFinds } from "@svc/jobs/jobs-store";
import { and, desc, eq, isNull, ne, type SQL, sql } from "drizzle-orm";
import type {
	ConnectedUser,
	ConnectionName,
	NamedConnection,
	OwnConnection,
	OwnStorage,
	UserPage,
} from "./connected-user.ts";
import { usersDisconnected } from "./user-events-store.ts";

export function userStore(database: Database) {
	return {
		/** Lists users newest first, without those who are gone. */
		list: listUsers.bind(null, database),
		find: findUser.bind(null, database),
		/** The Apps that a person is connected to, or is being disconnected from; newest first. Excludes their own storage. */
		listConnections: listConnections.bind(null, database),
		/** A person's own storage, outside of every App. */
		findOwnStorage: findOwnStorage.bind(null, database),
		findConnection: findConnection.bind(null, database),
		/** One commit: the connection ends, nothing is stored in its storage any more, and the job that empties it is due. */
		disconnect: disconnect.bind(null, database),
		/** The last job that was made to empty a storage. */
		findEmptying: jobFinds(database).emptying,
	};
}

async function listUsers(
	{ queries, read }: Database,
	appPk: number,
	{ email, limit, beforePk }: UserPage,
): Promise<readonly ConnectedUser[]> {
	const named = email === undefined ? undefined : eq(accounts.emailNorm, email);
	const where = and(eq(connections.appPk, appPk), named, olderThan(connections.pk, beforePk));
	const rows = await read(() => selectUsers(queries, where, limit));
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

const homepage = sql<string | null>`json_extract(${apps.profile}, '$.homepage_url')`;

async function listConnections(
	{ queries, read }: Database,
	accountPk: number,
	{ limit, beforePk }: Omit<UserPage, "email">,
): Promise<readonly OwnConnection[]> {
	const theirs = and(eq(connections.accountPk, accountPk), ne(connections.state, "gone"), isInApp);
	const rows = await read(() =>
		queries
			.select({ ...ownFields, app: { id: apps.id, name: apps.name }, homepage })
			.from(connections)
			.innerJoin(apps, eq(apps.pk, connections.appPk))
			.leftJoin(storages, eq(storages.pk, connections.storagePk))
			.where(and(theirs, olderThan(connections.pk, beforePk)))
			.orderBy(desc(connections.pk))
			.limit(limit),
	);
	return rows.map(({ state, ...row }) => ({ ...row, state: state === "connected" ? state : "disconnecting" }));
}

async function findOwnStorage({ queries, read }: Database, accountPk: number): Promise<OwnStorage | undefined> {
	// Literals, so that the partial index applies.
	const current = sql`${storages.kind} = 'personal' AND ${storages.state} = 'active'`;
	const theirs = and(eq(storages.accountPk, accountPk), current);
	const { images, bytes } = storages;
	const [row] = await read(() => queries.select({ images, bytes }).from(storages).where(theirs));
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

/** @param also what comes before: withdrawals, and what the App's feed is told of them */
async function disconnect(
	{ write }: Database,
	connection: NamedConnection,
	job: NewJob<"storage.empty">,
	by: Actor,
	also: readonly Step<"plan_ended">[],
): Promise<"moved" | "plan_ended" | undefined> {
	const { refused } = await write([
		...also,
		usersDisconnected(by, eq(connections.pk, connection.pk)),
		...disconnectSteps(connection, by.nowMs),
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

/** A person's storage outside of every App has a connection too, which is not shown and never ended on its own. */
const isInApp = sql`${storages.kind} IS NOT 'personal'`;

function disconnectSteps({ pk, appPk, storage }: NamedConnection, nowMs: number): readonly Step<"moved">[] {
	const storagePk = storage?.pk ?? null;
	// The connection must have the very storage that the job will empty: a person who has come back has another one.
	const same = sql`${connections.pk} = ${pk} AND ${connections.state} = 'connected' AND ${connections.storagePk} = ${storagePk}`;
	const emptied = sql`${storages.pk} = ${storagePk} AND ${storages.id} = ${storage?.id ?? null} AND ${storages.state} = 'active'`;
	const unspent = and(eq(exchangeCodes.connectionPk, pk), isNull(exchangeCodes.usedMs));
	return [
		updateStep(connections, { state: "disconnecting", endedMs: nowMs }, same, "moved"),
		updateStep(storages, { state: "deleting" }, emptied, "moved"),
		updateStep(appUsage, { users: sql`${appUsage.users} - 1` }, eq(appUsage.appPk, appPk)),
		updateStep(exchangeCodes, { usedMs: nowMs }, unspent),
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
	pendingMs: connections.pendingMs,
	images: ownFields.images,
	bytes: ownFields.bytes,
	lastUsedDay: sql<
		number | null
	>`(SELECT max(${dailyUsage.day}) FROM ${dailyUsage} WHERE ${dailyUsage.storagePk} = ${connections.storagePk}
		AND ${dailyUsage.requests} + ${dailyUsage.imageRequests} > 0)`,
	createdMs: connections.createdMs,
};

type UserRow = Awaited<ReturnType<typeof selectUsers>>[number];

function toUser({ verifiedMs, status, connection, pendingMs, ...row }: UserRow): ConnectedUser {
	const agreed = pendingMs === null ? "connected" : "pending";
	const connected = status === "active" ? agreed : "unavailable";
	const state = connection === "connected" ? connected : "disconnecting";
	return { ...row, verified: verifiedMs !== null, state };
}
