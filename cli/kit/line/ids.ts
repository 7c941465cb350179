import { UsageError } from "@svc/base/processes/exit";

/**
 * What a word may be, as an argument's `valueHint`: an id, several with commas in between, or something else, which a character
 * that no id has tells from an id.
 */
export type IdHint = "id" | "id,id" | "id|email" | "id|name" | "id|uri";

const OTHERWISE: Readonly<Record<string, string>> = { "id|email": "@", "id|uri": "://" };
// Ids are opaque, but no id has a slash, a space or a control, and "" and ".." would make an address one of something else.
const ID = /^(?!\.{1,2}$)[!-.0-[\]-~]{1,255}$/;
const SHOWN = 30;

/** Whether a text can be an id at all; whether there is such a thing is the service's to say. */
export function isId(text: string): boolean {
	return ID.test(text);
}

/** `name` is the argument as help writes it, such as `<id>` or `--app`. @throws UsageError that names it */
export function checkIds(name: string, hint: string | undefined, word: string): void {
	if (!isHint(hint)) return;
	const other = OTHERWISE[hint];
	if (other !== undefined && word.includes(other)) return;
	const wrong = (hint === "id,id" ? word.split(",") : [word]).find((id) => !isId(id));
	if (wrong !== undefined) throw refuse(name, wrong);
}

function isHint(hint: string | undefined): hint is IdHint {
	return (
		hint === "id" || hint === "id,id" || hint === "id|name" || (hint !== undefined && Object.hasOwn(OTHERWISE, hint))
	);
}

function refuse(name: string, text: string): UsageError {
	const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
	const group = /app|user/i.exec(name)?.[0].toLowerCase();
	const list = group ? `svc ${group}s list shows ids.` : "The list of its group shows ids.";
	return new UsageError(`${name} takes an id; not "${shown}".`, list);
}
