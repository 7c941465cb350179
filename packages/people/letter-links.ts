import type { KeyVersions } from "@svc/base/crypto/keyring";
import { type Mac, sameBytes } from "@svc/base/crypto/macs";

/*
 * The links in letters about an account. Their tokens hold letters of the alphabet alone, since six digits in a row could be taken for a
 * code. The first part names a row, the second proves that the service wrote the link: whoever reads the database can make none.
 */

/** Without vowels, so that no words come about. */
const LETTERS = "bcdfghjklmnpqrst";
const REF_BYTES = 10;
const PROOF_BYTES = 16;

/** `undo` gives an earlier address back, `not_me` takes back what a letter tells of. */
export type LinkKind = "undo" | "not_me";

/** A new name of a row, which a link can carry. */
export function newRef(): string {
	return toLetters(crypto.getRandomValues(new Uint8Array(REF_BYTES)));
}

/** A secret for a link that no row is named by. */
export function newLinkToken(): string {
	return toLetters(crypto.getRandomValues(new Uint8Array(PROOF_BYTES)));
}

export async function linkToken(mac: Mac, kind: LinkKind, ref: string): Promise<string> {
	return ref + toLetters((await mac("link", kind, ref)).subarray(0, PROOF_BYTES));
}

/** The name of the row that a link's token is about; undefined for what the service did not write. */
export async function readLink(macs: KeyVersions<Mac>, kind: LinkKind, token: string): Promise<string | undefined> {
	const ref = token.slice(0, REF_BYTES * 2);
	const encoder = new TextEncoder();
	for (const mac of macs.all()) {
		if (sameBytes(encoder.encode(await linkToken(mac, kind, ref)), encoder.encode(token))) return ref;
	}
	return undefined;
}

function toLetters(bytes: Uint8Array): string {
	return [...bytes].map((byte) => `${LETTERS[byte >> 4]}${LETTERS[byte & 15]}`).join("");
}
