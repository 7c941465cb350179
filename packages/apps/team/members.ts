import type { GivableRole, Role } from "@svc/base/enumerations";
import { Failure, found } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { newMail } from "@svc/mail/mail";
import { authorityOf, conflict, isAtLeast, refuseDemoted, type TeamMember } from "../authority.ts";
import type { Apps } from "../room.ts";

/** A person in an App's team. */
export interface Member {
	/** The pk of the account. */
	readonly pk: number;
	readonly accountId: string;
	readonly email: string;
	readonly role: Role;
	readonly createdMs: number;
}

/** @throws Failure not_found */
async function getMember(room: Apps, { app }: TeamMember, accountId: string): Promise<Member> {
	return found(isId("acc", accountId) ? await room.members.find(app.pk, accountId) : undefined);
}

/**
 * Gives a member another role. A member below Admin holds no keys: theirs are revoked for good, which `revokeKeys` must allow.
 * @throws Failure not_found; state_conflict for the Owner, and naming under `keys` those that would be revoked
 */
export async function changeRole(
	room: Apps,
	teamMember: TeamMember,
	accountId: string,
	{ role, revokeKeys }: { readonly role: GivableRole; readonly revokeKeys: boolean },
): Promise<Member> {
	const member = await getMember(room, teamMember, accountId);
	const { app, by, page } = toldBy(room, teamMember);
	const mail = newMail("role_changed", member.email, { app, by, role, page });
	const refused = await room.members.changeRole(authorityOf(teamMember, "admin"), member, role, revokeKeys, mail);
	if (refused) await refuse(room, teamMember, member, refused);
	return await getMember(room, teamMember, accountId);
}

/**
 * Removes a member from the team: Admins remove any member but the Owner, and any other member may leave.
 * @throws Failure not_found; forbidden; state_conflict for the Owner, and naming under `keys` those that would be revoked
 */
export async function removeMember(
	room: Apps,
	teamMember: TeamMember,
	accountId: string,
	revokeKeys: boolean,
): Promise<void> {
	const leaving = accountId === teamMember.person.account.id;
	if (!leaving && !isAtLeast(teamMember.role, "admin")) {
		throw Failure.saying("forbidden", "Only Admins and the Owner remove others from the team.");
	}
	const member = await getMember(room, teamMember, accountId);
	const mail = leaving ? undefined : newMail("removed_from_team", member.email, toldBy(room, teamMember));
	const authority = authorityOf(teamMember, leaving ? "viewer" : "admin");
	const refused = await room.members.remove(authority, member, revokeKeys, mail);
	if (refused) await refuse(room, teamMember, member, refused);
}

/** What the mails to a member say of who did it, and where. */
function toldBy({ addresses }: Apps, { app, person }: TeamMember) {
	return { app: app.name, by: person.account.email, page: `${addresses.web}/account/apps` };
}

type MemberRefusal = "demoted" | "owner" | "keys";

async function refuse(room: Apps, teamMember: TeamMember, member: Member, refused: MemberRefusal): Promise<never> {
	if (refused === "demoted") return await refuseDemoted(room, teamMember);
	if (refused === "owner") {
		// The person is not a member any more, or the Owner by now.
		await getMember(room, teamMember, member.accountId);
		throw conflict("The Owner stays Owner until the App is transferred to another member.");
	}
	const keys = await room.members.liveKeys(teamMember.app.pk, member.pk, room.clock.now());
	const message = "This revokes keys for good, since their creator would not be Admin any more; send revoke_keys=true.";
	throw new Failure("state_conflict", { keys }, { message });
}
