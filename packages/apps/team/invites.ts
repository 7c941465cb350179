import type { Actor } from "@svc/base/actor";
import { hashSecret } from "@svc/base/crypto/secrets";
import { foldEmail, isTestAddress, parseEmail } from "@svc/base/email";
import type { GivableRole } from "@svc/base/enumerations";
import { Failure, found, invalid } from "@svc/base/failure";
import { isId, newId, randomBase62 } from "@svc/base/ids";
import { newMail, sealedMail } from "@svc/mail/mail";
import type { Person } from "@svc/people/people";
import { authorityOf, conflict, refuseDemoted, type TeamMember } from "../authority.ts";
import type { Apps } from "../room.ts";
import type { Member } from "./members.ts";

export interface Invite {
	readonly pk: number;
	readonly id: string;
	readonly appPk: number;
	readonly email: string;
	readonly emailNorm: string;
	readonly role: GivableRole;
	readonly expiresMs: number;
	readonly acceptedMs: number | null;
	readonly createdMs: number;
}

/** The fields of an invite for those who may invite. */
export type ShownInvite = Pick<Invite, "id" | "email" | "role" | "expiresMs" | "createdMs">;

export interface NewInvite extends Pick<Invite, "id" | "email" | "emailNorm" | "role" | "expiresMs"> {
	readonly tokenHash: Uint8Array;
}

/** An invite as the invited person sees it, before they accept it. */
export interface Invitation extends Pick<Invite, "id" | "role" | "email" | "expiresMs" | "acceptedMs"> {
	readonly appId: string;
	readonly appName: string;
}

const LIFE_MS = 7 * 86_400_000;
const OPEN_MAX = 100;
const HOUR_MS = 3_600_000;
/** Limits repeated invites, so that they cannot fill a mailbox. */
const PER_ADDRESS = { limit: 10, windowMs: 24 * HOUR_MS };
const PER_APP = { limit: 60, windowMs: HOUR_MS };
/** One person may have many Apps. */
const PER_PERSON = { limit: 100, windowMs: 24 * HOUR_MS };

/**
 * Invites a person by mail; an open invite of the same address is replaced. The token is shown this once.
 * @throws Failure validation_error under `email`, rate_limited
 */
export async function createInvite(
	room: Apps,
	teamMember: TeamMember,
	request: { readonly email: string; readonly role: GivableRole },
): Promise<{ readonly invite: ShownInvite; readonly token: string }> {
	const email = parseEmail(request.email);
	const { app, by } = teamMember;
	const emailNorm = foldEmail(email);
	if (isTestAddress(room, email) !== isTestAddress(room, teamMember.person.account.email)) {
		throw invalid("email", "cannot be invited: test people and others are in no team together");
	}
	await throttle(room, `invite:by:${teamMember.person.account.id}`, PER_PERSON, by);
	await throttle(room, `invite:app:${app.id}`, PER_APP, by);
	await throttle(room, `invite:to:${emailNorm}`, PER_ADDRESS, by);
	const token = randomBase62(32);
	const expiresMs = by.nowMs + LIFE_MS;
	const tokenHash = await hashSecret(token);
	const invite = { id: newId("inv"), email, emailNorm, role: request.role, expiresMs, tokenHash };
	const link = `${room.addresses.web}/invites/${invite.id}?token=${token}`;
	const inviter = teamMember.person.account.email;
	const facts = { app: app.name, by: inviter, role: invite.role, link, days: LIFE_MS / 86_400_000 };
	const mail = sealedMail(room.keyring, newMail("invite", email, facts, `invite:${invite.id}`));
	const refused = await room.invites.create(authorityOf(teamMember, "admin"), invite, mail, OPEN_MAX);
	if (refused === "demoted") await refuseDemoted(room, teamMember);
	if (refused === "member") throw invalid("email", "is a member of this App already");
	if (refused === "full") throw invalid("email", `cannot be invited: this App has ${OPEN_MAX} open invites`);
	return { invite: { ...invite, createdMs: by.nowMs }, token };
}

async function throttle(
	{ throttles }: Apps,
	bucket: string,
	{ limit, windowMs }: { readonly limit: number; readonly windowMs: number },
	{ nowMs }: Actor,
): Promise<void> {
	if (await throttles.take(bucket, limit, windowMs, nowMs)) return;
	const endsMs = (await throttles.find(bucket, nowMs))?.endsMs ?? nowMs;
	throw new Failure("rate_limited", undefined, {
		message: "Too many invites were sent; wait before sending more.",
		retryAfterSeconds: Math.max(1, Math.ceil((endsMs - nowMs) / 1_000)),
	});
}

/** @throws Failure not_found; state_conflict for one that was accepted */
export async function deleteInvite(room: Apps, teamMember: TeamMember, id: string): Promise<void> {
	const invite = found(isId("inv", id) ? await room.invites.find(teamMember.app.pk, id) : undefined);
	if (invite.acceptedMs !== null) throw spent();
	const refused = await room.invites.delete(authorityOf(teamMember, "admin"), invite);
	if (refused === "demoted") await refuseDemoted(room, teamMember);
	if (refused === "gone") throw spent();
}

function spent(): Failure {
	return conflict("This invite has been accepted, and works only once.");
}

/**
 * Makes the person who was invited a member. An unknown invite, another's token and another's invite all fail alike.
 * @throws Failure not_found; state_conflict for one that is spent or expired, and for a person who is a member already
 */
export async function acceptInvite(room: Apps, person: Person, id: string, token: string, by: Actor): Promise<Member> {
	const invite = await getOwnInvite(room, person, id, token);
	if (invite.acceptedMs !== null) throw spent();
	if (invite.expiresMs <= by.nowMs) throw conflict("This invite has expired; ask for another one.");
	const refused = await room.invites.accept(invite, person.account, by);
	if (refused === "member") throw conflict("You are a member of this App already.");
	if (refused === "spent") throw spent();
	return found(await room.members.find(invite.appPk, person.account.id));
}

/** The invite of a token, for the person whose it is. @throws Failure not_found for anybody else, and for a token bound to another App */
export async function getOwnInvite(room: Apps, { account, session }: Person, id: string, token: string) {
	const known = isId("inv", id) && isInviteToken(token);
	const invite = known ? await room.invites.findByToken(id, await hashSecret(token)) : undefined;
	if (!invite || invite.emailNorm !== foldEmail(account.email)) throw new Failure("not_found");
	if (session.appPk !== null && session.appPk !== invite.appPk) throw new Failure("not_found");
	return invite;
}

/** Whether a text has the form of an invite's token. */
export function isInviteToken(text: string): boolean {
	return /^[0-9A-Za-z]{32}$/.test(text);
}

/** An invite that can still be accepted, for the holder of its token; undefined for anything else. */
export async function findInvitation(room: Apps, id: string, token: string): Promise<Invitation | undefined> {
	if (!isId("inv", id) || !isInviteToken(token)) return undefined;
	const invitation = await room.invites.findInvitation(id, await hashSecret(token));
	const open = invitation && invitation.acceptedMs === null && invitation.expiresMs > room.clock.now();
	return open ? invitation : undefined;
}
