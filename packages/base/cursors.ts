import type { KeyVersions } from "./crypto/keyring.ts";
import { toToken } from "./crypto/macs.ts";
import { invalid } from "./failure.ts";

export interface Span {
	readonly limit: number;
	/** Undefined: start with the newest. */
	readonly beforePk: number | undefined;
}

/** A place in the order of a list: newest `published_at` first, then the newest row. */
export interface Position {
	readonly publishedMs: number;
	readonly pk: number;
}

/* A cursor is a place in a list, sealed with AES-GCM together with the list's scope and filter: it cannot be made up, changed,
   used for another list, or read, since a row's number would tell how much the whole service holds. */

export interface Cursors {
	seal(position: Position, scope: string): Promise<string>;
	/** @throws Failure validation_error under `cursor` for a cursor that this list did not issue */
	open(cursor: string, scope: string): Promise<Position>;
}

const NONCE_BYTES = 12;
const PLACE_BYTES = 16;
const TAG_BYTES = 16;
const CURSOR_BYTES = NONCE_BYTES + PLACE_BYTES + TAG_BYTES;

/** `secret` has 32 bytes. */
export async function sealedCursors(secret: Uint8Array<ArrayBuffer>): Promise<Cursors> {
	const key = await crypto.subtle.importKey("raw", secret, "AES-GCM", false, ["encrypt", "decrypt"]);
	const algorithm = (iv: Uint8Array<ArrayBuffer>, scope: string) => ({
		name: "AES-GCM",
		iv,
		additionalData: new TextEncoder().encode(scope),
	});

	return {
		async seal(position, scope) {
			const place = new DataView(new ArrayBuffer(PLACE_BYTES));
			place.setBigInt64(0, BigInt(position.publishedMs));
			place.setBigInt64(8, BigInt(position.pk));
			const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
			const sealed = await crypto.subtle.encrypt(algorithm(nonce, scope), key, place);
			return toToken(new Uint8Array([...nonce, ...new Uint8Array(sealed)]));
		},
		async open(cursor, scope) {
			const bytes = fromToken(cursor);
			if (bytes?.length !== CURSOR_BYTES) throw foreign();
			const opened = crypto.subtle.decrypt(
				algorithm(bytes.slice(0, NONCE_BYTES), scope),
				key,
				bytes.slice(NONCE_BYTES),
			);
			const place = new DataView(await opened.catch(() => Promise.reject(foreign())));
			return { publishedMs: Number(place.getBigInt64(0)), pk: Number(place.getBigInt64(8)) };
		},
	};
}

/** Seals with the key that holds, and opens what each of those has sealed that are still taken. */
export function currentCursors(versions: KeyVersions<Cursors>): Cursors {
	return {
		seal: (position, scope) => versions.current().seal(position, scope),
		open: (cursor, scope) =>
			Promise.any(versions.all().map((one) => one.open(cursor, scope))).catch(() => Promise.reject(foreign())),
	};
}

function foreign() {
	return invalid("cursor", "is not a cursor of this list; send next_cursor with the same filter as before");
}

function fromToken(text: string): Uint8Array<ArrayBuffer> | undefined {
	if (!/^[\w-]{1,200}$/.test(text)) return undefined;
	try {
		const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
		// The last letter has unused bits: of its spellings only our own is a cursor that we issued.
		return toToken(bytes) === text ? bytes : undefined;
	} catch {
		return undefined;
	}
}
