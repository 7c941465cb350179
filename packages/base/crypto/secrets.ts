import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { randomBase62, toBase62 } from "../ids.ts";

/* `<prefix>` + 32 base62 (190 bits) + 6 base62 digits of the CRC-32 of everything before: a mistyped secret is refused without a
   database read, and scanners can find leaked ones by pattern. The entropy makes a slow hash pointless: SHA-256 is stored. */

export type SecretPrefix =
	| "svc_sk_live_"
	| "svc_sk_test_"
	| "svc_live_"
	| "svc_test_"
	| "svc_ses_"
	| "svc_pat_"
	| "svc_sig_";

const FORM = /^svc_(?:sk_(?:live|test)|live|test|ses|pat)_[0-9A-Za-z]{38}$/;
const CHECKSUM_DIGITS = 6;

export interface MintedSecret {
	/** Shown once, stored nowhere. */
	readonly secret: string;
	readonly hash: Uint8Array<ArrayBuffer>;
	readonly prefix: SecretPrefix;
	readonly last4: string;
}

export async function mintSecret(prefix: SecretPrefix): Promise<MintedSecret> {
	const body = prefix + randomBase62(32);
	const secret = body + toBase62(crc32(body), CHECKSUM_DIGITS);
	return { secret, hash: await hashSecret(secret), prefix, last4: secret.slice(-4) };
}

/** A secret as Standard Webhooks writes it: 256 random bits. */
export function newWebhookSecret(): string {
	return `whsec_${randomBytes(32).toString("base64")}`;
}

/** Whether a string has the form and the checksum of one of our secrets. */
export function isSecret(text: string): boolean {
	if (!FORM.test(text)) return false;
	const body = text.slice(0, -CHECKSUM_DIGITS);
	return toBase62(crc32(body), CHECKSUM_DIGITS) === text.slice(-CHECKSUM_DIGITS);
}

/** Whether a secret belongs to a person rather than an App. */
export function isPersonal(secret: string): boolean {
	return secret.startsWith("svc_ses_") || secret.startsWith("svc_pat_");
}

/** Done before it returns: a look-up by the hash begins in the same turn as the other reads of a call, and goes along with them. */
export async function hashSecret(secret: string): Promise<Uint8Array<ArrayBuffer>> {
	return new Uint8Array(createHash("sha256").update(secret).digest());
}

/** Compares digests, so that the time taken tells nothing about how much of the secret was right. */
export async function isSameSecret(expected: string, sent: string): Promise<boolean> {
	const [a, b] = await Promise.all([hashSecret(expected), hashSecret(sent)]);
	return a.every((byte, index) => byte === b[index]);
}
