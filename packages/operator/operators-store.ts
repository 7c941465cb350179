import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { olderThan } from "@svc/base/database/pages";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import type { Account } from "@svc/people/people";
import { accountFields, toAccount } from "@svc/people/people-store";
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";

interface AddedOperator {
	readonly accountId: string;
	readonly email: string;
	readonly emailNorm: string;
}

export function operatorStore(database: Database) {
	return {
		list: (span: Span) => listOperators(database, span),
		/**
		 * Makes the account of an address an operator, and the account where there is none yet; `accountId` is for a new one. "operator"
		 * when it is one already, "inactive" when it is disabled or being deleted.
		 */
		add: (account: AddedOperator, by: Actor) => addOperator(database, account, by),
		findByEmail: (emailNorm: string) => findByEmail(database, emailNorm),
		/** "last" when no other operator could sign in then; "gone" for who is none. */
		remove: (accountId: string, by: Actor) => removeOperator(database, accountId, by),
	};
}

/** Whether somebody else is an operator who can sign in. */
export function anotherThan(accountPk: SQL): SQL {
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
	by: Actor,
): Promise<"operator" | "inactive" | undefined> {
	const { nowMs: createdMs } = by;
	const ofAddress = eq(accounts.emailNorm, emailNorm);
	const accountPk = sql<number>`(SELECT ${accounts.pk} FROM ${accounts} WHERE ${ofAddress})`;
	const { refused } = await write([
		{
			run: queries
				.insert(accounts)
				.values({ id, email, emailNorm, status: "active", createdMs })
				.onConflictDoNothing({ target: accounts.emailNorm }),
		},
		{
			// A guard looks at how many rows a statement touches: writing what is there already is how a condition is asked.
			run: queries
				.update(accounts)
				.set({ status: sql`${accounts.status}` })
				.where(and(ofAddress, eq(accounts.status, "active"))),
			guard: "inactive",
		},
		{
			run: queries
				.insert(operators)
				.values({ accountPk, createdByPk: pkOf(by.actor), createdMs })
				.onConflictDoNothing(),
			guard: "operator",
		},
		{
			run: auditBy(by, {
				appPk: null,
				event: "operator.created",
				target: sql`(SELECT ${accounts.id} FROM ${accounts} WHERE ${ofAddress})`,
			}),
		},
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
): Promise<"last" | "gone" | undefined> {
	const pk = pkOf(accountId);
	const them = eq(operators.accountPk, pk);
	const { refused } = await write([
		{
			run: queries
				.update(operators)
				.set({ createdMs: sql`${operators.createdMs}` })
				.where(them),
			guard: "gone",
		},
		{ run: queries.delete(operators).where(and(them, anotherThan(pk))), guard: "last" },
		{ run: auditBy(by, { appPk: null, event: "operator.removed", target: accountId }) },
	]);
	return refused;
}

function pkOf(accountId: string): SQL<number> {
	return sql<number>`(SELECT ${accounts.pk} FROM ${accounts} WHERE ${accounts.id} = ${accountId})`;
}
