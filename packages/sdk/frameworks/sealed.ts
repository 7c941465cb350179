/* Values that a browser keeps and can neither read nor change. */

export interface Seal {
	/** `purpose` is part of what is sealed: a value opens for the one that it was made for. */
	close(value: unknown, purpose: string): Promise<string>;
	/** Undefined for what nobody with the secret has sealed for this purpose. */
	open(text: string, purpose: string): Promise<unknown>;
}

const IV_BYTES = 12;

/** @param place what the key is for, beside the secret: two places with one secret open nothing of each other's */
export function sealOf(secret: string, place: string): Seal {
	const encoder = new TextEncoder();
	const key = keyOf(encoder.encode(secret), encoder.encode(`@svc/sdk people ${place}`));
	// Whoever seals or opens hears of it: nobody waits for this promise before.
	key.catch(() => undefined);
	const algorithm = (iv: Uint8Array<ArrayBuffer>, purpose: string) => ({
		name: "AES-GCM",
		iv,
		additionalData: encoder.encode(purpose),
	});
	return {
		async close(value, purpose) {
			const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
			const text = encoder.encode(JSON.stringify(value));
			const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm(iv, purpose), await key, text));
			return base64url(new Uint8Array([...iv, ...sealed]));
		},
		async open(text, purpose) {
			try {
				const bytes = bytesOf(text);
				const opening = algorithm(bytes.slice(0, IV_BYTES), purpose);
				const plain = await crypto.subtle.decrypt(opening, await key, bytes.slice(IV_BYTES));
				return JSON.parse(new TextDecoder().decode(plain));
			} catch {
				return undefined;
			}
		},
	};
}

async function keyOf(secret: Uint8Array<ArrayBuffer>, info: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
	const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
	const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
	return await crypto.subtle.deriveKey(derivation, base, { name: "AES-GCM", length: 256 }, false, [
		"encrypt",
		"decrypt",
	]);
}

/** 256 random bits. */
export function randomText(): string {
	return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes: Uint8Array): string {
	return btoa(String.fromCharCode(...bytes))
		.replace(/\+/g, "-")
		.replace(/\//g, "_")
		.replace(/=+$/, "");
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
	const base64 = text.replace(/-/g, "+").replace(/_/g, "/");
	return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
