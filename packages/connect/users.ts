import type { AppRecord } from "@svc/apps/app-record";
import { found } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { type Kept, readSnapshot } from "@svc/events/snapshots-store";
import type { ConnectedUser, OwnConnection, UserPage } from "./connected-user.ts";
import type { Connect } from "./room.ts";
import { userKept } from "./user-events-store.ts";

/** The user of the event that they are connected, as they were then. */
export function readUserEvent(kept: Kept): Omit<ConnectedUser, "pk"> {
	const { verifiedMs, ...user } = readSnapshot(userKept, kept);
	return { ...user, verified: verifiedMs !== null, state: "connected", lastUsedDay: null };
}

/** The App's users; an empty list while its sign-in is off (specification, "Authentication" 7). */
export async function listUsers(room: Connect, app: AppRecord, page: UserPage): Promise<readonly ConnectedUser[]> {
	return app.signIn ? await room.users.list(app.pk, page) : [];
}

/** @throws Failure not_found */
export async function getUser(room: Connect, app: AppRecord, userId: string): Promise<ConnectedUser> {
	return found(app.signIn && isId("usr", userId) ? await room.users.find(app.pk, userId) : undefined);
}

const ALL = 1_000;

/** Newest first: the Apps that a person is connected to, and those whose storage is still being emptied. */
export async function listConnections(
	room: Connect,
	account: { readonly pk: number },
	page: Omit<UserPage, "email"> = { limit: ALL },
): Promise<readonly OwnConnection[]> {
	return await room.users.listConnections(account.pk, page);
}
