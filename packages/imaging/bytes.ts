/** A few bytes as text, one character each: for the marks and names that containers are made of. Not for long runs. */
export function latin1(bytes: Uint8Array): string {
	return String.fromCharCode(...bytes);
}

/** The bytes of an ASCII mark. */
export function ascii(mark: string): Uint8Array<ArrayBuffer> {
	return Uint8Array.from(mark, (character) => character.charCodeAt(0));
}

export function startsWith(bytes: Uint8Array, mark: string): boolean {
	return bytes.length >= mark.length && latin1(bytes.subarray(0, mark.length)) === mark;
}

export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

export function viewOf(bytes: Uint8Array): DataView {
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
	if (a.length !== b.length) return false;
	for (let at = 0; at < a.length; at++) {
		if (a[at] !== b[at]) return false;
	}
	return true;
}
