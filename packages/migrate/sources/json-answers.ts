import type { Pairs } from "./source.ts";
import { type Ask, type SourcePlace, textFrom, unlike } from "./source-calls.ts";

/* What other places answer in JSON. It is anybody's: nothing in it is believed before it was looked at. */

export type JsonAnswer = Readonly<Record<string, unknown>>;

/** @throws LocalError also for an answer that is no object */
export async function jsonFrom(place: SourcePlace, ask: Ask, signal: AbortSignal): Promise<JsonAnswer> {
	const answer = await anyJsonFrom(place, ask, signal);
	if (!isRecord(answer)) throw unlike(place);
	return answer;
}

/** @throws LocalError also for an answer that is no JSON */
export async function anyJsonFrom(place: SourcePlace, ask: Ask, signal: AbortSignal): Promise<unknown> {
	const text = await textFrom(place, ask, signal);
	try {
		return JSON.parse(text);
	} catch {
		throw unlike(place);
	}
}

/** The entries of a list; those that are no objects are empty ones. @throws LocalError for what is no list */
export function entriesIn(place: SourcePlace, value: unknown): readonly JsonAnswer[] {
	if (!Array.isArray(value)) throw unlike(place);
	return value.map((entry) => (isRecord(entry) ? entry : {}));
}

export function isRecord(value: unknown): value is JsonAnswer {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined for what is no text, or an empty one. */
export function textIn(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

export function textsIn(value: unknown): readonly string[] {
	return Array.isArray(value) ? value.flatMap((one) => textIn(one) ?? []) : [];
}

/** An address that can be opened, or nothing. */
export function addressIn(value: unknown): string | undefined {
	const text = textIn(value);
	return text !== undefined && /^https?:\/\//.test(text) && URL.canParse(text) ? text : undefined;
}

/** A map as metadata: what is no text is written as JSON, and what is nothing is left out. */
export function pairsIn(value: unknown): Pairs {
	if (!isRecord(value)) return {};
	const entries = Object.entries(value).flatMap(([name, one]) => {
		if (one === null || one === undefined || one === "") return [];
		return [[name, typeof one === "string" ? one : JSON.stringify(one)] as const];
	});
	return Object.fromEntries(entries);
}
