import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { sessions } from "@svc/base/database/schema/people";
import { and, desc, eq, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { Account, Person } from "./people.ts";
import { isLive, selectPeople, toPerson, toSession } from "./people-store.ts";
import type { ListedSession, NewToken, SessionPage } from "./sessions.ts";
import { afterOthers } from "./sign-in-store.ts";

export interface SessionStore {
	/** Neither revoked nor expired, of an active account. */
	find(id: string, nowMs: number): Promise<Person | undefined>;
	/** Newest first, without revoked and expired ones. */
	list(
		accountPk: number,
		what: "sessions" | "tokens",
		page: SessionPage,
		nowMs: number,
	): Promise<readonly ListedSession[]>;
	/** With all tokens that it made; false when there is none. */
	revoke(
		account: Account,
		what: "sessions" | "tokens",
		named: { readonly id: string; readonly within?: string | undefined },
		by: Actor,
	): Promise<boolean>;
	/** "gone" when the session that makes it has ended; "full" when the account holds `most` tokens. */
	createToken(maker: Person, token: NewToken, most: number, by: Actor): Promise<"gone" | "full" | undefined>;
}

type What = "sessions" | "tokens";

export function sessionStore(database: Database): SessionStore {
	const { read, write } = database;
	const byId = selectPeople(database)
		.where(and(eq(sessions.id, sql.placeholder("id")), isLive()))
		.prepare();
	return {
		async find(id, nowMs) {
			const [row] = await read(() => byId.all({ id, nowMs }));
			return row && toPerson(row);
		},
		async list(accountPk, what, page, nowMs) {
			const rows = await read(() => selectPage(database, accountPk, what, page, nowMs));
			return rows.map(({ session, appId }) => ({ ...toSession(session, appId), pk: session.createdMs }));
		},
		async revoke(account, what, { id, within }, by) {
			const { refused } = await write([
				{
					run: sql`UPDATE sessions SET revoked_ms = ${by.nowMs} WHERE id = ${id} AND account_pk = ${account.pk}
						AND ${isOne(what)} AND revoked_ms IS NULL AND expires_ms > ${by.nowMs} AND ${isWithin(within)}`,
					guard: "gone",
				},
				{
					run: sql`UPDATE sessions SET revoked_ms = ${by.nowMs}
						WHERE account_pk = ${account.pk} AND revoked_ms IS NULL AND id IN (${familyOf(id)})`,
				},
				{
					run: auditBy(by, { appPk: null, event: what === "tokens" ? "token.revoked" : "session.revoked", target: id }),
				},
			]);
			return refused === undefined;
		},
		async createToken({ account, session: maker }, token, most, by) {
			const live = sql`account_pk = ${account.pk} AND revoked_ms IS NULL AND expires_ms > ${by.nowMs}`;
			const { hash, id, name, appPk, scopes, expiresMs } = token;
			const parent = maker.kind === "pat" ? maker.id : null;
			const steps: Step<"gone" | "full">[] = [
				// A token that is being revoked takes those that it made with it: from then on it makes no others.
				{ run: sql`UPDATE sessions SET parent = parent WHERE id = ${maker.id} AND ${live}`, guard: "gone" },
				{
					run: sql`INSERT INTO sessions (hash, id, account_pk, kind, name, app_pk, scopes, expires_ms, parent, created_ms)
						SELECT ${hash}, ${id}, ${account.pk}, 'pat', ${name}, ${appPk}, ${scopes}, ${expiresMs}, ${parent},
							${afterOthers(account.pk, by.nowMs)}
						WHERE (SELECT count(*) FROM sessions WHERE kind = 'pat' AND ${live}) < ${most}`,
					guard: "full",
				},
				{ run: auditBy(by, { appPk, event: "token.created", target: id, changes: { name, scopes } }) },
			];
			const { refused } = await write(steps);
			return refused;
		},
	};
}

function isOne(what: What): SQL {
	return what === "tokens" ? sql`sessions.kind = 'pat'` : sql`sessions.kind <> 'pat'`;
}

/** A token, the tokens that it made, those that they made, and so on. */
function familyOf(id: string): SQL {
	return sql`WITH RECURSIVE family (id) AS (SELECT ${id} UNION SELECT child.id FROM sessions AS child
		JOIN family ON child.parent = family.id) SELECT id FROM family`;
}

function isWithin(within: string | undefined): SQL {
	return within === undefined ? sql`1` : sql`sessions.id IN (${familyOf(within)})`;
}

function selectPage({ queries }: Database, accountPk: number, what: What, page: SessionPage, nowMs: number) {
	const { limit, beforePk, within } = page;
	return queries
		.select({ session: sessions, appId: apps.id })
		.from(sessions)
		.leftJoin(apps, eq(apps.pk, sessions.appPk))
		.where(
			and(
				eq(sessions.accountPk, accountPk),
				isNull(sessions.revokedMs),
				gt(sessions.expiresMs, nowMs),
				isOne(what),
				isWithin(within),
				beforePk === undefined ? undefined : lt(sessions.createdMs, beforePk),
			),
		)
		.orderBy(desc(sessions.createdMs))
		.limit(limit);
}
