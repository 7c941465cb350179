import { accounts, operators } from "@svc/base/database/schema/accounts";
import { statements } from "@svc/base/database/statements";
import { eq, exists, sql } from "drizzle-orm";
import type { Account } from "./people.ts";

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
