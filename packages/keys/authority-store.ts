import type { Access } from "@svc/apps/access";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, members, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { keys } from "@svc/base/database/schema/keys";
import { sessions } from "@svc/base/database/schema/people";
import type { Places } from "@svc/base/database/write/kept-statements";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { creatorMayHold } from "./keys-store.ts";

/**
 * The condition, for a commit, that a caller who was let in may still write: a call takes as long as its body, and what ended their
 * authority meanwhile was acknowledged. It says in SQL what `identify` and `permit` say; only time ends no call that is under way.
 */
export function mayStillWrite(access: Access): SQL {
	const { values, shape } = authorityOf(access);
	return stillWrites(values, ...shape);
}

/** What {@link stillWrites} asks about a caller. */
export interface AuthorityValues {
	readonly callerId: string;
	/** Of a member of the team. */
	readonly sessionId: string;
	readonly appPk: number;
	readonly storagePk: number;
}

export type AuthorityShape = readonly [reach: Access["caller"]["reach"], isSelected: boolean];

/** Of a job of the service itself nothing is asked. */
export type NoAuthority = readonly [];
export const NOBODY: NoAuthority = [];

/** The same condition, for a statement that is kept. */
export function authorityOf({ caller, app, storage }: Access) {
	const values = { callerId: caller.id, sessionId: String(caller.pk), appPk: app.pk, storagePk: storage.pk };
	const shape: AuthorityShape = [caller.reach, storage.kind === "user" && caller.reach !== "user"];
	return { values, shape };
}

export function stillWrites(
	at: AuthorityValues | Places<AuthorityValues>,
	...[reach, isSelected]: AuthorityShape | NoAuthority
): SQL {
	if (reach === undefined) return sql`TRUE`;
	const may = mayWrite(at, reach);
	return isSelected ? sql`${may} AND ${isConnected(at.storagePk)}` : may;
}

function mayWrite(at: AuthorityValues | Places<AuthorityValues>, reach: AuthorityShape[0]): SQL {
	const { callerId, sessionId, appPk } = at;
	switch (reach) {
		case "user":
			return keyWrites(callerId);
		case "app":
			return sql`${keyWrites(callerId)} AND ${isOpen(appPk)}`;
		case "bucket":
			return sql`${keyWrites(callerId)} AND ${isUnblocked(appPk)}`;
		case "team":
			return sql`${memberWrites(appPk, sessionId)} AND ${isUnblocked(appPk)}`;
		case "anonymous":
			return isOpen(appPk);
	}
}

/** The condition that a key, by its public id, may write: neither its own end nor that of its creator keeps it from it. */
export function keyWrites(id: string | SQLWrapper): SQL {
	return sql`EXISTS (SELECT 1 FROM ${keys}
		JOIN ${storages} ON ${storages.pk} = ${keys.storagePk} JOIN ${accounts} ON ${accounts.pk} = ${keys.creatorPk}
		WHERE ${keys.id} = ${id} AND ${keys.revokedMs} IS NULL AND (${keys.permissions} & 2) <> 0 AND ${creatorMayHold()})`;
}

/** The same for a member of an App's team, by the id of their session or token. */
export function memberWrites(appPk: number | SQLWrapper, sessionId: string | SQLWrapper): SQL {
	return sql`EXISTS (SELECT 1 FROM ${sessions}
		JOIN ${accounts} ON ${accounts.pk} = ${sessions.accountPk} JOIN ${members} ON ${members.accountPk} = ${sessions.accountPk}
		WHERE ${sessions.id} = ${sessionId} AND ${sessions.revokedMs} IS NULL AND ${accounts.status} = 'active'
		AND ${members.appPk} = ${appPk} AND ${members.role} IN ('editor', 'admin', 'owner'))`;
}

function isOpen(appPk: number | SQLWrapper): SQL {
	return sql`EXISTS (SELECT 1 FROM ${apps}
		WHERE ${apps.pk} = ${appPk} AND ${apps.pausedMs} IS NULL AND ${apps.blockedMs} IS NULL)`;
}

function isUnblocked(appPk: number | SQLWrapper): SQL {
	return sql`EXISTS (SELECT 1 FROM ${apps} WHERE ${apps.pk} = ${appPk} AND ${apps.blockedMs} IS NULL)`;
}

function isConnected(storagePk: number | SQLWrapper): SQL {
	return sql`EXISTS (SELECT 1 FROM ${connections} JOIN ${accounts} ON ${accounts.pk} = ${connections.accountPk}
		WHERE ${connections.storagePk} = ${storagePk} AND ${connections.state} = 'connected' AND ${accounts.status} = 'active')`;
}
