import { APP_PLANS } from "@svc/apps/plans";
import type { Database, Step } from "@svc/base/database/client";
import { type SQL, sql } from "drizzle-orm";
import type { ConnectApp, ConnectedPerson, ConnectRefusal, KnownConnection, NewConnection } from "./connections.ts";

export interface ConnectionStore {
	/** Undefined for an App that does not exist or is being deleted. */
	findApp(appId: string, redirectUri: string): Promise<ConnectApp | undefined>;
	/** One guarded commit: App and account active, the users limit, storage, connection, code, audit. */
	connect(connection: NewConnection): Promise<ConnectRefusal | undefined>;
	/** A code for a person who is connected, of this consent version at least, and has the same address since. */
	reconnect(connection: KnownConnection): Promise<Exclude<ConnectRefusal, "full"> | "interaction" | undefined>;
	/** Spends a code of this App: for good, and for one caller only. */
	exchange(appPk: number, codeHash: Uint8Array<ArrayBuffer>, nowMs: number): Promise<ConnectedPerson | undefined>;
	/** Removes at most `limit` codes that are past their time; returns how many. */
	forgetCodes(nowMs: number, limit: number): Promise<number>;
}

/** `usersLimited`: whether an App at its users limit takes no new users. */
export function connectionStore(
	{ queries, read, write }: Database,
	{ usersLimited }: { readonly usersLimited: boolean } = { usersLimited: true },
): ConnectionStore {
	return {
		async findApp(appId, redirectUri) {
			const [row] = await read(() =>
				queries.values<[number, string, number, number, number]>(sql`SELECT pk, name, sign_in,
						paused_ms IS NOT NULL OR blocked_ms IS NOT NULL,
						EXISTS (SELECT 1 FROM redirect_uris WHERE app_pk = apps.pk AND uri = ${redirectUri})
					FROM apps WHERE id = ${appId} AND deleting_ms IS NULL`),
			);
			if (!row) return undefined;
			const [pk, name, signIn, suspended, registered] = row;
			return { pk, id: appId, name, signIn: signIn === 1, suspended: suspended === 1, registered: registered === 1 };
		},
		async connect(connection) {
			const { refused } = await write([
				...appSteps(connection),
				{
					run: sql`UPDATE accounts SET status = status WHERE pk = ${connection.accountPk} AND status = 'active'`,
					guard: "denied",
				},
				{ run: countUser(connection, usersLimited), guard: "full" },
				...connectSteps(connection),
				{ run: insertCode(connection) },
			]);
			return refused;
		},
		async reconnect(connection) {
			const { refused } = await write([
				...appSteps(connection),
				{
					run: sql`UPDATE connections SET state = state WHERE ${isOf(connection)} AND state = 'connected'
						AND consent_version >= ${connection.consentVersion} AND email_at_consent = (
							SELECT email_norm FROM accounts WHERE pk = connections.account_pk AND status = 'active')`,
					guard: "interaction",
				},
				{ run: insertCode(connection) },
			]);
			return refused;
		},
		async exchange(appPk, codeHash, nowMs) {
			const { rows } = await write([{ run: spendCode(appPk, codeHash, nowMs) }]);
			const user = rows[0]?.[0];
			return user && { userId: String(user.user_id), email: String(user.email), verified: user.verified === 1 };
		},
		async forgetCodes(nowMs, limit) {
			const past = sql`SELECT hash FROM exchange_codes WHERE expires_ms <= ${nowMs} LIMIT ${limit}`;
			const { rows } = await write([{ run: sql`DELETE FROM exchange_codes WHERE hash IN (${past}) RETURNING 1` }]);
			return rows[0]?.length ?? 0;
		},
	};
}

/** The order decides what is told: first what leaves nowhere to redirect to, then what passes by itself. */
function appSteps({ appPk, redirectUri }: KnownConnection): Step<Exclude<ConnectRefusal, "full">>[] {
	// A guard looks at how many rows a statement touches: writing what is there already is how a condition is asked.
	const require = (condition: SQL) => sql`UPDATE apps SET sign_in = sign_in WHERE pk = ${appPk} AND ${condition}`;
	return [
		{ run: require(sql`deleting_ms IS NULL`), guard: "unknown_app" },
		{
			run: require(sql`EXISTS (SELECT 1 FROM redirect_uris WHERE app_pk = ${appPk} AND uri = ${redirectUri})`),
			guard: "redirect_uri_not_registered",
		},
		{ run: require(sql`paused_ms IS NULL AND blocked_ms IS NULL`), guard: "suspended" },
		{ run: require(sql`sign_in = 1`), guard: "denied" },
	];
}

