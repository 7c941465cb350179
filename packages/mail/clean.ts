import { shortLine } from "@svc/base/text";

/* App names, addresses and whatever else strangers choose, before it stands in a mail. */

/** What a mail program would take for an address and make a link of. */
const LINKED = /(?<=[\p{L}\p{N}])([.:@/])(?=[\p{L}\p{N}/])/gu;
/** Cannot be seen, and is no ASCII: a header that holds it is encoded as a whole. */
export const WORD_JOINER = "\u2060";

/** One line for a name that somebody has chosen: one that looks like an address does not become a link in our mail. */
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

/** For text and for attributes in double quotes. */
export function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** An http(s) address as it may stand in a mail; undefined for anything else. */
export function webAddress(value: string): string | undefined {
	const url = URL.parse(value);
	return url && /^https?:$/.test(url.protocol) && url.username === "" ? url.href : undefined;
}
