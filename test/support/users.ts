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

export function setSignIn(database: Database, appId: string, on: boolean): Promise<void> {
	return run(database, sql`UPDATE apps SET sign_in = ${on ? 1 : 0} WHERE id = ${appId}`);
}

export function setAccountStatus(database: Database, accountId: string, status: string): Promise<void> {
	return run(database, sql`UPDATE accounts SET status = ${status} WHERE id = ${accountId}`);
}

async function run(database: Database, change: SQL): Promise<void> {
	await database.write([{ run: change }]);
}
