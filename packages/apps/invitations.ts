import type { GivableRole } from "@svc/base/enumerations";
import { isId } from "@svc/base/ids";
import { hashSecret } from "@svc/base/secrets";
import type { Apps } from "./room.ts";

/** An invite as the invited person sees it, before they accept it. */
export interface Invitation {
	readonly id: string;
	readonly appName: string;
	readonly role: GivableRole;
	/** Of the invited person. */
	readonly email: string;
	readonly expiresMs: number;
	readonly acceptedMs: number | null;
}

const TOKEN = /^[0-9A-Za-z]{32}$/;

/** Whether a text has the form of an invite's token. */
export function isInviteToken(text: string): boolean {
	return TOKEN.test(text);
}

/** One that can still be accepted, for whoever holds its token; undefined for anything else. */
export async function findInvitation(room: Apps, id: string, token: string): Promise<Invitation | undefined> {
	if (!isId("inv", id) || !isInviteToken(token)) return undefined;
	const invitation = await room.invitations.find(id, await hashSecret(token));
	const open = invitation && invitation.acceptedMs === null && invitation.expiresMs > room.clock.now();
	return open ? invitation : undefined;
}
