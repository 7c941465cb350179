import type { Permission } from "@svc/base/enumerations";
import { Failure, invalid } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { hasScope, type Person } from "@svc/people/people";
import { identifyPerson, type PageVisitor } from "@svc/people/visitors";
import type { Access, Storage } from "../access.ts";
import type { Membership } from "../app-record.ts";
import { isAtLeast } from "../authority.ts";
import type { Apps } from "../room.ts";
import type { MembershipStore } from "./memberships-store.ts";

/** The storage that a signed-in person selects: by `X-Svc-App` and, if wanted, `X-Svc-User`. */
interface Selection {
	readonly app: string | null;
	readonly user: string | null;
}

/** What a token's scope for a call with `X-Svc-App` is named after. */
export type StorageNoun = "images" | "events";

/** @throws Failure not_found for an App that does not exist and for one that the person, or their token, has no part in */
export async function getMembership(room: Apps, person: Person, appId: string): Promise<Membership> {
	const membership = isId("app", appId) ? await room.memberships.find(appId, person.account.pk) : undefined;
	const bound = person.session.appPk;
	if (!membership || (bound !== null && bound !== membership.app.pk)) throw new Failure("not_found");
	return membership;
}

/** A member of an App's team as the caller of an image route: Viewers read, the other roles write as well. */
export async function identifyMember(
	room: Apps,
	proof: string | PageVisitor,
	selected: Selection,
	noun: StorageNoun = "images",
): Promise<Access> {
	const person = await identifyPerson(room.people, proof);
	if (selected.app === null) throw invalid("X-Svc-App", "must name the App that the call is about");
	const membership = await getMembership(room, person, selected.app);
	const { app, storage } = membership;
	const permissions = permissionsOf(person, membership, noun);
	const caller = { pk: person.session.id, id: person.account.id, reach: "team", permissions } as const;
	const { user } = selected;
	if (user === null) return { caller, app, storage };
	const theirs = await findUserStorage(room, app.pk, user);
	return { caller, app, storage: theirs, noteOpened: () => noteOpened(room, person, app.pk, user) };
}

/**
 * The storage of a user for somebody of the team. A person who looks into it, rather than a program with a token, is in the audit before they see anything.
 * @throws Failure as {@link findUserStorage}
 */
export async function openUserStorage(room: Apps, person: Person, appPk: number, userId: string): Promise<Storage> {
	const storage = await findUserStorage(room, appPk, userId);
	await noteOpened(room, person, appPk, userId);
	return storage;
}

async function noteOpened(room: Apps, { account, session }: Person, appPk: number, userId: string): Promise<void> {
	if (session.kind !== "pat") await room.noteOpened({ appPk, actor: account.id, userId, nowMs: room.clock.now() });
}

function permissionsOf({ session }: Person, { role }: Membership, noun: StorageNoun): ReadonlySet<Permission> {
	const permissions = new Set<Permission>();
	if (hasScope(session.scopes, `${noun}:read`)) permissions.add("read");
	if (isAtLeast(role, "editor") && hasScope(session.scopes, `${noun}:write`)) permissions.add("write");
	return permissions;
}

/** @throws Failure validation_error for what is no user id, user_forbidden for a user that this App cannot reach */
export async function findUserStorage(
	room: { readonly memberships: Pick<MembershipStore, "findUserStorage"> },
	appPk: number,
	user: string,
): Promise<Storage> {
	if (!isId("usr", user)) throw invalid("X-Svc-User", "must be a user id as returned by POST /v1/auth/exchange");
	const storage = await room.memberships.findUserStorage(appPk, user);
	if (!storage || storage.state === "deleting") throw new Failure("user_forbidden");
	return storage;
}
