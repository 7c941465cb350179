import type { Actor } from "@svc/base/actor";
import { ROLES, type Role } from "@svc/base/enumerations";
import { Failure, found } from "@svc/base/failure";
import type { Person } from "@svc/people/people";
import type { AppRecord } from "./app-record.ts";
import type { MembershipStore } from "./team/memberships-store.ts";

/**
 * The author of a change in an App, and the role that they must still have at the commit: a demotion in between refuses it as
 * `authority`.
 */
export interface Authority {
	readonly appPk: number;
	readonly accountPk: number;
	readonly needs: Role;
	readonly by: Actor;
}

/** A member of an App's team who acts there. */
export interface TeamMember {
	readonly app: AppRecord;
	readonly role: Role;
	readonly person: Person;
	readonly by: Actor;
}

export function authorityOf({ app, person, by }: TeamMember, needs: Role): Authority {
	return { appPk: app.pk, accountPk: person.account.pk, needs, by };
}

export function isAtLeast(role: Role, needed: Role): boolean {
	return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/**
 * For a change whose author lost the needed role while it was under way.
 * @throws Failure not_found for an author who is no member any more, forbidden for one who still is
 */
export async function refuseDemoted(
	room: { readonly memberships: MembershipStore },
	{ app, person }: TeamMember,
): Promise<never> {
	found(await room.memberships.find(app.id, person.account.pk));
	throw Failure.saying("forbidden", "Your role in this App has changed meanwhile.");
}

export function conflict(message: string): Failure {
	return Failure.saying("state_conflict", message);
}
