import type { NamedDocument } from "../../kit/document/api-document.ts";
import { type JsonSchema, shapeOf } from "../../kit/document/components.ts";
import { escapeHtml } from "../code.ts";
import { exampleIn, fieldsOf, type Listed } from "./reference-operations.ts";

/* What a call takes, as lists of fields. */

/** Text between marks: quotation marks need no escape there. */
export function textHtml(text: string): string {
	return text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** A sentence whose code stands between backticks. */
export function sentenceHtml(text: string): string {
	return textHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

interface Field {
	readonly name: string;
	readonly schema: JsonSchema;
	readonly isRequired: boolean;
	readonly about?: string | undefined;
}

export function parametersHtml(document: NamedDocument, { parameters }: Listed): string {
	const fields = parameters.map(({ name, required = false, schema = {}, description }) => ({
		...{ name, schema, isRequired: required, about: description },
	}));
	return fields.length === 0 ? "" : `<h4>Parameters</h4>${listHtml(document, fields)}`;
}

export function bodyHtml(document: NamedDocument, { body }: Listed): string {
	if (!body) return "";
	const kind = body.type === "multipart/form-data" ? "Form" : "Body";
	const fields = listHtml(document, bodyFields(document, body.schema));
	return `<h4>${kind}</h4>${fields}`;
}

/** Fields of objects in a body stand beside it, as `profile.homepage_url`. */
function bodyFields(document: NamedDocument, schema: JsonSchema, before = ""): readonly Field[] {
	const required = (schema.required ?? []) as readonly string[];
	return Object.entries(fieldsOf(schema)).flatMap(([name, part]) => [
		{ name: before + name, schema: part, isRequired: required.includes(name), about: undefined },
		...bodyFields(document, part, `${before}${name}.`),
	]);
}

/** The fields of a shape that is answered. */
export function shapeHtml(document: NamedDocument, schema: JsonSchema): string {
	const required = (schema.required ?? []) as readonly string[];
	const fields = Object.entries(fieldsOf(schema)).map(([name, part]) => ({
		...{ name, schema: part, isRequired: required.includes(name) },
	}));
	if (fields.length === 0) return `<p>${textHtml(kindOf(document, schema))}</p>`;
	return listHtml(document, fields, "sometimes");
}

/** @param rare what a field is called that need not be there, where that is worth a word */
function listHtml(document: NamedDocument, fields: readonly Field[], rare?: string): string {
	const rows = fields.map(({ name, schema, isRequired, about = described(schema) }) => {
		const mark = rare === undefined ? (isRequired ? " <b>required</b>" : "") : isRequired ? "" : ` ${rare}`;
		const kind = textHtml(kindOf(document, schema));
		return `<dt><code>${textHtml(name)}</code> <i>${kind}</i>${mark}<dd>${about ? sentenceHtml(about) : ""}`;
	});
	return `<dl>${rows.join("\n")}</dl>`;
}

function described(schema: JsonSchema): string | undefined {
	const own = schema.description ?? [schema.anyOf].flat().map((part) => (part as JsonSchema)?.description)[0];
	return typeof own === "string" ? own : undefined;
}

const WORDS_MAX = 24;

/** What a field takes, in a few words. */
function kindOf(document: NamedDocument, schema: JsonSchema): string {
	const { $ref, anyOf, oneOf, items, const: only, enum: words } = schema;
	if (typeof $ref === "string") return shapeKind(document, schema, $ref.slice($ref.lastIndexOf("/") + 1));
	const either = anyOf ?? oneOf;
	if (Array.isArray(either)) return [...new Set(either.map((one) => kindOf(document, one)))].join(" or ");
	if (Array.isArray(words)) return wordsOf(words);
	if (only !== undefined) return JSON.stringify(only);
	if (typeof items === "object" && items !== null) return `list of ${kindOf(document, items as JsonSchema)}`;
	const { type, format } = schema;
	const kind = Array.isArray(type) ? type.join(" or ") : typeof type === "string" ? type : "any";
	return `${typeof format === "string" ? format : kind}${boundsOf(schema)}`;
}

function shapeKind(document: NamedDocument, schema: JsonSchema, name: string): string {
	const words = shapeOf(document, schema)?.enum;
	return Array.isArray(words) ? wordsOf(words) : name;
}

function wordsOf(words: readonly unknown[]): string {
	const shown = words.slice(0, WORDS_MAX).map(String).join(" | ");
	return words.length > WORDS_MAX ? `${shown} | …` : shown;
}

function boundsOf({ minimum, maximum, maxLength, maxItems, default: usual }: JsonSchema): string {
	const bounds = [
		...(minimum !== undefined || maximum !== undefined ? [`${minimum ?? ""} to ${maximum ?? ""}`] : []),
		...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
		...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
		...(usual === undefined ? [] : [`${JSON.stringify(usual)} when left out`]),
	];
	return bounds.length === 0 ? "" : `, ${bounds.join(", ")}`;
}

/** The example of a field as it is typed. */
export function exampleText(schema: JsonSchema | undefined): string {
	const example = exampleIn(schema);
	return example === undefined ? "" : typeof example === "string" ? example : JSON.stringify(example);
}

/** An attribute, where there is something to say. */
export function attribute(name: string, value: string): string {
	return value === "" ? "" : ` ${name}="${escapeHtml(value)}"`;
}
