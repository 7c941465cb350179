import { accounts } from "@svc/base/database/schema/accounts";
import { sql } from "drizzle-orm";
import type { Account } from "./people.ts";

/** What a query selects from accounts to make an {@link Account}. */
export const accountFields = {
	pk: accounts.pk,
	id: accounts.id,
	email: accounts.email,
	verifiedMs: accounts.verifiedMs,
	operator: sql<number>`EXISTS (SELECT 1 FROM operators WHERE operators.account_pk = ${accounts.pk})`,
	status: accounts.status,
	createdMs: accounts.createdMs,
};

interface AccountRow extends Omit<Account, "verified" | "operator"> {
	readonly verifiedMs: number | null;
	readonly operator: number;
}

export function toAccount({ verifiedMs, operator, ...row }: AccountRow): Account {
	return { ...row, verified: verifiedMs !== null, operator: operator === 1 };
}
