import type { Step } from "@svc/base/database/client";
import { ROLES, type Role } from "@svc/base/enumerations";
import { type SQL, sql } from "drizzle-orm";
import type { Authority } from "./authority.ts";

/*
 * Conditions of a change that are not about the row that it changes. Each is an update that changes nothing, of exactly one row where
 * the condition holds: a guard counts the rows.
 */

/** Whoever does it may still sign in and has the role that it needs, in an App that is not being deleted. */
export function authorityStep({ appPk, accountPk, needs }: Authority): Step<"demoted"> {
	return {
		run: sql`UPDATE members SET role = role WHERE app_pk = ${appPk} AND account_pk = ${accountPk}
			AND role IN ${rolesFrom(needs)} AND EXISTS (SELECT 1 FROM apps WHERE pk = ${appPk} AND deleting_ms IS NULL)
			AND ${isActive(accountPk)}`,
		guard: "demoted",
	};
}

/** Whether an account is neither disabled nor being deleted: an App that such a one owned would be nobody's. */
export function isActive(accountPk: number | SQL): SQL {
	return sql`EXISTS (SELECT 1 FROM accounts WHERE pk = ${accountPk} AND status = 'active')`;
}

function rolesFrom(role: Role): readonly Role[] {
	return ROLES.slice(ROLES.indexOf(role));
}

export function condition<Cause extends string>(appPk: number | SQL, holds: SQL, guard: Cause): Step<Cause> {
	return { run: sql`UPDATE apps SET name = name WHERE pk = ${appPk} AND (${holds})`, guard };
}
