import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import type { AccountStatus } from "@svc/base/enumerations";
import type { Account } from "@svc/people/people";
import { accountFields, toAccount } from "@svc/people/people-store";
import { and, desc, eq, gte, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { anotherThan } from "./operators-store.ts";

type AccountQuery = Span & { readonly prefix: string | undefined; readonly status: AccountStatus | undefined };

export function operatorAccountStore(database: Database) {
	return {
		/** Not those that are deleted for good. `prefix` of the address, in the form under which it is unique. */
		list: (query: AccountQuery) => listAccounts(database, query),
		find: (id: string) => findAccount(database, id),
		/** False unless it is active, and somebody else who is an operator, if it is one, can still sign in. */
		disable: (id: string, by: Actor) => disableAccount(database, id, by),
		/** False unless it is disabled. */
		enable: (id: string, by: Actor) => enableAccount(database, id, by),
	};
}

const SHOWN = isNull(accounts.deletedMs);

async function listAccounts(
	{ queries, read }: Database,
	{ prefix, status, limit, beforePk }: AccountQuery,
): Promise<readonly Account[]> {
	const matching = and(
		SHOWN,
		beforePk === undefined ? undefined : lt(accounts.pk, beforePk),
		status === undefined ? undefined : eq(accounts.status, status),
		prefix === undefined ? undefined : startsWith(prefix),
	);
	const rows = await read(() =>
		queries.select(accountFields).from(accounts).where(matching).orderBy(desc(accounts.pk)).limit(limit),
	);
	return rows.map(toAccount);
}

/** As a range, which the unique index answers. */
function startsWith(prefix: string): SQL | undefined {
	return and(gte(accounts.emailNorm, prefix), lt(accounts.emailNorm, `${prefix}\u{10ffff}`));
}

async function findAccount({ queries, read }: Database, id: string): Promise<Account | undefined> {
	const [row] = await read(() =>
		queries
			.select(accountFields)
			.from(accounts)
			.where(and(eq(accounts.id, id), SHOWN)),
	);
	return row && toAccount(row);
}

function disableAccount(database: Database, id: string, by: Actor): Promise<boolean> {
	const isNoOperator = sql`NOT EXISTS (SELECT 1 FROM ${operators} WHERE ${operators.accountPk} = ${accounts.pk})`;
	const spared = or(anotherThan(sql`${accounts.pk}`), isNoOperator);
	return setStatus(database, id, { from: "active", to: "disabled", event: "account.disabled", when: spared }, by);
}

function enableAccount(database: Database, id: string, by: Actor): Promise<boolean> {
	return setStatus(database, id, { from: "disabled", to: "active", event: "account.enabled" }, by);
}

interface StatusChange {
	readonly from: AccountStatus;
	readonly to: AccountStatus;
	readonly event: string;
	readonly when?: SQL | undefined;
}

async function setStatus(
	{ queries, write }: Database,
	id: string,
	{ from, to, event, when }: StatusChange,
	by: Actor,
): Promise<boolean> {
	const { refused } = await write([
		{
			run: queries
				.update(accounts)
				.set({ status: to })
				.where(and(eq(accounts.id, id), eq(accounts.status, from), when)),
			guard: "unchanged",
		},
		{ run: auditBy(by, { appPk: null, event, target: id }) },
	]);
	return refused === undefined;
}
