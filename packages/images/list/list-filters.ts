import type { Position } from "@svc/base/cursors";
import type { ImageStatus } from "@svc/base/enumerations";
import { type ImageFormat, OUTPUT_FORMATS } from "@svc/base/enumerations";
import { isId } from "@svc/base/ids";
import * as v from "valibot";
import { date, externalId } from "../image-fields.ts";
import { searchedWords } from "../search-words.ts";

/* What narrows a list of images beside ids and labels. */

/** Milliseconds since 1970; without an end where that is undefined. */
export interface Period {
	readonly from: number | undefined;
	/** Not included. */
	readonly to: number | undefined;
}

/** Each is undefined where it was not asked for; an image has to fit all of them. */
export interface Narrowing {
	readonly created?: Period;
	readonly published?: Period;
	/** Permanent images fit none. */
	readonly expires?: Period;
	readonly formats?: readonly ImageFormat[];
	/** As written: upper and lower case differ. */
	readonly filenamePrefix?: string;
	readonly externalId?: string;
	/** Of the bytes as they were sent or fetched, in hexadecimal. */
	readonly sha256?: string;
	/** Id of an image of the same storage: those that look like it. */
	readonly similarTo?: string;
	/** Beginnings of words, folded: an image has a word for each. */
	readonly words?: readonly string[];
}

export const LIST_ORDERS = ["desc", "asc"] as const;
/** By `published_at`, then by row. */
export type ListOrder = (typeof LIST_ORDERS)[number];

const PERIODS = ["created", "published", "expires"] as const;

/** The names of the parameters that {@link parseNarrowing} and {@link parseOrder} read. */
export const NARROWING_PARAMETERS = [
	...PERIODS.flatMap((name) => [`${name}_from`, `${name}_to`]),
	"format",
	"filename_prefix",
	"external_id",
	"sha256",
	"similar_to",
	"q",
];

type Faults = Record<string, string[]>;

const FILENAME_MAX = 255;

/** Reads what narrows a list; faults are put under the name of their parameter. */
export function parseNarrowing(params: URLSearchParams, faults: Faults): Narrowing {
	const periods = PERIODS.map((name) => [name, parsePeriod(params, name, faults)] as const);
	const formats = parseFormats(params.get("format"), faults);
	const filenamePrefix = parsePrefix(params.get("filename_prefix"), faults);
	const external = parseExternalId(params.get("external_id"), faults);
	const sha256 = parseDigest(params.get("sha256"), faults);
	const similarTo = parseSimilar(params.get("similar_to"), faults);
	const words = parseWords(params.get("q"), faults);
	return {
		...Object.fromEntries(periods.filter(([, period]) => period !== undefined)),
		...(formats && { formats }),
		...(filenamePrefix !== undefined && { filenamePrefix }),
		...(external !== undefined && { externalId: external }),
		...(sha256 !== undefined && { sha256 }),
		...(similarTo !== undefined && { similarTo }),
		...(words && { words }),
	};
}

/** @returns "desc" where nothing was sent */
export function parseOrder(sent: string | null, faults: Faults): ListOrder {
	const order = sent === null ? "desc" : LIST_ORDERS.find((one) => one === sent);
	if (order === undefined) faults.order = [`must be ${LIST_ORDERS.join(" or ")}`];
	return order ?? "desc";
}

function parsePeriod(params: URLSearchParams, name: string, faults: Faults): Period | undefined {
	const from = parseDate(params, `${name}_from`, faults);
	const to = parseDate(params, `${name}_to`, faults);
	return from === undefined && to === undefined ? undefined : { from, to };
}

function parseDate(params: URLSearchParams, name: string, faults: Faults): number | undefined {
	const sent = params.get(name);
	if (sent === null) return undefined;
	const read = v.safeParse(date, sent);
	if (read.success) return read.output;
	faults[name] = [read.issues[0].message];
	return undefined;
}

function parseFormats(sent: string | null, faults: Faults): readonly ImageFormat[] | undefined {
	if (sent === null) return undefined;
	const formats = [...new Set(sent.split(","))].map((word) => OUTPUT_FORMATS.find((format) => format === word));
	if (formats.includes(undefined)) {
		faults.format = [`must be one or several of ${OUTPUT_FORMATS.join(", ")}, separated by commas`];
	}
	return formats.filter((format) => format !== undefined);
}

