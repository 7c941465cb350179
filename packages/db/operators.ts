import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import type { OperatorStore } from "@svc/core/ports-operators";
import { accountFields, toAccount } from "@svc/people/account-rows-store";
import { desc, eq, type SQL, sql } from "drizzle-orm";

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
