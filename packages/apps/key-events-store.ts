import { accounts } from "@svc/base/database/schema/accounts";
import { keys } from "@svc/base/database/schema/keys";
import { newEvent } from "@svc/events/event-entries-store";
import { type Kept, readSnapshot, snapshotOf } from "@svc/events/snapshots-store";
import { getTableColumns, type SQL, sql } from "drizzle-orm";

const { hash: _, ...shown } = getTableColumns(keys);
const FIELDS = { ...shown, createdBy: accounts.id };
const SNAPSHOT = snapshotOf(FIELDS);

type Occasion = Parameters<typeof newEvent>[0];

/** The events of an App's own keys; those of its users are theirs. The data is the row, and what `after` changes in it. */
function keyEvents(
	occasion: Occasion,
	type: "key.created" | "key.revoked",
	where: SQL,
	after: SQL,
): { readonly run: SQL } {
	const data = sql`json_object('object', json_patch(${SNAPSHOT}, ${after}))`;
	const event = { type, appPk: keys.appPk, userId: null, subject: keys.id, data };
	const from = sql`FROM ${keys} JOIN ${accounts} ON ${accounts.pk} = ${keys.creatorPk}
		WHERE ${where} AND ${keys.reach} <> 'user' ORDER BY ${keys.pk}`;
	return newEvent(occasion, event, from);
}

/** Stands behind the step that makes the key. */
export function keyCreated(occasion: Occasion, id: string): { readonly run: SQL } {
	return keyEvents(occasion, "key.created", sql`${keys.id} = ${id}`, sql`'{}'`);
}

/** Stands before the step that revokes the keys. */
export function keysRevoked(occasion: Occasion, where: SQL, reason: string): { readonly run: SQL } {
	const revoked = JSON.stringify({ revokedMs: occasion.nowMs, revokeReason: reason });
	return keyEvents(occasion, "key.revoked", where, sql`${revoked}`);
}

/** A key as its event keeps it. */
export function readKey(kept: Kept) {
	return readSnapshot(FIELDS, kept);
}
