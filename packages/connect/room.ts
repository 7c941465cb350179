import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { Jobs } from "@svc/jobs/room";
import { connectionStore } from "./connections-store.ts";
import { userKeyStore } from "./user-keys-store.ts";
import { userStore } from "./users-store.ts";

export type Connect = ReturnType<typeof openConnect>;

interface ConnectParts {
	readonly jobs: Jobs;
	/** Whether an App's plan limits how many users it connects. */
	readonly usersLimited: boolean;
}

export function openConnect(base: Base, database: Database, { usersLimited, ...lower }: ConnectParts) {
	return {
		...base,
		...lower,
		connections: connectionStore(database, { usersLimited }),
		users: userStore(database),
		userKeys: userKeyStore(database),
	};
}
