import type { Mac } from "@svc/base/macs";

/* Six digits are few: what keeps them from being guessed is how seldom one may try (login-limits.ts). */

/** How long a code is good for. */
export const CODE_MINUTES = 10;
const CODES = 1_000_000;
// The largest multiple of a million below 2^32; what is drawn above it is drawn again, so that every code is equally likely.
const FAIR = Math.floor(2 ** 32 / CODES) * CODES;

/** `draw` gives 32 random bits. */
export function newCode(draw: () => number = randomBits): string {
	let drawn = draw();
	while (drawn >= FAIR) drawn = draw();
	return String(drawn % CODES).padStart(6, "0");
}

function randomBits(): number {
	return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

/** The six digits of a code as people type it; undefined for what cannot be one. */
export function readCode(typed: string): string | undefined {
	const code = typed.normalize("NFKC").replace(/[\s-]/g, "");
	return /^[0-9]{6}$/.test(code) ? code : undefined;
}

/** What is stored of a code. Bound to its login, and of no use without the deployment's secret. */
export function codeMacOf(mac: Mac, loginId: string, code: string): Promise<Uint8Array<ArrayBuffer>> {
	return mac("code", loginId, code);
}
