import { shortLine } from "@svc/base/text";
import type { texts } from "../messages.ts";

/** What a mail says, before it becomes text or HTML. All strings are plain text, on one line. */
export interface Letter {
	readonly subject: string;
	readonly heading: string;
	readonly parts: readonly Part[];
}

export type Part =
	| { readonly kind: "text"; readonly text: string }
	/** Shown less prominently. */
	| { readonly kind: "note"; readonly text: string }
	| { readonly kind: "code"; readonly code: string }
	/** `address` is shown as well: a reader who does not trust a button can read where it goes. */
	| { readonly kind: "link"; readonly label: string; readonly address: string };

export function text(sentences: string): Part {
	return { kind: "text", text: sentences };
}

export function note(sentences: string): Part {
	return { kind: "note", text: sentences };
}

/** The texts of the mails in one language. */
export type Say = ReturnType<typeof texts>;

/** A moment among the facts of a mail, which messages write as `{until, date, day}` or `{since, date, moment}`. */
export function msOf(iso: string): number {
	const ms = Date.parse(iso);
	return Number.isNaN(ms) ? 0 : ms;
}

/** The sender of a mail. */
export interface Sender {
	readonly serviceName: string;
	/** Origin of the hosted pages. */
	readonly webUrl: string;
}

/* App names, addresses and other strings from strangers, made safe for a mail. */

/** Characters that make a mail program take a name for an address and link it. */
const LINKED = /(?<=[\p{L}\p{N}])([.:@/])(?=[\p{L}\p{N}/])/gu;
/** Invisible and not ASCII: a header that holds it is encoded as a whole. */
export const WORD_JOINER = "\u2060";

/** One line for a name that a person has chosen: one that looks like an address does not become a link in our mail. */
export function nameLine(value: string, max: number): string {
	return shortLine(value, max).replace(LINKED, `$1${WORD_JOINER}`);
}

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

/** Escapes for text and for attributes in double quotes. */
export function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** An http(s) address as it may stand in a mail; undefined for anything else. */
export function webAddress(value: string): string | undefined {
	const url = URL.parse(value);
	return url && /^https?:$/.test(url.protocol) && url.username === "" ? url.href : undefined;
}

/** Characters of a name that a mail repeats. */
export const NAME_MAX = 80;

/** The name of an App, or of what it sells, as it stands in a language's quotation marks, which it must not be able to end. */
export function appName(name: string): string {
	return nameLine(name, NAME_MAX).replace(/[“”„«»「」]/g, '"') || "(no name)";
}
