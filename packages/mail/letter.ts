/** What a mail says, before it becomes text or HTML. All strings are plain text, on one line. */
export interface Letter {
	readonly subject: string;
	readonly heading: string;
	readonly parts: readonly Part[];
}

export type Part =
	| { readonly kind: "text"; readonly text: string }
	/** Said less loudly. */
	| { readonly kind: "note"; readonly text: string }
	| { readonly kind: "code"; readonly code: string }
	/** `address` is shown as well: whoever does not trust a button can read where it goes. */
	| { readonly kind: "link"; readonly label: string; readonly address: string };

export function text(sentences: string): Part {
	return { kind: "text", text: sentences };
}

export function note(sentences: string): Part {
	return { kind: "note", text: sentences };
}

/** Who writes. */
export interface Sender {
	readonly serviceName: string;
	/** Where the hosted pages are. */
	readonly webUrl: string;
}
