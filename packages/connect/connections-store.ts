import { isActive } from "@svc/apps/authority-store";
import type { Database } from "@svc/base/database/client";
import { ofRequest } from "@svc/base/database/request-claims";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, appUsage, redirectUris, storages } from "@svc/base/database/schema/apps";
import { connections, exchangeCodes } from "@svc/base/database/schema/connect";
import { audit } from "@svc/base/database/schema/service";
import { columns, condition, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { letterSteps } from "@svc/people/letters/security-letters-store";
import { and, eq, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import type {
	ConnectApp,
	ConnectedPerson,
	ConnectRefusal,
	KnownConnection,
	NewConnection,
	UsersLimits,
} from "./connection.ts";
import { usersConnected } from "./user-events-store.ts";

/** `limits`: undefined where an App may have any number of users. */
export function connectionStore(database: Database, limits: UsersLimits | undefined) {
	return {
		/** Undefined for an App that does not exist or is being deleted. */
		findApp: findApp.bind(null, database),
		/** One guarded commit: App and account active, the users limit, storage, connection, code, audit. */
		connect: (connection: NewConnection) => connect(database, connection, limits),
		/** A code for a connected person, under this consent version at least, whose address is unchanged since. */
		reconnect: reconnect.bind(null, database),
		/** Whether there is such a person. */
		isRenewable: isRenewable.bind(null, database),
		/** Spends a code of this App for good, for one caller only. */
		exchange: exchange.bind(null, database),
		/** Removes at most `limit` codes that are past their time; returns how many. */
		forgetCodes: forgetCodes.bind(null, database),
	};
}

async function findApp(
	{ queries, read }: Database,
	appId: string,
	redirectUri: string,
): Promise<ConnectApp | undefined> {
	const { pk, name, signIn, pausedMs, blockedMs } = apps;
	const [row] = await read(() =>
		queries
			.select({ pk, name, signIn, pausedMs, blockedMs, uriPk: redirectUris.pk })
			.from(apps)
			.leftJoin(redirectUris, and(eq(redirectUris.appPk, apps.pk), eq(redirectUris.uri, redirectUri)))
			.where(and(eq(apps.id, appId), isNull(apps.deletingMs))),
	);
	if (!row) return undefined;
	const suspended = row.pausedMs !== null || row.blockedMs !== null;
	return { pk: row.pk, id: appId, name: row.name, signIn: row.signIn, suspended, registered: row.uriPk !== null };
}

async function connect(
	database: Database,
	connection: NewConnection,
	limits: UsersLimits | undefined,
): Promise<ConnectRefusal | undefined> {
	const { refused } = await database.write([
		...appSteps(connection),
		condition(connection.appPk, isActive(connection.accountPk), "denied"),
		countStep(connection, limits),
		...connectSteps(connection),
		...letterSteps(connection.letters, connection.nowMs),
		{ run: insertCode(connection) },
	]);
	return refused;
}

async function reconnect(
	{ write }: Database,
	connection: KnownConnection,
): Promise<Exclude<ConnectRefusal, "full"> | "interaction" | undefined> {
	const { pressed } = connection;
	const { refused } = await write([
		...appSteps(connection),
		condition(connection.appPk, sql`EXISTS (${renewable(connection)})`, "interaction"),
		{ run: insertCode(connection) },
		...(pressed ? [audited("user.signed_in", { ...connection, ...pressed }, isOf(connection))] : []),
	]);
	return refused;
}

/** The connection that is renewed without another consent. */
function renewable(connection: Pick<KnownConnection, "appPk" | "accountPk" | "consentVersion">): SQL {
	return sql`SELECT 1 FROM ${connections} JOIN ${accounts} ON ${accounts.pk} = ${connections.accountPk}
		WHERE ${isOf(connection)} AND ${connections.state} = 'connected'
			AND ${connections.consentVersion} >= ${connection.consentVersion}
			AND ${connections.emailAtConsent} = ${accounts.emailNorm} AND ${accounts.status} = 'active'`;
}

async function isRenewable({ queries, read }: Database, connection: Parameters<typeof renewable>[0]): Promise<boolean> {
	const found = sql<number>`EXISTS (${renewable(connection)})`;
	const [row] = await read(() => queries.select({ found }).from(apps).where(eq(apps.pk, connection.appPk)));
	return row?.found === 1;
}

/** The App knows its users by their pairwise ids, and its audit therefore holds these. */
function audited(event: string, { nowMs, requestId }: Pick<NewConnection, "nowMs" | "requestId">, whose: SQL): Step {
	return {
		run: ofRequest(
			requestId,
			sql`INSERT INTO ${audit}
				(${columns(audit.atMs, audit.actor, audit.appPk, audit.event, audit.target, audit.requestId)})
			SELECT ${nowMs}, ${connections.userId}, ${connections.appPk}, ${event}, ${connections.userId}, ${requestId}
			FROM ${connections} WHERE ${whose}`,
		),
	};
}

interface SpentCode {
	readonly appPk: number;
	readonly codeHash: Uint8Array<ArrayBuffer>;
	readonly nowMs: number;
	readonly requestId: string;
}

/** Of many concurrent exchanges, one spends the code. Who it is for is read first: an answer that gets lost takes no rows along. */
async function exchange(
	{ read, queries, write }: Database,
	{ appPk, codeHash, nowMs, requestId }: SpentCode,
): Promise<ConnectedPerson | undefined> {
	const { hash, usedMs, expiresMs, connectionPk } = exchangeCodes;
	const mayStillBeUsed = and(
		eq(hash, codeHash),
		eq(exchangeCodes.appPk, appPk),
		isNull(usedMs),
		sql`${expiresMs} > ${nowMs}`,
	);
	const connected = and(eq(connections.state, "connected"), eq(accounts.status, "active"));
	const [found] = await read(() =>
		queries
			.select({
				userId: connections.userId,
				email: accounts.email,
				verified: sql<number>`${accounts.verifiedMs} IS NOT NULL`,
			})
			.from(exchangeCodes)
			.innerJoin(connections, eq(connections.pk, connectionPk))
			.innerJoin(accounts, eq(accounts.pk, connections.accountPk))
			.where(and(mayStillBeUsed, connected)),
	);
	if (!found) return undefined;
	const whose = sql`EXISTS (SELECT 1 FROM ${connections} JOIN ${accounts} ON ${accounts.pk} = ${connections.accountPk}
		WHERE ${connections.pk} = ${connectionPk} AND ${connected})`;
	const spend = updateStep(exchangeCodes, { usedMs: nowMs }, and(mayStillBeUsed, whose), "spent");
	const { refused } = await write([{ ...spend, run: ofRequest(requestId, spend.run) }]);
	return refused === undefined ? { ...found, verified: found.verified === 1 } : undefined;
}

async function forgetCodes({ queries, write }: Database, nowMs: number, limit: number): Promise<number> {
	const { hash, expiresMs } = exchangeCodes;
	const past = queries.select({ hash }).from(exchangeCodes).where(lte(expiresMs, nowMs)).limit(limit);
	const { rows } = await write([
		{ run: queries.delete(exchangeCodes).where(inArray(hash, past)).returning({ forgotten: sql`1` }) },
	]);
	return rows?.[0]?.length ?? 0;
}

/** The order decides the answer: first refusals without a redirect, then those that pass by themselves. */
function appSteps({ appPk, redirectUri }: KnownConnection): readonly Step<Exclude<ConnectRefusal, "full">>[] {
	const registered = sql`SELECT 1 FROM ${redirectUris}
		WHERE ${redirectUris.appPk} = ${appPk} AND ${redirectUris.uri} = ${redirectUri}`;
	return [
		condition(appPk, sql`${apps.deletingMs} IS NULL`, "unknown_app"),
		condition(appPk, sql`EXISTS (${registered})`, "redirect_uri_not_registered"),
		condition(appPk, sql`${apps.pausedMs} IS NULL AND ${apps.blockedMs} IS NULL`, "suspended"),
		condition(appPk, eq(apps.signIn, true), "denied"),
	];
}

function isOf({ appPk, accountPk }: Pick<KnownConnection, "appPk" | "accountPk">): SQL {
	return sql`${connections.appPk} = ${appPk} AND ${connections.accountPk} = ${accountPk}`;
}

function isConnected(connection: NewConnection): SQL {
	return sql`EXISTS (SELECT 1 FROM ${connections} WHERE ${isOf(connection)} AND ${connections.state} = 'connected')`;
}

/**
 * The limit is a condition on the counter's own row: no two commits can both take the last place. Who is connected has theirs. An App's
 * own number goes before that of its plan.
 */
function countStep(connection: NewConnection, limits: UsersLimits | undefined): Step<"full"> {
	const known = isConnected(connection);
	const room = limits && sql`(${known} OR ${appUsage.users} < ${limitOf(connection, limits)})`;
	const users = sql`${appUsage.users} + iif(${known}, 0, 1)`;
	return updateStep(appUsage, { users }, and(eq(appUsage.appPk, connection.appPk), room), "full");
}

// No limit: larger than any number of users.
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

function limitOf({ appPk }: NewConnection, limits: UsersLimits): SQL {
	const plans = Object.entries(limits).map(([plan, users]) => sql`WHEN ${plan} THEN ${users ?? NO_LIMIT}`);
	return sql`(SELECT coalesce(${apps.usersLimit}, CASE ${apps.plan} ${sql.join(plans, sql` `)} END) FROM ${apps}
		WHERE ${apps.pk} = ${appPk})`;
}

/** The columns of a person's new storage, in the order in which the statements fill them. */
export const STORAGE_COLUMNS = columns(
	...[storages.id, storages.appPk, storages.kind, storages.accountPk],
	...[storages.teamHash, storages.state, storages.createdMs],
);

/** The columns of a new connection. */
export const CONNECTION_COLUMNS = columns(
	...[connections.id, connections.userId, connections.appPk, connections.accountPk, connections.storagePk],
	...[connections.state, connections.emailAtConsent, connections.consentVersion, connections.createdMs],
);

/** A new person, or one who had left, gets an empty storage; a connected person only renews the consent. */
function connectSteps(connection: NewConnection): readonly Step[] {
	const { appPk, accountPk, nowMs, storageId, consentVersion } = connection;
	const made = sql<number>`(SELECT ${storages.pk} FROM ${storages} WHERE ${storages.id} = ${storageId})`;
	const email = sql<string>`(SELECT ${accounts.emailNorm} FROM ${accounts} WHERE ${accounts.pk} = ${accountPk})`;
	const storagePk = sql`coalesce(${made}, ${connections.storagePk})`;
	return [
		{
			run: sql`INSERT INTO ${storages} (${STORAGE_COLUMNS})
				SELECT ${storageId}, ${appPk}, 'user', ${accountPk}, ${connection.teamHash}, 'active', ${nowMs}
				WHERE NOT ${isConnected(connection)}`,
		},
		updateStep(
			connections,
			{ emailAtConsent: email, consentVersion, storagePk, state: "connected", endedMs: null, pendingMs: null },
			isOf(connection),
		),
		{
			run: sql`INSERT INTO ${connections} (${CONNECTION_COLUMNS})
				SELECT ${connection.connectionId}, ${connection.userId}, ${appPk}, ${accountPk}, ${made}, 'connected', ${email},
					${consentVersion}, ${nowMs}
				WHERE NOT EXISTS (SELECT 1 FROM ${connections} WHERE ${isOf(connection)})`,
		},
		audited("user.connected", connection, sql`${isOf(connection)} AND ${connections.storagePk} = ${made}`),
		// One who only renews the consent was connected before.
		usersConnected(connection, sql`${isOf(connection)} AND ${connections.storagePk} = ${made}`),
	];
}

function insertCode(connection: KnownConnection): SQL {
	const { codeHash, codeExpiresMs, appPk } = connection;
	const { hash, connectionPk, expiresMs } = exchangeCodes;
	return sql`INSERT INTO ${exchangeCodes} (${columns(hash, exchangeCodes.appPk, connectionPk, expiresMs)})
		SELECT ${codeHash}, ${appPk}, ${connections.pk}, ${codeExpiresMs} FROM ${connections} WHERE ${isOf(connection)}`;
}
