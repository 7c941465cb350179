import type { By } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import type { AccountStatus } from "@svc/base/enumerations";
import { accountFields, toAccount } from "@svc/people/account-rows-store";
import type { Account } from "@svc/people/people";
import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { anotherThan } from "./operators-store.ts";

export interface OperatorAccountStore {
	/** Not those that are deleted for good. `prefix` of the address, in the form under which it is unique. */
	list(
		query: Span & { readonly prefix: string | undefined; readonly status: AccountStatus | undefined },
	): Promise<readonly Account[]>;
	find(id: string): Promise<Account | undefined>;
	/** False unless it is active, and somebody else who is an operator, if it is one, can still sign in. */
	disable(id: string, by: By): Promise<boolean>;
	/** False unless it is disabled. */
	enable(id: string, by: By): Promise<boolean>;
}

export function operatorAccountStore({ queries, read, write }: Database): OperatorAccountStore {
	const select = () => queries.select(accountFields).from(accounts);
	const shown = isNull(accounts.deletedMs);

	async function change(run: SQL, event: string, id: string, by: By): Promise<boolean> {
		const { refused } = await write([
			{ run, guard: "unchanged" },
			{ run: auditBy(by, { appPk: null, event, target: id }) },
		]);
		return refused === undefined;
	}

	return {
		async list({ prefix, status, limit, beforePk }) {
			const matching = and(
				shown,
				beforePk === undefined ? undefined : sql`${accounts.pk} < ${beforePk}`,
				status === undefined ? undefined : eq(accounts.status, status),
				// As a range, which the unique index answers.
				prefix === undefined
					? undefined
					: sql`${accounts.emailNorm} >= ${prefix} AND ${accounts.emailNorm} < ${`${prefix}\u{10ffff}`}`,
			);
			const rows = await read(() => select().where(matching).orderBy(desc(accounts.pk)).limit(limit));
			return rows.map(toAccount);
		},
		async find(id) {
			const [row] = await read(() => select().where(and(eq(accounts.id, id), shown)));
			return row && toAccount(row);
		},
		disable: (id, by) =>
			change(
				sql`UPDATE accounts SET status = 'disabled' WHERE id = ${id} AND status = 'active'
					AND (${anotherThan(sql`accounts.pk`)} OR NOT EXISTS (SELECT 1 FROM operators WHERE account_pk = accounts.pk))`,
				"account.disabled",
				id,
				by,
			),
		enable: (id, by) =>
			change(
				sql`UPDATE accounts SET status = 'active' WHERE id = ${id} AND status = 'disabled'`,
				"account.enabled",
				id,
				by,
			),
	};
}
