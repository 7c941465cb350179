import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { sessions } from "@svc/base/database/schema/people";
import { columns, olderThan, returned, rowCondition, statements, updateStep } from "@svc/base/database/statements";
import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { freshSteps } from "./fresh-store.ts";
import type { NewLetter } from "./letters/security-letter.ts";
import { letterSteps } from "./letters/security-letters-store.ts";
import type { Account, Person } from "./people.ts";
import { afterOthers, isLive, isUnended, selectPeople, toPerson, toSession } from "./people-store.ts";
import type { EndedSessions, ListedSession, NewToken, SessionPage } from "./session.ts";

type What = "sessions" | "tokens";

export function sessionStore(database: Database) {
	const byId = selectPeople(database)
		.where(and(eq(sessions.id, sql.placeholder("id")), isLive()))
		.prepare();
	return {
		/** Finds a session that is neither revoked nor expired, of an active account. */
		async find(id: string, nowMs: number): Promise<Person | undefined> {
			const [row] = await database.read(() => byId.all({ id, nowMs }));
			return row && toPerson(row);
		},
		/** Lists sessions newest first, without revoked and expired ones. */
		list: listSessions.bind(null, database),
		/** Revokes a session and all tokens that it made; false when there is none. */
		revoke: revokeSession.bind(null, database),
		/** Keeps what the next page says. */
		async leaveNotice(id: string, notice: string): Promise<void> {
			await database.write([updateStep(sessions, { notice }, eq(sessions.id, id))]);
		},
		/** Removes a notice, which is then to be shown; false where another page has shown it. */
		async takeNotice(id: string, notice: string): Promise<boolean> {
			const there = and(eq(sessions.id, id), eq(sessions.notice, notice));
			return (await database.write([updateStep(sessions, { notice: null }, there, "gone")])).refused === undefined;
		},
		/** Revokes every session but one, and every token unless they are kept, in one commit. */
		endOthers: endOthers.bind(null, database),
		/** "gone" when the session that makes it has ended; "full" when the account holds `most` tokens. */
		createToken: createToken.bind(null, database),
	};
}

async function listSessions(
	{ queries, read }: Database,
	accountPk: number,
	what: What,
	{ limit, beforePk, within }: SessionPage,
	nowMs: number,
): Promise<readonly ListedSession[]> {
	const live = and(isLiveOf(accountPk, nowMs), isOne(what), isWithin(within));
	const rows = await read(() =>
		queries
			.select({ session: sessions, appId: apps.id })
			.from(sessions)
			.leftJoin(apps, eq(apps.pk, sessions.appPk))
			.where(and(live, olderThan(sessions.createdMs, beforePk)))
			.orderBy(desc(sessions.createdMs))
			.limit(limit),
	);
	return rows.map(({ session, appId }) => ({ ...toSession(session, appId), pk: session.createdMs }));
}

async function revokeSession(
	{ write }: Database,
	account: Account,
	what: What,
	{ id, within }: { readonly id: string; readonly within?: string | undefined },
	by: Actor,
): Promise<boolean> {
	const event = what === "tokens" ? "token.revoked" : "session.revoked";
	const named = and(eq(sessions.id, id), isLiveOf(account.pk, by.nowMs), isOne(what), isWithin(within));
	const family = sql`${sessions.id} IN (${familyOf(id)})`;
	const { refused } = await write([
		updateStep(sessions, { revokedMs: by.nowMs }, named, "gone"),
		updateStep(
			sessions,
			{ revokedMs: by.nowMs },
			and(eq(sessions.accountPk, account.pk), isNull(sessions.revokedMs), family),
		),
		{ run: auditBy(by, { appPk: null, event, target: id }) },
	]);
	return refused === undefined;
}

async function endOthers(
	{ queries, read, write }: Database,
	{ account, session }: Person,
	keepTokens: boolean,
	by: Actor,
): Promise<EndedSessions> {
	const live = sql`${isLiveOf(account.pk, by.nowMs)} AND ${sessions.id} <> ${session.id}`;
	const ended = keepTokens ? sql`${live} AND ${isOne("sessions")}` : live;
	const { rows } = await write([
		{
			run: statements
				.update(sessions)
				.set({ revokedMs: by.nowMs })
				.where(ended)
				.returning(returned({ kind: sessions.kind })),
		},
		{
			run: auditBy(by, {
				appPk: null,
				event: "session.others_ended",
				target: account.id,
				changes: { keep_tokens: keepTokens },
			}),
		},
	]);
	// Rows that were lost on the way are counted by their time.
	const lost = () => {
		const now = and(eq(sessions.accountPk, account.pk), eq(sessions.revokedMs, by.nowMs));
		return read(() => queries.select({ kind: sessions.kind }).from(sessions).where(now));
	};
	const kinds = (rows?.[0] ?? (await lost())).map(({ kind }) => kind);
	const tokens = kinds.filter((kind) => kind === "pat").length;
	return { sessions: kinds.length - tokens, tokens };
}

async function createToken(
	{ write }: Database,
	{ account, session: maker }: Person,
	token: NewToken,
	most: number,
	letters: readonly NewLetter[],
	by: Actor,
): Promise<"gone" | "full" | "stale" | undefined> {
	const live = isLiveOf(account.pk, by.nowMs);
	const { id, name, appPk, scopes } = token;
	const { refused } = await write([
		rowCondition(sessions.parent, sql`${sessions.id} = ${maker.id} AND ${live}`, "gone"),
		{
			run: sql`${insertToken(account.pk, token, by.nowMs)}
				WHERE (SELECT count(*) FROM ${sessions} WHERE ${isOne("tokens")} AND ${live}) < ${most}`,
			guard: "full",
		},
		...freshSteps(by),
		...letterSteps(letters, by.nowMs),
		{ run: auditBy(by, { appPk, event: "token.created", target: id, changes: { name, scopes } }) },
	]);
	return refused;
}

/** Inserts the token; the caller adds the condition. */
function insertToken(accountPk: number, token: NewToken, nowMs: number): SQL {
	const { hash, id, name, appPk, scopes, expiresMs } = token;
	const names = columns(
		...[sessions.hash, sessions.id, sessions.accountPk, sessions.kind, sessions.name, sessions.appPk],
		...[sessions.scopes, sessions.expiresMs, sessions.createdMs],
	);
	return sql`INSERT INTO ${sessions} (${names}) SELECT ${hash}, ${id}, ${accountPk}, 'pat', ${name}, ${appPk},
		${scopes}, ${expiresMs}, ${afterOthers(accountPk, nowMs)}`;
}

function isLiveOf(accountPk: number, nowMs: number): SQL {
	return sql`${sessions.accountPk} = ${accountPk} AND ${isUnended(nowMs)}`;
}

function isOne(what: What): SQL {
	return what === "tokens" ? sql`${sessions.kind} = 'pat'` : sql`${sessions.kind} <> 'pat'`;
}

/** A token, the tokens that it made, those that they made, and so on. */
function familyOf(id: string): SQL {
	const child = alias(sessions, "child");
	return sql`WITH RECURSIVE family (id) AS (SELECT ${id} UNION SELECT ${child.id} FROM ${sessions} AS ${child}
		JOIN family ON ${child.parent} = family.id) SELECT id FROM family`;
}

function isWithin(within: string | undefined): SQL {
	return within === undefined ? sql`1` : sql`${sessions.id} IN (${familyOf(within)})`;
}
