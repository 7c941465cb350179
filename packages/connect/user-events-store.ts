import { accounts } from "@svc/base/database/schema/accounts";
import { storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { newEvent } from "@svc/events/event-entries-store";
import { snapshotOf } from "@svc/events/snapshots-store";
import { type SQL, sql } from "drizzle-orm";

type Occasion = Parameters<typeof newEvent>[0];

const { userId, appPk, storagePk, createdMs } = connections;
const IN_APP = sql`${storages.kind} = 'user'`;
/** What the event that they are connected keeps of a user. */
export const userKept = {
	id: userId,
	email: accounts.email,
	verifiedMs: accounts.verifiedMs,
	images: storages.images,
	bytes: storages.bytes,
	createdMs,
};
const OF_USER = { appPk, userId, subject: userId } as const;

/** The events of people who are connected by now; `where` is a condition on `connections`. */
export function usersConnected(occasion: Occasion, where: SQL): { readonly run: SQL } {
	const data = sql`json_object('object', ${snapshotOf(userKept)})`;
	const from = sql`FROM ${connections} JOIN ${storages} ON ${storages.pk} = ${storagePk}
		JOIN ${accounts} ON ${accounts.pk} = ${connections.accountPk} WHERE ${where} AND ${IN_APP}`;
	return newEvent(occasion, { ...OF_USER, type: "user.connected", data }, from);
}

/** The events of people who are connected, and are not from the next step on. */
export function usersDisconnected(occasion: Occasion, where: SQL): { readonly run: SQL } {
	const from = sql`FROM ${connections} JOIN ${storages} ON ${storages.pk} = ${storagePk}
		WHERE ${where} AND ${connections.state} = 'connected' AND ${IN_APP} ORDER BY ${connections.pk}`;
	return newEvent(occasion, { ...OF_USER, type: "user.disconnected" }, from);
}
