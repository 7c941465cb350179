import { auditEach } from "@svc/base/database/audit";
import { accounts } from "@svc/base/database/schema/accounts";
import { sessions } from "@svc/base/database/schema/people";
import { statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { type SQL, sql } from "drizzle-orm";
import { afterOthers, isUnended } from "./people-store.ts";
import type { NewSession } from "./session.ts";

/* What every sign-in writes, by whatever it was proven. */

/** How many sessions an account has at most. */
const SESSIONS_MAX = 100;

interface SignInEntry {
	readonly requestId: string | null;
	readonly nowMs: number;
}

/** A new session of an account, with its audit entry. Of too many sessions those end that were used the longest ago. */
export function sessionSteps(session: NewSession, accountPk: SQL, entry: SignInEntry): readonly Step[] {
	const { id, hash, kind, device, addressMac, network, freshMs, expiresMs } = session;
	const { nowMs, requestId } = entry;
	const createdMs = afterOthers(accountPk, nowMs);
	const made = { id, hash, accountPk, kind, device: device || null, ipHash: addressMac, network };
	const row = { ...made, freshMs, expiresMs, createdMs };
	const created = { atMs: nowMs, actor: accounts.id, appPk: null, event: "session.created", target: id, requestId };
	return [
		{ run: statements.insert(sessions).values(row) },
		...endLeastUsed(entry, accountPk, id),
		{ run: auditEach(created, sql`FROM ${accounts} WHERE ${accounts.pk} = ${accountPk}`) },
	];
}

function endLeastUsed({ nowMs, requestId }: SignInEntry, accountPk: SQL, madeId: string): readonly Step[] {
	const live = sql`${sessions.accountPk} = ${accountPk} AND ${sessions.kind} <> 'pat' AND ${isUnended(nowMs)}`;
	const used = sql`coalesce(${sessions.lastUsedMs}, ${sessions.createdMs})`;
	const least = sql`SELECT ${sessions.id} FROM ${sessions} WHERE ${live} AND ${sessions.id} <> ${madeId}
		ORDER BY ${used} DESC, ${sessions.createdMs} DESC LIMIT -1 OFFSET ${SESSIONS_MAX - 1}`;
	const actor = sql`(SELECT ${accounts.id} FROM ${accounts} WHERE ${accounts.pk} = ${accountPk})`;
	const entry = { atMs: nowMs, actor, appPk: null, event: "session.revoked", target: sessions.id };
	return [
		{ run: auditEach({ ...entry, requestId }, sql`FROM ${sessions} WHERE ${sessions.id} IN (${least})`) },
		updateStep(sessions, { revokedMs: nowMs }, sql`${sessions.id} IN (${least})`),
	];
}
