/*
 * What the language has (ES2026) and Node before 25 lacks: bytes as hexadecimal and Base64 text. Put where the runtime has nothing of that name, and as
 * strict as the standard where this code depends on it: what is not in the alphabet is refused.
 */

interface Base64Options {
	readonly alphabet?: "base64" | "base64url";
	readonly omitPadding?: boolean;
}

const HEX = /^(?:[0-9a-f]{2})*$/i;
const BASE64 = { base64: /^[A-Za-z0-9+/]*={0,2}$/, base64url: /^[A-Za-z0-9_-]*={0,2}$/ } as const;

/** Adds what is missing. */
export function addStandards(): void {
	add(Uint8Array.prototype, "toHex", function (this: Uint8Array) {
		return bytesOf(this).toString("hex");
	});
	add(
		Uint8Array.prototype,
		"toBase64",
		function (this: Uint8Array, { alphabet = "base64", omitPadding }: Base64Options = {}) {
			const text = bytesOf(this).toString(alphabet).replace(/=+$/, "");
			return omitPadding ? text : text.padEnd(Math.ceil(text.length / 4) * 4, "=");
		},
	);
	add(Uint8Array, "fromHex", fromHex);
	add(Uint8Array, "fromBase64", fromBase64);
}

function add(to: object, name: string, value: unknown): void {
	if (name in to) return;
	Object.defineProperty(to, name, { value, writable: true, configurable: true });
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
	return Buffer.from(buffer, byteOffset, byteLength);
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
	if (!HEX.test(text)) throw new SyntaxError("This is no hexadecimal text.");
	return new Uint8Array(Buffer.from(text, "hex"));
}

function fromBase64(text: string, { alphabet = "base64" }: Base64Options = {}): Uint8Array<ArrayBuffer> {
	const dense = text.replace(/[\t\n\f\r ]/g, "");
	const digits = dense.replace(/=+$/, "");
	const isPadded = dense.length > digits.length;
	if (!BASE64[alphabet].test(dense) || digits.length % 4 === 1 || (isPadded && dense.length % 4 !== 0))
		throw new SyntaxError("This is no Base64 text.");
	return new Uint8Array(Buffer.from(digits, alphabet));
}
