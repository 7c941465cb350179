import type { Database } from "@svc/base/database/client";
import { type SQL, sql } from "drizzle-orm";
import { connectUser, type TestUser } from "./apps.ts";
import { addSession } from "./people.ts";

/* People who are connected to Apps and signed in themselves. */

export interface SignedInUser extends TestUser {
	readonly email: string;
	/** Secret of a session. */
	readonly secret: string;
}

export async function addUser(database: Database, app: { readonly id: string }): Promise<SignedInUser> {
	const user = await connectUser(database, app);
	const secret = await addSession(database, user.accountId);
	return { ...user, email: `${user.accountId.toLowerCase()}@example.com`, secret };
}

/** Connects somebody to another App as well; the id by which that App knows them. */
export async function connectAlso(
	database: Database,
	accountId: string,
	app: { readonly id: string },
): Promise<string> {
	const stranger = await connectUser(database, app);
	const account = sql`(SELECT pk FROM accounts WHERE id = ${accountId})`;
	await database.write([
		{ run: sql`UPDATE connections SET account_pk = ${account} WHERE user_id = ${stranger.id}` },
		{ run: sql`UPDATE storages SET account_pk = ${account} WHERE id = ${stranger.storageId}` },
	]);
	return stranger.id;
}

export function setSignIn(database: Database, appId: string, on: boolean): Promise<void> {
	return run(database, sql`UPDATE apps SET sign_in = ${on ? 1 : 0} WHERE id = ${appId}`);
}

export function setAccountStatus(database: Database, accountId: string, status: string): Promise<void> {
	return run(database, sql`UPDATE accounts SET status = ${status} WHERE id = ${accountId}`);
}

async function run(database: Database, change: SQL): Promise<void> {
	await database.write([{ run: change }]);
}
