import { REFERENCE_PATH } from "../paths.ts";
import type { Place } from "./reference-bodies.ts";
import { bodyOf } from "./reference-bodies.ts";
import { attribute, exampleText, textHtml } from "./reference-fields.ts";
import { credentialOf, fieldsOf, type Listed, takesFile } from "./reference-operations.ts";

/* The form with which a call is made from its page. */

/** Fields of a form that are no parameters of its call. */
export const BEARER_FIELD = "bearer";
export const BODY_FIELD = "body";
export const FILE_FIELD = "file";
export const REVEAL_FIELD = "reveal";

const ROWS_MAX = 16;

/** What is filled in where that is not what the form begins with. */
export type Filled = ReadonlyMap<string, string>;

const WHO = {
	key: ["Key", "An App's key; or a person's token, with X-Svc-App."],
	token: ["Session or token", "Of a person."],
} as const;

function tryPath({ id }: Pick<Listed, "id">): string {
	return `${REFERENCE_PATH}/${id}`;
}

/** @param level of its heading */
export function formHtml(one: Listed, place: Place, level: 2 | 4, filled: Filled = new Map()): string {
	const { id, method, parameters } = one;
	const encoding = takesFile(one) ? ` enctype="multipart/form-data"` : "";
	const inputs = [
		...parameters.map(({ name, required = false, schema }) => inputHtml(name, required, exampleText(schema), filled)),
		...(takesFile(one) ? partsHtml(one, filled) : bodyHtml(one, place, filled)),
	];
	return `<form class="try" method="post" action="${tryPath(one)}" data-operation="${id}"${encoding} autocomplete="off">
<h${level}>Try it</h${level}>
<div class="inputs">${inputs.join("\n")}</div>
${bearerHtml(one, place)}
<label class="reveal"><input type="checkbox" name="${REVEAL_FIELD}" value="yes"> Show secrets in the answer</label>
<button>Send ${method}</button>
</form>`;
}

function inputHtml(name: string, isRequired: boolean, example: string, filled: Filled): string {
	const value = attribute("value", filled.get(name) ?? "");
	const known = `${value}${attribute("placeholder", example)}${isRequired ? " required" : ""}`;
	return `<label>${textHtml(name)} <input name="${name}"${known}></label>`;
}

/** Fields of a multipart body. */
function partsHtml({ body }: Listed, filled: Filled): readonly string[] {
	return Object.entries(fieldsOf(body?.schema ?? {})).map(([name, schema]) =>
		name === FILE_FIELD
			? `<label>file <input type="file" name="${FILE_FIELD}" required></label>`
			: inputHtml(name, false, exampleText(schema), filled),
	);
}

function bodyHtml(one: Listed, place: Place, filled: Filled): readonly string[] {
	const body = bodyOf(one, place);
	if (!body) return [];
	const text = filled.get(BODY_FIELD) ?? JSON.stringify(body, undefined, 2);
	const rows = Math.min(text.split("\n").length, ROWS_MAX);
	// The first line break behind the mark is not the text's.
	return [
		`<label class="wide">Body, JSON <textarea name="${BODY_FIELD}" rows="${rows}" spellcheck="false">\n${textHtml(text)}</textarea></label>`,
	];
}

/**
 * A field of plain text that style hides: of a field for passwords browsers and their password keepers keep what was typed, and fill it in, whatever
 * the page asks for.
 */
function bearerHtml(one: Listed, { knowsVisitors }: Place): string {
	const who = credentialOf(one);
	if (who === "none") return "";
	const [name, about] = WHO[who];
	const isFree = one.method === "GET" && knowsVisitors;
	const hint = isFree ? `${about} Left empty, the call is made as who is signed in in this browser.` : about;
	return `<label class="bearer">${name} <input name="${BEARER_FIELD}" class="hidden-text" autocomplete="off" autocapitalize="off" spellcheck="false"${isFree ? "" : " required"}><small>${hint} It is sent with this one call, and kept nowhere.</small></label>`;
}
