import type { GivableRole } from "@svc/base/enumerations";
import { isId } from "@svc/base/ids";
import type { Clock } from "@svc/base/ports";
import { hashSecret } from "@svc/base/secrets";
import type { InvitationStore } from "./invitations-store.ts";

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

export interface InvitationDeps {
	readonly invitations: InvitationStore;
	readonly clock: Clock;
}

const TOKEN = /^[0-9A-Za-z]{32}$/;

/** Whether a text has the form of an invite's token. */
export function isInviteToken(text: string): boolean {
	return TOKEN.test(text);
}

/** One that can still be accepted, for whoever holds its token; undefined for anything else. */
export async function findInvitation(deps: InvitationDeps, id: string, token: string): Promise<Invitation | undefined> {
	if (!isId("inv", id) || !isInviteToken(token)) return undefined;
	const invitation = await deps.invitations.find(id, await hashSecret(token));
	const open = invitation && invitation.acceptedMs === null && invitation.expiresMs > deps.clock.now();
	return open ? invitation : undefined;
}
