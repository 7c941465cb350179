import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { toToken } from "./macs.ts";

/*
 * The deployment's secret stands outside of the database and its backups. What only has to be compared is derived from it (keyring.ts);
 * what must stay readable is sealed with it here, by AES-256-GCM under a key of its own.
 */

const SECRET_BYTES = 32;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FINGERPRINT_DIGITS = 8;
/** Fewer different characters than this no 32 random bytes have, however they are written. */
const DIFFERENT_MIN = 10;

const MARK = "sealed:";
const SEALED = /^sealed:([0-9a-f]{8}):([\w-]+)$/;

/** What stands sealed in rows, and how each sealed text names its row. */
export const SEALED_PLACES = {
	webhook: (id: string) => `webhook ${id}`,
	signingKey: (id: string) => `signing key ${id}`,
	mail: (id: string) => `mail ${id}`,
	key: (name: string) => `meta ${name}`,
	/** An answer that is given again under an Idempotency-Key: that of an upload ticket has its address. */
	answer: (hash: string) => `answer ${hash}`,
} as const;

/** What it takes, for messages. */
export const SECRET_FORM = "at least 32 random bytes in base64 or hex, such as `openssl rand -base64 32` makes";

export interface DeploymentSecret {
	/** Names it in messages and in the database: 8 hex digits of a digest that is made for nothing else. */
	readonly fingerprint: string;
	/** 32 bytes, other ones for each purpose (HKDF-SHA-256, RFC 5869). */
	derive(purpose: string): Uint8Array<ArrayBuffer>;
	/** @param place names the row: elsewhere the sealed text cannot be opened */
	seal(text: string, place: string): string;
	/** @throws Error for what was sealed with another secret, or for another place */
	open(sealed: string, place: string): string;
}

/** A new secret, as its file and its variable hold it. */
export function newDeploymentSecret(): string {
	return toToken(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}

/** Whether a text can hold 32 random bytes: 64 digits in hex, or 43 characters in base64. */
export function isDeploymentSecret(text: string): boolean {
	if (!/^[\w+/=-]{43,512}$/.test(text) || new Set(text).size < DIFFERENT_MIN) return false;
	return text.length >= 64 || !/^[0-9a-f]+$/i.test(text);
}

/** @param text one that {@link isDeploymentSecret} takes */
export function deploymentSecret(text: string): DeploymentSecret {
	const derive = (purpose: string) =>
		new Uint8Array(hkdfSync("sha256", Buffer.from(text), Buffer.alloc(0), `svc ${purpose}`, KEY_BYTES));
	const fingerprint = derive("fingerprint").toHex().slice(0, FINGERPRINT_DIGITS);
	const key = derive("seal");
	return {
		fingerprint,
		derive,
		seal(plain, place) {
			const nonce = randomBytes(NONCE_BYTES);
			const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
			const sealed = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
			return `${MARK}${fingerprint}:${toToken(sealed)}`;
		},
		open(sealed, place) {
			const [, , token = ""] = SEALED.exec(sealed) ?? [];
			const bytes = Buffer.from(token, "base64url");
			const nonce = bytes.subarray(0, NONCE_BYTES);
			const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
			decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
			const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
			return Buffer.concat([plain, decipher.final()]).toString("utf8");
		},
	};
}

/** The fingerprint of the secret that a text is sealed with; undefined for a text that is not sealed. */
export function sealedWith(text: string): string | undefined {
	return SEALED.exec(text)?.[1];
}

/** How every text begins that is sealed with this secret. */
export function sealedPrefix({ fingerprint }: Pick<DeploymentSecret, "fingerprint">): string {
	return `${MARK}${fingerprint}:`;
}
