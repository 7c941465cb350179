import { accounts } from "@svc/base/database/schema/accounts";
import { apps, members } from "@svc/base/database/schema/apps";
import { rowCondition } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { ROLES, type Role } from "@svc/base/enumerations";
import { type SQL, sql } from "drizzle-orm";
import type { Authority } from "./authority.ts";

/** The actor may still sign in and has the role that the change needs, in an App that is not being deleted. */
export function authorityStep({ appPk, accountPk, needs }: Authority): Step<"demoted"> {
	const member = sql`${members.appPk} = ${appPk} AND ${members.accountPk} = ${accountPk}`;
	const kept = sql`EXISTS (SELECT 1 FROM ${apps} WHERE ${apps.pk} = ${appPk} AND ${apps.deletingMs} IS NULL)`;
	const holds = sql`${member} AND ${members.role} IN ${rolesFrom(needs)} AND ${kept} AND ${isActive(accountPk)}`;
	return rowCondition(members.createdMs, holds, "demoted");
}

/** Whether an account is neither disabled nor being deleted: an App must not belong to such an account. */
export function isActive(accountPk: number | SQL): SQL {
	return sql`EXISTS (SELECT 1 FROM ${accounts} WHERE ${accounts.pk} = ${accountPk} AND ${accounts.status} = 'active')`;
}

function rolesFrom(role: Role): readonly Role[] {
	return ROLES.slice(ROLES.indexOf(role));
}
