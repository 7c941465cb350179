import type { Database } from "@svc/base/database/client";
import { lastUses } from "@svc/base/database/last-uses";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import { apps } from "@svc/base/database/schema/apps";
import { sessions } from "@svc/base/database/schema/people";
import { statements } from "@svc/base/database/statements";
import { untilChanged } from "@svc/base/database/until-changed";
import type { Locale } from "@svc/base/enumerations";
import { findLocale } from "@svc/base/words/languages";
import { and, eq, exists, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { Account, Person, Scope, Session } from "./people.ts";

/** `onLost` is called when times of last use could not be written; nothing else depends on them. */
export function peopleStore(database: Database, onLost: (error: unknown) => void = () => undefined) {
	const byHash = selectPeople(database)
		.where(and(eq(sessions.hash, sql.placeholder("hash")), isLive()))
		.prepare();
	const uses = lastUses<string>(database, "sessions", onLost);
	const find = async (hash: Uint8Array, nowMs: number): Promise<Person | undefined> => {
		const [row] = await database.read(() => byHash.all({ hash, nowMs }));
		return row && toPerson(row);
	};
	const kept = untilChanged(database, {
		find,
		sql: byHash.getQuery().sql,
		nameOf: (hash) => Buffer.from(hash).toString("base64"),
	});
	return {
		/** Finds a person by the SHA-256 of a session's or token's secret: neither revoked nor expired, of an active account. */
		async findPerson(secretHash: Uint8Array, nowMs: number): Promise<Person | undefined> {
			const person = await kept(secretHash, nowMs);
			// It may have ended since it was read, by time alone; or not, since a use of it, which prolongs it, drops nothing that is kept.
			return person && person.session.expiresMs <= nowMs ? await find(secretHash, nowMs) : person;
		},
		/** The language that an account has chosen, for pages and mails alike; null: the browser's. */
		async setLocale(accountPk: number, locale: Locale | null): Promise<void> {
			// Mails stay in the language that they are in: a browser's is not known here.
			const changes = locale === null ? { locale } : { locale, mailLocale: locale };
			await database.write([{ run: statements.update(accounts).set(changes).where(eq(accounts.pk, accountPk)) }]);
		},
		/** Takes the id of a session. Buffered: written at most once a minute for each. */
		touch: uses.touch,
		/** Writes what is still buffered; for the end of the process. */
		flush: uses.flush,
	};
}

/** Neither revoked nor past its time, of an account that may sign in. */
export function isLive() {
	return and(isUnended(sql.placeholder("nowMs")), eq(accounts.status, "active"));
}

/** The time without use after which a session ends; a token lives until its own end. */
const IDLE_MS = 30 * 86_400_000;

/** Neither revoked nor past its time, nor left unused for too long. */
export function isUnended(nowMs: number | Placeholder): SQL {
	const used = sql`coalesce(${sessions.lastUsedMs}, ${sessions.createdMs})`;
	return sql`(${sessions.revokedMs} IS NULL AND ${sessions.expiresMs} > ${nowMs}
		AND (${sessions.kind} = 'pat' OR ${used} > ${nowMs} - ${IDLE_MS}))`;
}

/** The creation time of a session: no two of an account are equal, so that it gives their place in lists. */
export function afterOthers(accountPk: SQL | number, nowMs: number): SQL {
	return sql`(SELECT max(${nowMs}, coalesce(max(${sessions.createdMs}) + 1, 0))
		FROM ${sessions} WHERE ${sessions.accountPk} = ${accountPk})`;
}

/** Sessions with their accounts. */
export function selectPeople({ queries }: Database) {
	return queries
		.select({ session: sessions, account: accounts, appId: apps.id, operatorPk: operators.accountPk })
		.from(sessions)
		.innerJoin(accounts, eq(accounts.pk, sessions.accountPk))
		.leftJoin(operators, eq(operators.accountPk, accounts.pk))
		.leftJoin(apps, eq(apps.pk, sessions.appPk));
}

interface PersonRow {
	readonly session: typeof sessions.$inferSelect;
	readonly account: typeof accounts.$inferSelect;
	readonly appId: string | null;
	readonly operatorPk: number | null;
}

export function toPerson({ session, account, appId, operatorPk }: PersonRow): Person {
	const { pk, id, email, verifiedMs, locale, status, createdMs } = account;
	const operator = operatorPk === null ? 0 : 1;
	return {
		account: toAccount({ pk, id, email, verifiedMs, operator, locale, status, createdMs }),
		session: toSession(session, appId),
	};
}

export function toSession(session: typeof sessions.$inferSelect, appId: string | null): Session {
	const { id, kind, name, appPk, device, network, notice, freshMs, lastUsedMs, createdMs } = session;
	const scopes = session.scopes === null ? null : new Set(session.scopes.split(" ") as Scope[]);
	const unusedMs = kind === "pat" ? session.expiresMs : (lastUsedMs ?? createdMs) + IDLE_MS;
	const expiresMs = Math.min(session.expiresMs, unusedMs);
	return { id, kind, name, appPk, appId, scopes, device, network, notice, freshMs, expiresMs, lastUsedMs, createdMs };
}

const asOperator = statements
	.select({ pk: operators.accountPk })
	.from(operators)
	.where(eq(operators.accountPk, accounts.pk));

/** What a query selects from accounts to make an {@link Account}. */
export const accountFields = {
	pk: accounts.pk,
	id: accounts.id,
	email: accounts.email,
	verifiedMs: accounts.verifiedMs,
	operator: sql<number>`${exists(asOperator)}`,
	locale: accounts.locale,
	status: accounts.status,
	createdMs: accounts.createdMs,
};

interface AccountRow extends Omit<Account, "verified" | "operator" | "locale"> {
	readonly locale: string | null;
	readonly verifiedMs: number | null;
	readonly operator: number;
}

export function toAccount({ verifiedMs, operator, locale, ...row }: AccountRow): Account {
	// A language that another release knew is none.
	const known = findLocale([locale ?? ""]) ?? null;
	return { ...row, verified: verifiedMs !== null, operator: operator === 1, locale: known };
}
