import type { Access } from "@svc/apps/access";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, members, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { keys } from "@svc/base/database/schema/keys";
import { sessions } from "@svc/base/database/schema/people";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { creatorMayHold } from "./keys-store.ts";

/**
 * The condition, for a commit, that a caller who was let in may still write: a call takes as long as its body, and what ended their
 * authority meanwhile was acknowledged. It says in SQL what `identify` and `permit` say; only time ends no call that is under way.
 */
export function mayStillWrite({ caller, app, storage }: Access): SQL {
	const conditions = [mayWrite({ caller, app })];
	const selected = storage.kind === "user" && caller.reach !== "user";
	if (selected) conditions.push(isConnected(storage.pk));
	return sql.join(conditions, sql` AND `);
}

function mayWrite({ caller, app }: Pick<Access, "caller" | "app">): SQL {
	const { id, pk, reach } = caller;
	switch (reach) {
		case "user":
			return keyWrites(id);
		case "app":
			return sql`${keyWrites(id)} AND ${isOpen(app.pk)}`;
		case "bucket":
			return sql`${keyWrites(id)} AND ${isUnblocked(app.pk)}`;
		case "team":
			return sql`${memberWrites(app.pk, String(pk))} AND ${isUnblocked(app.pk)}`;
		case "anonymous":
			return isOpen(app.pk);
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

function isOpen(appPk: number): SQL {
	return sql`EXISTS (SELECT 1 FROM ${apps}
		WHERE ${apps.pk} = ${appPk} AND ${apps.pausedMs} IS NULL AND ${apps.blockedMs} IS NULL)`;
}

function isUnblocked(appPk: number): SQL {
	return sql`EXISTS (SELECT 1 FROM ${apps} WHERE ${apps.pk} = ${appPk} AND ${apps.blockedMs} IS NULL)`;
}

function isConnected(storagePk: number): SQL {
	return sql`EXISTS (SELECT 1 FROM ${connections} JOIN ${accounts} ON ${accounts.pk} = ${connections.accountPk}
		WHERE ${connections.storagePk} = ${storagePk} AND ${connections.state} = 'connected' AND ${accounts.status} = 'active')`;
}
