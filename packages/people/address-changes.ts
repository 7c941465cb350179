import { Failure } from "@svc/base/failure";
import type { AddressChange } from "./address-change.ts";
import { linkToken, readLink } from "./letter-links.ts";
import type { People } from "./room.ts";

/* The way back from a change of address, which leads from a letter to the old one. */

/** How long the letter leads back, and the old address is kept for its account. */
export const WAY_BACK_DAYS = 7;
export const WAY_BACK_MS = WAY_BACK_DAYS * 86_400_000;

export async function undoLink(room: People, ref: string): Promise<string> {
	return `${room.addresses.web}/account/undo/${await linkToken(room.proofs.current(), "undo", ref)}`;
}

/** @throws Failure not_found for a link that the service did not write, or whose time is over */
export async function findAddressChange(room: People, token: string): Promise<AddressChange> {
	const ref = await readLink(room.proofs, "undo", token);
	const change = ref === undefined ? undefined : await room.addressChanges.find(ref, room.clock.now());
	if (!change) throw new Failure("not_found");
	return change;
}

/**
 * Gives the account its old address back, and ends every session and token. Later changes are taken back with it; an earlier letter
 * still leads further back.
 * @throws Failure not_found, state_conflict for a change that was taken back before
 */
export async function undoAddressChange(room: People, token: string, requestId: string): Promise<AddressChange> {
	const change = await findAddressChange(room, token);
	const refused = await room.addressChanges.undo(change, { requestId, nowMs: room.clock.now() });
	if (refused === undefined) return change;
	throw Failure.saying("state_conflict", "This link has been used, or an older letter has led back before it.");
}

/** The address with all but its first character and its host hidden, for letters that others may read. */
export function maskedEmail(email: string): string {
	const at = email.lastIndexOf("@");
	return `${[...email.slice(0, at)][0] ?? ""}•••${email.slice(at)}`;
}
