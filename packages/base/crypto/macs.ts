/** Keyed digests that all processes of the deployment agree on: 32 bytes, different for every purpose. */
export type Mac = (purpose: string, ...parts: readonly string[]) => Promise<Uint8Array<ArrayBuffer>>;

/** `secret` has 32 bytes. */
export async function hmac(secret: Uint8Array<ArrayBuffer>): Promise<Mac> {
	const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
	return async (...parts) => {
		// As JSON, different lists of parts are never equal.
		const signed = new TextEncoder().encode(JSON.stringify(parts));
		return new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
	};
}

/** Takes the same time wherever the first difference is. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
	let difference = a.length ^ b.length;
	for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
	return difference === 0;
}

/** Base64url without padding. */
export function toToken(bytes: Uint8Array): string {
	return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** A secret of 256 random bits without a prefix, since it lives for minutes. */
export function newToken(): string {
	return toToken(crypto.getRandomValues(new Uint8Array(32)));
}
