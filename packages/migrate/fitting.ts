import { createHash } from "node:crypto";
import { shortLine } from "@svc/base/text";
import { readDate } from "@svc/base/words/dates";
import type { Pairs, PictureFields } from "./sources/source.ts";

/*
 * Other places allow other names and longer texts. What the service has no room for is left out or cut, and named, before anything is
 * sent: one bad label must not keep a picture from coming.
 */

const CAPTION_MAX = 5_000;
const LABELS_MAX = 20;
const LABEL_KEY = /^[a-z0-9_.-]{1,64}$/;
const LABEL_KEY_MAX = 64;
const LABEL_MAX = 128;
const METADATA_MAX = 50;
const METADATA_KEY_MAX = 64;
const METADATA_VALUE_MAX = 1_024;
const EXTERNAL_ID_MAX = 255;

export interface Fitted {
	readonly fields: PictureFields;
	/** What does not come with the picture, in words. */
	readonly leftOut: readonly string[];
}

/** What fits of it. @param room how many entries of metadata there may be */
export function fitted({ caption, date, labels, metadata, ...others }: PictureFields, room = METADATA_MAX): Fitted {
	const leftOut: string[] = [];
	const fields = {
		...others,
		caption: caption === undefined ? undefined : fittedCaption(caption, leftOut),
		date: date === undefined ? undefined : fittedDate(date, leftOut),
		labels: fittedPairs("label", labels, { most: LABELS_MAX, fault: labelFault }, leftOut),
		metadata: fittedPairs("metadata", metadata, { most: room, fault: metadataFault }, leftOut),
	};
	return { fields, leftOut };
}

function fittedCaption(text: string, leftOut: string[]): string {
	const kept = storable(text);
	if (length(kept) <= CAPTION_MAX) return kept;
	leftOut.push(`the caption after ${CAPTION_MAX.toLocaleString("en")} characters`);
	return [...kept].slice(0, CAPTION_MAX).join("");
}

function fittedDate(text: string, leftOut: string[]): string | undefined {
	if (readDate(text) !== undefined) return text;
	leftOut.push(`the date ${quote(text)}`);
	return undefined;
}

interface PairRule {
	readonly most: number;
	/** What is wrong with one entry; undefined where nothing is. */
	fault(name: string, text: string): string | undefined;
}

function fittedPairs(what: string, pairs: Pairs, { most, fault }: PairRule, leftOut: string[]): Pairs {
	const fitting = Object.entries(pairs).filter(([name, text]) => {
		const wrong = fault(name, text);
		if (wrong !== undefined) leftOut.push(`${what} ${quote(name)}, which ${wrong}`);
		return wrong === undefined;
	});
	for (const [name] of fitting.slice(most)) leftOut.push(`${what} ${quote(name)}, as there are more than ${most}`);
	return Object.fromEntries(fitting.slice(0, most));
}

function labelFault(name: string, text: string): string | undefined {
	if (!LABEL_KEY.test(name)) return `does not match ${LABEL_KEY.source}`;
	if (text === "" || length(text) > LABEL_MAX) return `has not 1 to ${LABEL_MAX} characters`;
	if (text.includes(",")) return "holds a comma";
	if (text.trim() !== text) return "begins or ends with white space";
	return isStorable(text) ? undefined : "holds what cannot be stored";
}

function metadataFault(name: string, text: string): string | undefined {
	if (name === "" || length(name) > METADATA_KEY_MAX) return `has no name of 1 to ${METADATA_KEY_MAX} characters`;
	if (length(text) > METADATA_VALUE_MAX) return `has more than ${METADATA_VALUE_MAX.toLocaleString("en")} characters`;
	return isStorable(name) && isStorable(text) ? undefined : "holds what cannot be stored";
}

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** The name itself where it can be an external id; a digest of it where it is too long, or holds what nobody could type. */
export function externalIdOf(name: string): string {
	const isOne = name !== "" && name.trim() === name && length(name) <= EXTERNAL_ID_MAX && !UNPRINTABLE.test(name);
	return isOne ? name : `sha256:${createHash("sha256").update(name).digest("hex")}`;
}

/** Tags as labels: each keeps its spelling as the value. */
export function tagLabels(tags: readonly string[]): Pairs {
	return Object.fromEntries(tags.flatMap((tag) => tagLabel(tag)));
}

function tagLabel(tag: string): readonly (readonly [name: string, text: string])[] {
	const text = shortLine(tag.replaceAll(",", " "), LABEL_MAX);
	if (text === "") return [];
	const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
	const slug = plain.replace(/[^a-z0-9_.-]+/g, "-").replace(/^-+|-+$/g, "");
	// Where little is left of it, two tags would become one.
	const isWhole = slug !== "" && !/[^\p{ASCII}]/u.test(plain);
	const name = isWhole ? slug : `${slug.slice(0, LABEL_KEY_MAX / 2)}${slug === "" ? "" : "-"}${digestOf(text)}`;
	return [[`tag.${name}`.slice(0, LABEL_KEY_MAX), text]];
}

/** The folder of a path as a label; none for what lies in no folder. */
export function folderLabel(path: string): Pairs {
	const folder = path.split("/").slice(0, -1).join("/");
	return folder === "" ? {} : { folder };
}

function digestOf(text: string): string {
	return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

function length(text: string): number {
	return [...text].length;
}

function isStorable(text: string): boolean {
	return !text.includes("\0") && text.isWellFormed();
}

function storable(text: string): string {
	return text.replaceAll("\0", "").toWellFormed();
}

function quote(text: string): string {
	return JSON.stringify(shortLine(text, 60));
}
