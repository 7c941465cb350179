import { Failure, invalid } from "@svc/base/failure";
import { Faults } from "@svc/base/http/faults";
import { parseLimit } from "@svc/images/list/lists";
import { named, nameOf } from "@svc/variants/shape";
import * as v from "valibot";
import type { Answer, Call } from "./call-types.ts";
import type { ApiRooms } from "./rooms.ts";

/** Which rows of a list are wanted; newest first. */
export interface WantedRows {
	/** One row more than is shown, which tells whether there is another page. */
	readonly limit: number;
	/** Selects only rows whose `pk` is smaller; undefined on the first page. */
	readonly beforePk: number | undefined;
	/** The filters by name, as sent. */
	readonly filters: Readonly<Record<string, string>>;
}

interface ListOf<Row> {
	/** Query parameters that filter the list. */
	readonly filters?: readonly string[] | undefined;
	/** Names the list, where its address does not: cursors are bound to it. */
	readonly scope?: string | undefined;
	find(page: WantedRows): Promise<readonly Row[]>;
	encode(row: Row): unknown;
}

/**
 * Answers a page of a list in the specification's envelope.
 * @throws Failure validation_error naming a parameter that is unknown, repeated or out of bounds, and a foreign cursor
 */
export async function listPage<Row extends { readonly pk: number }>(
	rooms: Pick<ApiRooms, "cursors" | "addresses">,
	{ url }: Call,
	list: ListOf<Row>,
): Promise<Answer> {
	const { limit, cursor, filters } = readQuery(url.searchParams, list.filters ?? []);
	const scope = `${list.scope ?? ""} ${url.pathname} ${new URLSearchParams(filters)}`;
	const after = cursor === undefined ? undefined : await rooms.cursors.open(cursor, scope);
	const found = await list.find({ limit: limit + 1, beforePk: after?.pk, filters });
	const rows = found.slice(0, limit);
	const last = rows.at(-1);
	const next = found.length > limit && last ? await rooms.cursors.seal({ publishedMs: 0, pk: last.pk }, scope) : null;
	const query = new URLSearchParams({ ...filters, limit: String(limit), cursor: next ?? "" });
	return {
		status: 200,
		body: {
			object: "list",
			data: rows.map((row) => list.encode(row)),
			pagination: {
				has_more: next !== null,
				next_cursor: next,
				next_url: next === null ? null : `${rooms.addresses.base}${url.pathname}?${query}`,
			},
		},
	};
}

/**
 * A misspelt parameter must not be taken for one that was left out.
 * @throws Failure validation_error naming each that is unknown or sent more than once
 */
export function refuseParameters(sent: URLSearchParams, isKnown: (name: string) => boolean): void {
	if (sent.size === 0) return;
	const faults = new Faults();
	const [names, repeated] = [new Set<string>(), new Set<string>()];
	for (const name of sent.keys()) (names.has(name) ? repeated : names).add(name);
	for (const name of names) {
		if (!isKnown(name)) faults.add(name, ["is not a parameter of this call"]);
		else if (repeated.has(name)) faults.add(name, ["is sent more than once"]);
	}
	if (faults.some) throw faults.failure();
}

const FILTER_MAX = 320;

function readQuery(params: URLSearchParams, known: readonly string[]) {
	// The names are the caller's: an ordinary object would lose a value under "__proto__".
	const faults = Object.create(null) as Record<string, string[]>;
	const filters: Record<string, string> = {};
	for (const name of new Set(params.keys())) {
		const [value = "", ...more] = params.getAll(name);
		if (more.length > 0) faults[name.slice(0, 100)] = ["is sent more than once"];
		else if (known.includes(name)) filters[name] = value;
		else if (name !== "limit" && name !== "cursor") faults[name.slice(0, 100)] = ["is not a parameter of this list"];
		if (value.length > FILTER_MAX) faults[name.slice(0, 100)] = [`must have at most ${FILTER_MAX} characters`];
	}
	const limit = parseLimit(params.get("limit"), faults);
	if (Object.keys(faults).length > 0) throw new Failure("validation_error", faults);
	return { limit, cursor: params.get("cursor") ?? undefined, filters };
}

/** A filter that takes one of some words; undefined where it was not sent. @throws Failure validation_error under its name */
export function readWord<const Word extends string>(
	name: string,
	sent: string | undefined,
	words: readonly Word[],
): Word | undefined {
	const word = words.find((one) => one === sent);
	if (sent !== undefined && word === undefined) throw invalid(name, `must be one of ${words.join(", ")}`);
	return word;
}

/** A whole number from 1 to `max` in a query; undefined where it was not sent. @throws Failure validation_error under its name */
export function readNumber(params: URLSearchParams, name: string, max: number): number | undefined {
	const sent = params.get(name);
	if (sent === null) return undefined;
	const number = /^[1-9]\d{0,8}$/.test(sent) ? Number(sent) : 0;
	if (number < 1 || number > max) throw invalid(name, `must be a whole number from 1 to ${max}`);
	return number;
}

/** The list envelope around a named shape, for the API document. */
export function listSchema<Item extends v.GenericSchema>(item: Item) {
	return named(`${nameOf(item)}List`, v.object(listEntries(item)));
}

export function listEntries<Item extends v.GenericSchema>(item: Item) {
	const pagination = named(
		"Pagination",
		v.object({
			has_more: v.boolean(),
			next_cursor: v.nullable(v.string()),
			next_url: v.nullable(v.string()),
		}),
	);
	return { object: v.literal("list"), data: v.array(item), pagination };
}

/** A parameter that is `true` or `false`. @throws Failure validation_error for anything else */
export function readFlag(params: URLSearchParams, name: string, otherwise = false): boolean {
	const sent = params.get(name);
	if (sent !== null && sent !== "true" && sent !== "false") throw invalid(name, "must be true or false");
	return sent === null ? otherwise : sent === "true";
}