function isOf({ appPk, accountPk }: Pick<KnownConnection, "appPk" | "accountPk">): SQL {
	return sql`app_pk = ${appPk} AND account_pk = ${accountPk}`;
}

function isConnected(connection: NewConnection): SQL {
	return sql`EXISTS (SELECT 1 FROM connections WHERE ${isOf(connection)} AND state = 'connected')`;
}

// Without an end: larger than any number of users.
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const PLAN_LIMITS = sql.join(
	Object.entries(APP_PLANS).map(([plan, { users }]) => sql`WHEN ${plan} THEN ${users ?? NO_LIMIT}`),
	sql` `,
);

/** The limit is a condition on the counter's own row: no two commits can both take the last place. Who is connected has theirs. */
function countUser(connection: NewConnection, limited: boolean): SQL {
	const limit = sql`(SELECT coalesce(users_limit, CASE plan ${PLAN_LIMITS} END) FROM apps WHERE pk = ${connection.appPk})`;
	const known = isConnected(connection);
	const room = limited ? sql` AND (${known} OR users < ${limit})` : sql``;
	return sql`UPDATE app_usage SET users = users + iif(${known}, 0, 1) WHERE app_pk = ${connection.appPk}${room}`;
}

/** A new person, or one who had left, gets an empty storage; of one who is connected only the consent is renewed. */
function connectSteps(connection: NewConnection): Step[] {
	const { appPk, accountPk, nowMs, storageId } = connection;
	const made = sql`(SELECT pk FROM storages WHERE id = ${storageId})`;
	const email = sql`(SELECT email_norm FROM accounts WHERE pk = ${accountPk})`;
	return [
		{
			run: sql`INSERT INTO storages (id, app_pk, kind, account_pk, team_hash, state, created_ms)
				SELECT ${storageId}, ${appPk}, 'user', ${accountPk}, ${connection.teamHash}, 'active', ${nowMs}
				WHERE NOT ${isConnected(connection)}`,
		},
		{
			run: sql`UPDATE connections SET email_at_consent = ${email}, consent_version = ${connection.consentVersion},
					storage_pk = coalesce(${made}, storage_pk), state = 'connected', ended_ms = NULL
				WHERE ${isOf(connection)}`,
		},
		{
			run: sql`INSERT INTO connections (id, user_id, app_pk, account_pk, storage_pk, state, email_at_consent,
					consent_version, created_ms)
				SELECT ${connection.connectionId}, ${connection.userId}, ${appPk}, ${accountPk}, ${made}, 'connected', ${email},
					${connection.consentVersion}, ${nowMs}
				WHERE NOT EXISTS (SELECT 1 FROM connections WHERE ${isOf(connection)})`,
		},
		{
			// The App knows its users by their pairwise ids, and so does its audit.
			run: sql`INSERT INTO audit (at_ms, actor, app_pk, event, target, request_id)
				SELECT ${nowMs}, user_id, app_pk, 'user.connected', user_id, ${connection.requestId} FROM connections
				WHERE ${isOf(connection)} AND storage_pk = ${made}`,
		},
	];
}

function insertCode(connection: KnownConnection): SQL {
	const { codeHash, codeExpiresMs, appPk } = connection;
	return sql`INSERT INTO exchange_codes (hash, app_pk, connection_pk, expires_ms)
		SELECT ${codeHash}, ${appPk}, pk, ${codeExpiresMs} FROM connections WHERE ${isOf(connection)}`;
}

/** One statement: of many at once, one finds it unspent. */
function spendCode(appPk: number, codeHash: Uint8Array, nowMs: number): SQL {
	const person = (column: SQL) => sql`(SELECT ${column} FROM connections
		JOIN accounts ON accounts.pk = connections.account_pk WHERE connections.pk = connection_pk
			AND connections.state = 'connected' AND accounts.status = 'active')`;
	return sql`UPDATE exchange_codes SET used_ms = ${nowMs}
		WHERE hash = ${codeHash} AND app_pk = ${appPk} AND used_ms IS NULL AND expires_ms > ${nowMs}
			AND ${person(sql`1`)} IS NOT NULL
		RETURNING ${person(sql`connections.user_id`)} AS user_id, ${person(sql`accounts.email`)} AS email,
			${person(sql`accounts.verified_ms IS NOT NULL`)} AS verified`;
}
