import { invalid } from "./failure.ts";
import type { Position } from "./lists.ts";

/* A cursor is a place in a list, signed together with what the list is of and filtered by, so that it cannot be made up, changed,
   or carried to another list. Opaque to callers: base64url of 16 bytes of HMAC-SHA-256 and the place. */

export interface Cursors {
	seal(position: Position, scope: string): Promise<string>;
	/** @throws Failure validation_error under `cursor` for one that this list did not issue */
	open(cursor: string, scope: string): Promise<Position>;
}

const MAC_BYTES = 16;
const PLACE_BYTES = 16;

export async function hmacCursors(secret: Uint8Array<ArrayBuffer>): Promise<Cursors> {
	const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);

	async function mac(place: Uint8Array, scope: string): Promise<Uint8Array> {
		const scopeBytes = new TextEncoder().encode(scope);
		const signed = new Uint8Array(place.length + scopeBytes.length);
		signed.set(place);
		signed.set(scopeBytes, place.length);
		return new Uint8Array(await crypto.subtle.sign("HMAC", key, signed)).subarray(0, MAC_BYTES);
	}

	return {
		async seal(position, scope) {
			const place = new Uint8Array(PLACE_BYTES);
			const view = new DataView(place.buffer);
			view.setBigInt64(0, BigInt(position.publishedMs));
			view.setBigInt64(8, BigInt(position.pk));
			return toBase64Url([...(await mac(place, scope)), ...place]);
		},
		async open(cursor, scope) {
			const bytes = fromBase64Url(cursor);
			if (bytes?.length !== MAC_BYTES + PLACE_BYTES) throw foreign();
			const place = bytes.slice(MAC_BYTES);
			if (!sameBytes(bytes.subarray(0, MAC_BYTES), await mac(place, scope))) throw foreign();
			const view = new DataView(place.buffer);
			return { publishedMs: Number(view.getBigInt64(0)), pk: Number(view.getBigInt64(8)) };
		},
	};
}

function foreign() {
	return invalid("cursor", "is not a cursor of this list; send next_cursor with the same filter as before");
}

/** Takes the same time wherever the first difference is. */
function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
	let difference = a.length ^ b.length;
	for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
	return difference === 0;
}

function toBase64Url(bytes: readonly number[]): string {
	return btoa(String.fromCharCode(...bytes))
		.replaceAll("+", "-")
		.replaceAll("/", "_")
		.replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
	if (!/^[\w-]{1,200}$/.test(text)) return undefined;
	try {
		const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
			letter.charCodeAt(0),
		);
		// The last letter has bits to spare: of its spellings only our own is a cursor that we issued.
		return toBase64Url([...bytes]) === text ? bytes : undefined;
	} catch {
		return undefined;
	}
}
