const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// 4 × 62: the largest multiple of 62 in a byte; larger bytes are drawn again, so that every digit is equally likely.
const FAIR_BYTES = 248;

/** `length` base62 digits from the platform's cryptographic source: 5.95 bits each. */
export function randomBase62(length: number): string {
	let digits = "";
	while (digits.length < length) {
		for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
			if (byte < FAIR_BYTES && digits.length < length) digits += DIGITS[byte % 62];
		}
	}
	return digits;
}

/** A number as exactly `width` base62 digits, most significant first. */
export function toBase62(value: number, width: number): string {
	let digits = "";
	let rest = value;
	for (let place = 0; place < width; place++) {
		digits = `${DIGITS[rest % 62]}${digits}`;
		rest = Math.floor(rest / 62);
	}
	return digits;
}

/** The nouns that have public ids. */
type Noun =
	| "img"
	| "app"
	| "key"
	| "acc"
	| "sto"
	| "tok"
	| "usr"
	| "req"
	| "ses"
	| "log"
	| "psk"
	| "pko"
	| "inv"
	| "red"
	| "pre"
	| "sgk"
	| "rep"
	| "mod"
	| "job"
	| "eml"
	| "con"
	| "aud"
	| "pln"
	| "prc"
	| "chk"
	| "sub"
	| "grt"
	| "ivc"
	| "rfd"
	| "sim"
	| "ins"
	| "evt"
	| "whe"
	| "whd"
	| "upt"
	| "mov";

/** An opaque public id: the noun and 131 random bits. */
export function newId(noun: Noun): string {
	return `${noun}_${randomBase62(22)}`;
}

/**
 * Makes ids that look the same and cost less: random is what this process has for a beginning, and the rest counts. For what is no secret
 * and must only be unique.
 */
export function idSequence(noun: Noun): () => string {
	const start = `${noun}_${randomBase62(15)}`;
	let count = 0;
	return () => `${start}${toBase62(count++, 7)}`;
}

/** Whether a string has the form of an id of that noun; a cheap refusal before any query. */
export function isId(noun: Noun, text: string): boolean {
	return text.startsWith(`${noun}_`) && /^[0-9A-Za-z]{22}$/.test(text.slice(noun.length + 1));
}

/** The team segment of an image address: names a storage and reveals nothing about it. */
export function newTeamHash(): string {
	return randomBase62(16);
}
