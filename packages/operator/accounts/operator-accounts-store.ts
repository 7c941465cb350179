import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import { olderThan, rowCondition, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { AccountStatus } from "@svc/base/enumerations";
import { givenUp } from "@svc/people/address-changes-store";
import { freshSteps } from "@svc/people/fresh-store";
import type { NewLetter } from "@svc/people/letters/security-letter";
import { letterSteps } from "@svc/people/letters/security-letters-store";
import type { Account } from "@svc/people/people";
import { accountFields, toAccount } from "@svc/people/people-store";
import { and, desc, eq, gte, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";

type AccountQuery = Span & { readonly prefix: string | undefined; readonly status: AccountStatus | undefined };

export function operatorAccountStore(database: Database) {
	return {
		/** Lists accounts except those that are deleted for good. `prefix` of the address, in the form in which it is unique. */
		list: listAccounts.bind(null, database),
		find: findAccount.bind(null, database),
		/** "unchanged" unless the account is active and, if it is an operator, another operator can still sign in. */
		disable: disableAccount.bind(null, database),
		/** "unchanged" unless the account is disabled. */
		enable: enableAccount.bind(null, database),
	};
}

const SHOWN = isNull(accounts.deletedMs);

async function listAccounts(
	{ queries, read }: Database,
	{ prefix, status, limit, beforePk }: AccountQuery,
): Promise<readonly Account[]> {
	const matching = and(
		SHOWN,
		olderThan(accounts.pk, beforePk),
		status === undefined ? undefined : eq(accounts.status, status),
		prefix === undefined ? undefined : startsWith(prefix),
	);
	const rows = await read(() =>
		queries.select(accountFields).from(accounts).where(matching).orderBy(desc(accounts.pk)).limit(limit),
	);
	return rows.map(toAccount);
}

/** A range condition, which the unique index answers. */
function startsWith(prefix: string): SQL | undefined {
	return and(gte(accounts.emailNorm, prefix), lt(accounts.emailNorm, `${prefix}\u{10ffff}`));
}

async function findAccount({ queries, read }: Database, id: string): Promise<Account | undefined> {
	const named = and(eq(accounts.id, id), SHOWN);
	const [row] = await read(() => queries.select(accountFields).from(accounts).where(named));
	return row && toAccount(row);
}

function disableAccount(database: Database, id: string, by: Actor): Promise<"unchanged" | "stale" | undefined> {
	const isNoOperator = sql`NOT EXISTS (SELECT 1 FROM ${operators} WHERE ${operators.accountPk} = ${accounts.pk})`;
	const spared = or(anotherThan(sql`${accounts.pk}`), isNoOperator);
	const change = { from: "active", to: "disabled", event: "account.disabled", when: spared } as const;
	return setStatus(database, id, change, freshSteps(by), by);
}

function enableAccount(database: Database, id: string, by: Actor): Promise<"unchanged" | undefined> {
	return setStatus(database, id, { from: "disabled", to: "active", event: "account.enabled" }, NO_CONDITIONS, by);
}

const NO_CONDITIONS: readonly Step<never>[] = [];

interface StatusChange {
	readonly from: AccountStatus;
	readonly to: AccountStatus;
	readonly event: string;
	readonly when?: SQL | undefined;
}

async function setStatus<Cause extends string>(
	{ write }: Database,
	id: string,
	{ from, to, event, when }: StatusChange,
	conditions: readonly Step<Cause>[],
	by: Actor,
): Promise<"unchanged" | Cause | undefined> {
	const { refused } = await write<"unchanged" | Cause>([
		updateStep(accounts, { status: to }, and(eq(accounts.id, id), eq(accounts.status, from), when), "unchanged"),
		...conditions,
		{ run: auditBy(by, { appPk: null, event, target: id }) },
	]);
	return refused;
}

export interface AddedOperator {
	readonly accountId: string;
	readonly email: string;
	readonly emailNorm: string;
}

export function operatorStore(database: Database) {
	return {
		list: listOperators.bind(null, database),
		/**
		 * Makes the account of an address an operator, and the account where there is none yet; `accountId` is for a new one. "operator"
		 * when it is one already, "inactive" when it is disabled or being deleted.
		 */
		add: addOperator.bind(null, database),
		findByEmail: findByEmail.bind(null, database),
		/** "last" when no other operator could sign in then; "gone" for an account that is no operator. */
		remove: removeOperator.bind(null, database),
	};
}

/** Whether another account is an operator who can sign in. */
function anotherThan(accountPk: SQL): SQL {
	const theirs = alias(accounts, "theirs");
	return sql`EXISTS (SELECT 1 FROM ${operators} JOIN ${accounts} AS ${theirs} ON ${theirs.pk} = ${operators.accountPk}
		WHERE ${theirs.pk} <> ${accountPk} AND ${theirs.status} = 'active')`;
}

async function listOperators({ queries, read }: Database, { limit, beforePk }: Span): Promise<readonly Account[]> {
	const rows = await read(() =>
		queries
			.select(accountFields)
			.from(accounts)
			.innerJoin(operators, eq(operators.accountPk, accounts.pk))
			.where(olderThan(accounts.pk, beforePk))
			.orderBy(desc(accounts.pk))
			.limit(limit),
	);
	return rows.map(toAccount);
}

async function addOperator(
	{ queries, write }: Database,
	{ accountId: id, email, emailNorm }: AddedOperator,
	letters: readonly NewLetter[],
	by: Actor,
): Promise<"operator" | "inactive" | "kept" | "stale" | undefined> {
	const { nowMs: createdMs } = by;
	const ofAddress = eq(accounts.emailNorm, emailNorm);
	const accountPk = sql<number>`(SELECT ${accounts.pk} FROM ${accounts} WHERE ${ofAddress})`;
	const account = queries.insert(accounts).values({ id, email, emailNorm, status: "active", createdMs });
	const operator = queries.insert(operators).values({ accountPk, createdByPk: pkOf(by.actor), createdMs });
	const target = sql`(SELECT ${accounts.id} FROM ${accounts} WHERE ${ofAddress})`;
	const { refused } = await write([
		{ run: account.onConflictDoNothing({ target: accounts.emailNorm }) },
		// Made just now, by an address that is kept for the account that gave it up.
		rowCondition(
			accounts.verifiedMs,
			sql`${ofAddress} AND (${accounts.id} <> ${id} OR NOT EXISTS (${givenUp(emailNorm, createdMs)}))`,
			"kept",
		),
		rowCondition(accounts.verifiedMs, sql`${ofAddress} AND ${eq(accounts.status, "active")}`, "inactive"),
		{ run: operator.onConflictDoNothing(), guard: "operator" },
		...freshSteps(by),
		...letterSteps(letters, by.nowMs),
		{ run: auditBy(by, { appPk: null, event: "operator.created", target }) },
	]);
	return refused;
}

async function findByEmail({ queries, read }: Database, emailNorm: string): Promise<Account | undefined> {
	const [row] = await read(() => queries.select(accountFields).from(accounts).where(eq(accounts.emailNorm, emailNorm)));
	return row && toAccount(row);
}

async function removeOperator(
	{ queries, write }: Database,
	accountId: string,
	by: Actor,
): Promise<"last" | "gone" | "stale" | undefined> {
	const pk = pkOf(accountId);
	const them = eq(operators.accountPk, pk);
	const { refused } = await write([
		rowCondition(operators.createdMs, them, "gone"),
		{ run: queries.delete(operators).where(and(them, anotherThan(pk))), guard: "last" },
		...freshSteps(by),
		{ run: auditBy(by, { appPk: null, event: "operator.removed", target: accountId }) },
	]);
	return refused;
}

function pkOf(accountId: string): SQL<number> {
	return sql<number>`(SELECT ${accounts.pk} FROM ${accounts} WHERE ${accounts.id} = ${accountId})`;
}
