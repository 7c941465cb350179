import type { Storage } from "./access.ts";
import type { AppRecord } from "./apps.ts";
import type { Person } from "./people.ts";
import type { Role } from "./roles.ts";

/* What is asked of the world about people and Apps; see ports.ts. */

export interface PeopleStore {
	/** By the SHA-256 of a session's or token's secret: neither revoked nor expired, of an active account. */
	findPerson(secretHash: Uint8Array, nowMs: number): Promise<Person | undefined>;
	/** Buffered: written at most once a minute per session. */
	touch(sessionId: string, nowMs: number): void;
}

/** An App as one of its members sees it. */
export interface Membership {
	readonly app: AppRecord;
	readonly role: Role;
	/** The App storage. */
	readonly storage: Storage;
}

export interface MembershipStore {
	/** Undefined for an App that does not exist, is being deleted, or has no such member: nobody can tell which. */
	find(appId: string, accountPk: number): Promise<Membership | undefined>;
}
