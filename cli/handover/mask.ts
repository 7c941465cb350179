const SHOWN = "[secret]";

interface Mask {
	/** As much as can be shown by now. */
	feed(text: string): string;
	/** What was held back. */
	rest(): string;
}

/** Takes a secret out of text that arrives in pieces, wherever they are cut. */
export function maskOf(secret: string): Mask {
	let held = "";
	return {
		feed(text) {
			const clean = (held + text).replaceAll(secret, SHOWN);
			const keep = begun(clean, secret);
			held = clean.slice(clean.length - keep);
			return clean.slice(0, clean.length - keep);
		},
		rest() {
			const last = held;
			held = "";
			return last;
		},
	};
}

/** How much of the end of `text` may be the beginning of `secret`. */
function begun(text: string, secret: string): number {
	for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
		if (secret.startsWith(text.slice(-length))) return length;
	}
	return 0;
}
