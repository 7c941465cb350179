import { onlyPrintable } from "@svc/base/text";
import { DATE_RULE, readDate } from "@svc/base/words/dates";
import { durationSeconds } from "@svc/base/words/durations";
import * as v from "valibot";

/* The fields that a caller writes on an image: one valibot schema each, which validates, converts, and describes itself to the API
   document through `jsonSchema` metadata where the check is code. Bounds: specification, "Limits". */

const CAPTION_MAX = 5_000;
const METADATA_KEYS_MAX = 50;
const LABEL_KEYS_MAX = 20;
const METADATA_KEY_MAX = 64;
const METADATA_VALUE_MAX = 1_024;
const LABEL_VALUE_MAX = 128;
const LABEL_KEY = /^[a-z0-9_.-]{1,64}$/;

const TTL_MIN_SECONDS = 300;
const TTL_MAX_SECONDS = 90 * 86_400;

/** Counts code points, so that a letter outside the basic plane counts once. */
function length(text: string): number {
	let count = 0;
	for (const _ of text) count++;
	return count;
}

/** The database cuts text at U+0000 and alters lone surrogates: what cannot be kept exactly is refused. */
function isStorable(text: string): boolean {
	return !text.includes("\0") && text.isWellFormed();
}

const UNSTORABLE = "must not hold U+0000 or unpaired surrogates";

export const caption = v.pipe(
	v.string("must be a string"),
	v.check((text) => length(text) <= CAPTION_MAX, `must be at most ${CAPTION_MAX.toLocaleString("en")} characters`),
	v.check(isStorable, UNSTORABLE),
	v.metadata({ jsonSchema: { type: "string", maxLength: CAPTION_MAX } }),
);

const EXTERNAL_ID_MAX = 255;
const EXTERNAL_ID_RULE = `must have 1 to ${EXTERNAL_ID_MAX} printable characters, and no white space around them`;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** The App's own name for an image. */
export const externalId = v.pipe(
	v.string(EXTERNAL_ID_RULE),
	v.check((text) => text !== "" && length(text) <= EXTERNAL_ID_MAX, EXTERNAL_ID_RULE),
	v.check((text) => text.trim() === text && !UNPRINTABLE.test(text), EXTERNAL_ID_RULE),
	v.metadata({
		jsonSchema: {
			type: "string",
			minLength: 1,
			maxLength: EXTERNAL_ID_MAX,
			description: "The App's own name for the image, unique among the living images of a storage",
		},
	}),
);

const TTL_RULE = "must be whole seconds or a duration such as 24h or 7d, from 5m (300 seconds) to 90d, or never";

/** Seconds to live, or null for permanent; undefined when the text is neither. */
function ttlSeconds(sent: string | number | null): number | null | undefined {
	if (sent === null || sent === "never") return null;
	const seconds = durationSeconds(sent);
	return seconds !== undefined && seconds >= TTL_MIN_SECONDS && seconds <= TTL_MAX_SECONDS ? seconds : undefined;
}

/** Whole seconds to live; null means permanent. Described before it is converted: the API document describes what is sent. */
export const ttl = v.pipe(
	v.union([v.string(), v.number(), v.null()], TTL_RULE),
	v.metadata({
		jsonSchema: {
			oneOf: [
				{ type: "string", pattern: "^(never|[0-9]{1,9}[smhd]?)$", examples: ["7d"] },
				{ type: "integer", minimum: TTL_MIN_SECONDS, maximum: TTL_MAX_SECONDS },
				{ type: "null" },
			],
			description: TTL_RULE,
		},
	}),
	v.rawTransform(({ dataset, addIssue, NEVER }) => {
		const seconds = ttlSeconds(dataset.value);
		if (seconds !== undefined) return seconds;
		addIssue({ message: TTL_RULE });
		return NEVER;
	}),
);

/** A date as callers send it, in milliseconds since 1970. */
export const date = v.pipe(
	v.union([v.string(), v.number()], DATE_RULE),
	v.metadata({
		jsonSchema: {
			oneOf: [{ type: "string" }, { type: "integer" }],
			description: DATE_RULE,
			examples: ["2099-11-22T10:00:00Z"],
		},
	}),
	v.rawTransform(({ dataset, addIssue, NEVER }) => {
		const milliseconds = readDate(dataset.value);
		if (milliseconds !== undefined) return milliseconds;
		addIssue({ message: DATE_RULE });
		return NEVER;
	}),
);

/** What is wrong with one entry of a map; undefined when nothing is. */
type EntryRule = (key: string, value: unknown) => string | undefined;

function metadataFault(key: string, value: unknown): string | undefined {
	if (key === "" || length(key) > METADATA_KEY_MAX)
		return `key ${quote(key)} must have 1 to ${METADATA_KEY_MAX} characters`;
	if (typeof value !== "string") return `${quote(key)} must be a string`;
	if (length(value) > METADATA_VALUE_MAX) return `${quote(key)} must be at most 1,024 characters`;
	return isStorable(key) && isStorable(value) ? undefined : `${quote(key)} ${UNSTORABLE}`;
}

