import type { Role } from "@svc/people/roles";
import type { Storage } from "./access.ts";
import type { AppRecord } from "./apps.ts";

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
