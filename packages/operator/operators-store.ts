import type { By } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import { accountFields, toAccount } from "@svc/people/account-rows-store";
import type { Account } from "@svc/people/people";
import { desc, eq, type SQL, sql } from "drizzle-orm";

export interface OperatorStore {
	list(span: Span): Promise<readonly Account[]>;
	/**
	 * Makes the account of an address an operator, and the account where there is none yet; `accountId` is for a new one. "operator"
	 * when it is one already, "inactive" when it is disabled or being deleted.
	 */
	add(
		account: { readonly accountId: string; readonly email: string; readonly emailNorm: string },
		by: By,
	): Promise<"operator" | "inactive" | undefined>;
	findByEmail(emailNorm: string): Promise<Account | undefined>;
	/** "last" when no other operator could sign in then; "gone" for who is none. */
	remove(accountId: string, by: By): Promise<"last" | "gone" | undefined>;
}

export function operatorStore({ queries, read, write }: Database): OperatorStore {
	return {
		async list({ limit, beforePk }) {
			const before = beforePk === undefined ? undefined : sql`${accounts.pk} < ${beforePk}`;
			const rows = await read(() =>
				queries
					.select(accountFields)
					.from(accounts)
					.innerJoin(operators, eq(operators.accountPk, accounts.pk))
					.where(before)
					.orderBy(desc(accounts.pk))
					.limit(limit),
			);
			return rows.map(toAccount);
		},
		async add({ accountId, email, emailNorm }, by) {
			const { refused } = await write([
				{
					run: sql`INSERT INTO accounts (id, email, email_norm, status, created_ms)
						VALUES (${accountId}, ${email}, ${emailNorm}, 'active', ${by.nowMs}) ON CONFLICT (email_norm) DO NOTHING`,
				},
				{
					run: sql`UPDATE accounts SET status = status WHERE email_norm = ${emailNorm} AND status = 'active'`,
					guard: "inactive",
				},
				{
					run: sql`INSERT INTO operators (account_pk, created_by_pk, created_ms)
						SELECT pk, (SELECT pk FROM accounts WHERE id = ${by.actor}), ${by.nowMs} FROM accounts WHERE email_norm = ${emailNorm}
						ON CONFLICT DO NOTHING`,
					guard: "operator",
				},
				{
					run: auditBy(by, {
						appPk: null,
						event: "operator.created",
						target: sql`(SELECT id FROM accounts WHERE email_norm = ${emailNorm})`,
					}),
				},
			]);
			return refused;
		},
		async findByEmail(emailNorm) {
			const [row] = await read(() =>
				queries.select(accountFields).from(accounts).where(eq(accounts.emailNorm, emailNorm)),
			);
			return row && toAccount(row);
		},
		async remove(accountId, by) {
			const pk = sql`(SELECT pk FROM accounts WHERE id = ${accountId})`;
			const { refused } = await write([
				{ run: sql`UPDATE operators SET created_ms = created_ms WHERE account_pk = ${pk}`, guard: "gone" },
				{ run: sql`DELETE FROM operators WHERE account_pk = ${pk} AND ${anotherThan(pk)}`, guard: "last" },
				{ run: auditBy(by, { appPk: null, event: "operator.removed", target: accountId }) },
			]);
			return refused;
		},
	};
}

/** Whether somebody else is an operator who can sign in. */
export function anotherThan(accountPk: SQL): SQL {
	return sql`EXISTS (SELECT 1 FROM operators AS other JOIN accounts AS theirs ON theirs.pk = other.account_pk
		WHERE other.account_pk <> ${accountPk} AND theirs.status = 'active')`;
}