export function labelKeyFault(key: string): string | undefined {
	return LABEL_KEY.test(key) ? undefined : `key ${quote(key)} must match ${LABEL_KEY.source}`;
}

export function labelValueFault(key: string, value: unknown): string | undefined {
	if (typeof value !== "string") return `${quote(key)} must be a string`;
	if (value === "" || length(value) > LABEL_VALUE_MAX)
		return `${quote(key)} must have 1 to ${LABEL_VALUE_MAX} characters`;
	if (value.includes(",")) return `${quote(key)} must not contain a comma`;
	if (value.trim() !== value) return `${quote(key)} must not start or end with white space`;
	return isStorable(value) ? undefined : `${quote(key)} ${UNSTORABLE}`;
}

function quote(key: string): string {
	return JSON.stringify(key.length > 80 ? `${key.slice(0, 80)}…` : key);
}

/** `tooMany` is checked first; one entry above the limit is checked too, since an entry of the service's own may be among them. */
function entryFaults(
	entries: readonly (readonly [string, unknown])[],
	keysMax: number,
	fault: EntryRule,
	tooMany: string | undefined,
): string[] {
	const faults = entries.slice(0, keysMax + 1).map(([key, value]) => fault(key, value));
	return [tooMany, ...faults].filter((message) => message !== undefined);
}

function keysFault(keys: readonly string[], keysMax: number): string | undefined {
	return keys.length > keysMax ? `must have at most ${keysMax} keys` : undefined;
}

/** The metadata key of an import's address: the service's own entry, outside the limits of what a caller may fill. */
const SOURCE_KEY = "source_url";

/** What is wrong with the number of keys in an image's metadata. */
export function metadataKeysFault(keys: readonly string[]): string | undefined {
	return keysFault(
		keys.filter((key) => key !== SOURCE_KEY),
		METADATA_KEYS_MAX,
	);
}

/** What is wrong with the number of an image's labels. */
export function labelKeysFault(keys: readonly string[]): string | undefined {
	return keysFault(keys, LABEL_KEYS_MAX);
}

function isMap(sent: unknown): boolean {
	return typeof sent === "object" && sent !== null && !Array.isArray(sent);
}

// valibot's own record() drops keys such as "constructor", which are valid labels: the entries are checked one by one instead.
function stringMap(keysMax: number, fault: EntryRule) {
	return v.pipe(
		v.custom<Readonly<Record<string, string>>>(isMap, "must be an object of strings"),
		v.rawCheck(({ dataset, addIssue }) => {
			if (!dataset.typed) return;
			const entries = Object.entries(dataset.value);
			const tooMany = keysFault(Object.keys(dataset.value), keysMax);
			for (const message of entryFaults(entries, keysMax, fault, tooMany)) addIssue({ message });
		}),
		v.metadata({ jsonSchema: { type: "object", additionalProperties: { type: "string" }, maxProperties: keysMax } }),
	);
}

/** A change that is merged into a map, where null removes a key. Only the result can show whether the result is too large. */
function mapChange(keysMax: number, fault: EntryRule, tooManyKeys: (keys: readonly string[]) => string | undefined) {
	return v.pipe(
		v.custom<MapChange>(isMap, "must be an object of strings, with null for a key to remove"),
		v.rawCheck(({ dataset, addIssue }) => {
			if (!dataset.typed) return;
			const kept = Object.entries(dataset.value).filter(([, value]) => value !== null);
			const tooMany = tooManyKeys(kept.map(([key]) => key));
			for (const message of entryFaults(kept, keysMax, fault, tooMany)) addIssue({ message });
		}),
		v.metadata({ jsonSchema: { type: "object", additionalProperties: { type: ["string", "null"] } } }),
	);
}

/** Merged into a map: a string sets a key, null removes it. */
export type MapChange = Readonly<Record<string, string | null>>;

const labelFault: EntryRule = (key, value) => labelKeyFault(key) ?? labelValueFault(key, value);

export const metadata = stringMap(METADATA_KEYS_MAX, metadataFault);
export const labels = stringMap(LABEL_KEYS_MAX, labelFault);
export const metadataChange = mapChange(METADATA_KEYS_MAX, metadataFault, metadataKeysFault);
export const labelsChange = mapChange(LABEL_KEYS_MAX, labelFault, labelKeysFault);

const MAX_LENGTH = 255;

/** The last segment of a URL's path, percent-decoded; undefined when there is none. */
export function filenameOf(url: string): string | undefined {
	const segment = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
	try {
		return decodeURIComponent(segment) || undefined;
	} catch {
		return segment || undefined;
	}
}

/** A name that is safe to show and to store: no path, nothing that is never printed, at most 255 characters, never empty. */
export function safeFilename(sent: string | undefined, fallback: string): string {
	const name = onlyPrintable((sent ?? "").split(/[/\\]/).at(-1) ?? "").trim();
	return bounded(/^\.*$/.test(name) ? fallback : name);
}

/** Shortens the name and keeps its extension, for it says what the file is. */
function bounded(name: string): string {
	const letters = [...name];
	if (letters.length <= MAX_LENGTH) return name;
	const ending = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? "";
	return letters.slice(0, MAX_LENGTH - ending.length).join("") + ending;
}
