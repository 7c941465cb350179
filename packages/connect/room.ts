import type { Base } from "@svc/base/base";
import type { SecretPrefix } from "@svc/base/crypto/secrets";
import type { Database } from "@svc/base/database/client";
import type { Jobs } from "@svc/jobs/room";
import type { People } from "@svc/people/room";
import type { UsersLimits } from "./connection.ts";
import { connectionStore } from "./connections-store.ts";
import { userKeyStore } from "./user-keys-store.ts";
import { userStore } from "./users-store.ts";

export type Connect = ReturnType<typeof openConnect>;

interface ConnectParts {
	readonly jobs: Jobs;
	readonly people: People;
	/** Undefined where an App may have any number of users. */
	readonly usersLimits: UsersLimits | undefined;
	/** The version of the consent. A connection that was made under an earlier one is not renewed silently. */
	readonly consentVersion: number;
	/** What the secrets of people's own keys begin with. */
	readonly userKeyPrefix: SecretPrefix;
}

export function openConnect(base: Base, database: Database, { usersLimits, ...lower }: ConnectParts) {
	return {
		...base,
		...lower,
		connections: connectionStore(database, usersLimits),
		users: userStore(database),
		userKeys: userKeyStore(database),
	};
}