function parsePrefix(sent: string | null, faults: Faults): string | undefined {
	if (sent === null) return undefined;
	if (sent === "" || sent.length > FILENAME_MAX) {
		faults.filename_prefix = [`must have 1 to ${FILENAME_MAX} characters`];
	}
	return sent;
}

function parseExternalId(sent: string | null, faults: Faults): string | undefined {
	if (sent === null) return undefined;
	const read = v.safeParse(externalId, sent);
	if (read.success) return read.output;
	faults.external_id = [read.issues[0].message];
	return undefined;
}

function parseDigest(sent: string | null, faults: Faults): string | undefined {
	if (sent === null) return undefined;
	if (!/^[0-9a-f]{64}$/i.test(sent)) faults.sha256 = ["must be a SHA-256 digest, 64 hexadecimal digits"];
	return sent.toLowerCase();
}

/** What a list says of an image that it has not: of another App's as of one that never was. */
export const NOT_SIMILAR = "must be the id of an image of this storage";

function parseSimilar(sent: string | null, faults: Faults): string | undefined {
	if (sent === null) return undefined;
	if (!isId("img", sent)) faults.similar_to = [NOT_SIMILAR];
	return sent;
}

/** Characters of a search, and words in it. */
const SEARCH_MAX = 200;
const SEARCH_WORDS_MAX = 8;

function parseWords(sent: string | null, faults: Faults): readonly string[] | undefined {
	if (sent === null) return undefined;
	const words = sent.length > SEARCH_MAX ? [] : searchedWords(sent);
	if (words.length === 0 || words.length > SEARCH_WORDS_MAX) {
		faults.q = [`must have 1 to ${SEARCH_WORDS_MAX} words, in at most ${SEARCH_MAX} characters`];
	}
	return words;
}

/** As query parameters in a fixed order. */
export function narrowingParams(narrowed: Narrowing): readonly (readonly [string, string])[] {
	const periods = PERIODS.flatMap((name) => {
		const { from, to } = narrowed[name] ?? { from: undefined, to: undefined };
		return [
			[`${name}_from`, from],
			[`${name}_to`, to],
		] as const;
	});
	const dates = periods.flatMap(([name, ms]) =>
		ms === undefined ? [] : [[name, new Date(ms).toISOString()] as const],
	);
	return [
		...dates,
		...(narrowed.formats ? [["format", narrowed.formats.join(",")] as const] : []),
		...(narrowed.filenamePrefix === undefined ? [] : [["filename_prefix", narrowed.filenamePrefix] as const]),
		...(narrowed.externalId === undefined ? [] : [["external_id", narrowed.externalId] as const]),
		...(narrowed.sha256 === undefined ? [] : [["sha256", narrowed.sha256] as const]),
		...(narrowed.similarTo === undefined ? [] : [["similar_to", narrowed.similarTo] as const]),
		...(narrowed.words === undefined ? [] : [["q", narrowed.words.join(" ")] as const]),
	];
}

/** What lists can show; the interface variant says whether they do. */
export type ListedStatus = Extract<ImageStatus, "ready" | "processing">;

export type LabelFilter =
	| { readonly key: string; readonly values: readonly string[] }
	| { readonly key: string; readonly absent: true };

/** What an App's team can ask a list for; `ready` is what every list shows. */
export const LISTED_STATES = ["ready", "blocked", "locked", "failed"] as const;
/** `deleted`: what can still be restored, by the time of its delete. */
export type ListedState = (typeof LISTED_STATES)[number] | "deleted";

/** The filter of a list; the same for every page of one walk. */
export interface ListFilter {
	/** `ready` where it is left out. */
	readonly state?: ListedState | undefined;
	/** At most 100 ids; undefined for all images. */
	readonly ids: readonly string[] | undefined;
	readonly labels: readonly LabelFilter[];
	readonly narrowed?: Narrowing;
	/** `desc` where it is left out. */
	readonly order?: ListOrder;
}

export interface ListQuery extends ListFilter {
	/** 1 to 100. */
	readonly limit: number;
	readonly after: Position | undefined;
}
