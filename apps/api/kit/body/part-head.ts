import { Failure } from "@svc/base/failure";
import { unreadable } from "./body.ts";

/* What the head of a part says of it: RFC 7578 and RFC 6266, and how browsers and old clients write names. */

export interface PartHead {
	readonly name: string;
	/** Undefined where none is sent, or an empty one. */
	readonly filename: string | undefined;
	/** Whether it calls itself a file: an empty name of a file does. */
	readonly isFile: boolean;
	/** In lower case, without its parameters. */
	readonly contentType: string;
	readonly charset: string | undefined;
}

/** A name stands in refusals. */
const NAME_MAX = 200;

const FIELD = /^([^\s:]+)[ \t]*:[ \t]*([^\r\n]*)$/;
/**
 * A value is quoted, with `\"` and `\\` in it; or quoted by a client that knows no such escapes, as browsers and a path of Windows that ends in a backslash; or
 * goes up to the next semicolon. What stands behind quotes is passed over.
 */
const PARAMETER =
	/;[ \t]*([^\s=;"]*)[ \t]*(?:=[ \t]*(?:"((?:[^"\\]|\\.)*)"(?=[ \t]*(?:;|$))|"([^"]*)"?|([^;]*)))?[^;]*/g;
const EXTENDED = /^([\w-]+)'[^']*'(.*)$/;
const ENCODED_WORDS = /^(?:=\?utf-8\?[bq]\?[^?]*\?=[ \t]*)+$/i;
const ENCODED_WORD = /=\?utf-8\?([bq])\?([^?]*)\?=/gi;

/**
 * @param head its lines
 * @throws Failure bad_request for what is no head, validation_error for a part without a name and for names that are no text
 */
export function readHead(head: Buffer): PartHead {
	const fields = fieldsOf(head);
	const disposition = valued(fields.get("content-disposition") ?? "");
	const name = disposition.value === "form-data" ? textParameter(disposition.parameters, "name") : undefined;
	if (!name) throw refused("body", "has a part without a name, or with one that is not valid UTF-8");
	if (name.length > NAME_MAX) throw refused("body", `has a part with a name of more than ${NAME_MAX} characters`);
	const isFile = ["filename", "filename*"].some((parameter) => disposition.parameters.has(parameter));
	const filename = isFile ? textParameter(disposition.parameters, "filename") : "";
	if (filename === undefined) throw refused(name, "has a filename that is not valid UTF-8");
	const type = valued(fields.get("content-type") ?? "");
	const charset = type.parameters.get("charset")?.text || undefined;
	return { name, filename: filename || undefined, isFile, contentType: type.value || "text/plain", charset };
}

/** The text of a part; undefined where its bytes are none in that charset, or nobody knows the charset. */
export function textOf(bytes: Uint8Array, charset = "utf-8"): string | undefined {
	try {
		return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

/** The fields of a head, by their names in lower case, each byte a character. The first of a name counts. */
function fieldsOf(head: Buffer): ReadonlyMap<string, string> {
	const fields = new Map<string, string>();
	if (head.length === 0) return fields;
	// A line that begins with white space goes on with the one before.
	for (const line of head
		.toString("latin1")
		.replace(/\r\n(?=[ \t])/g, "")
		.split("\r\n")) {
		const [, name, value] = FIELD.exec(line) ?? [];
		if (name === undefined || value === undefined) throw unreadable("The head of a part is not one of fields.");
		if (!fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value);
	}
	return fields;
}

interface Parameter {
	readonly text: string;
	readonly isQuoted: boolean;
}

type Parameters = ReadonlyMap<string, Parameter>;

function valued(field: string): { readonly value: string; readonly parameters: Parameters } {
	const [value = ""] = field.split(";", 1);
	const parameters = new Map<string, Parameter>();
	for (const [, name = "", escaped, quoted, plain = ""] of field.slice(value.length).matchAll(PARAMETER)) {
		const text = escaped?.replace(/\\(["\\])/g, "$1") ?? quoted ?? plain.trim();
		parameters.set(name.toLowerCase(), { text, isQuoted: (escaped ?? quoted) !== undefined });
	}
	return { value: value.trim().toLowerCase(), parameters };
}

/**
 * A parameter as text: its extended form where it is sent, whatever the order (RFC 6266, 4.3); otherwise as browsers write it, who send three characters
 * as `%22`, `%0A` and `%0D`, or .NET, who sends an encoded word of mails. Undefined where it is no valid text.
 */
function textParameter(parameters: Parameters, name: string): string | undefined {
	const extended = parameters.get(`${name}*`)?.text;
	const plain = parameters.get(name);
	const [, charset, percents = ""] = EXTENDED.exec(extended ?? "") ?? [];
	if (charset !== undefined) return textOf(percentDecoded(percents, /%([\da-f]{2})/gi), charset);
	const text = plain?.text ?? extended ?? "";
	if (ENCODED_WORDS.test(text)) return textOf(wordsDecoded(text)) ?? text;
	return textOf(plain?.isQuoted ? percentDecoded(text, /%(22|0A|0D)/g) : Buffer.from(text, "latin1"));
}

function percentDecoded(text: string, percents: RegExp): Buffer {
	return Buffer.from(
		text.replace(percents, (_, hex: string) => characterOf(hex)),
		"latin1",
	);
}

/** RFC 2047, of UTF-8 alone. */
function wordsDecoded(text: string): Buffer {
	const words = [...text.matchAll(ENCODED_WORD)].map(([, encoding = "", word = ""]) =>
		encoding.toLowerCase() === "b"
			? Buffer.from(word, "base64")
			: percentDecoded(word.replaceAll("_", " "), /=([\da-f]{2})/gi),
	);
	return Buffer.concat(words);
}

function characterOf(hex: string): string {
	return String.fromCharCode(Number.parseInt(hex, 16));
}

function refused(name: string, fault: string): Failure {
	return new Failure("validation_error", { [name]: [fault] });
}
