import type { Found, Statement } from "./hrana.ts";

/*
 * What a libSQL server does with a statement costs less than reading and preparing it. So reads that go in one request share what they can:
 * equal ones are asked once, and look-ups of one row that differ in their values alone become one statement.
 */

/** A read that may go along with others. */
export interface Read extends Statement {
	/** The same look-up for many at once, of {@link manyOf}. */
	readonly many?: string | undefined;
}

/** A statement to be sent, and which reads it answers, each with its rows. */
export interface Shared {
	readonly statement: Statement;
	/** The rows of a read, by its place. */
	readonly rowsOf: (found: Found, place: number) => unknown[][];
	/** The places of the reads. */
	readonly places: readonly number[];
}

/**
 * The look-up of one row, of no blobs and by no blobs, for many at once: it takes a JSON array with the values of each, and returns for each of
 * them its number and the row as JSON.
 * @param text `select <columns> from <the rest>`, of which at most one row comes
 */
export function manyOf(text: string): string {
	const [, fields, rest] = /^select (.+?) from (.+)$/s.exec(text) ?? [];
	if (fields === undefined || rest === undefined) throw new Error(`No look-up of one row: ${text}`);
	let place = 0;
	const byAsked = rest.replaceAll("?", () => `(asked.value ->> ${place++})`);
	return `SELECT asked.key, (SELECT json_array(${fields}) FROM ${byAsked}) FROM json_each(?) AS asked`;
}

/** The statements that answer all of these reads. */
export function sharedReads(reads: readonly Read[]): readonly Shared[] {
	const groups = new Map<string, number[]>();
	for (const [place, { sql, args, many }] of reads.entries()) {
		const name = many ?? `${sql} ${JSON.stringify(args.map(printed))}`;
		const group = groups.get(name);
		if (group) group.push(place);
		else groups.set(name, [place]);
	}
	return Array.from(groups.values(), (places) => sharedBy(reads, places));
}

function sharedBy(reads: readonly Read[], places: readonly number[]): Shared {
	const [first] = places.flatMap((place) => reads[place] ?? []);
	if (!first) throw new Error("No read has this place.");
	if (first.many === undefined || places.length === 1) {
		return { statement: first, places, rowsOf: ({ rows }) => rows };
	}
	const values = places.map((place) => reads[place]?.args);
	return {
		statement: { sql: first.many, args: [JSON.stringify(values)] },
		places,
		rowsOf({ rows }, place) {
			const row = rows.find(([key]) => key === places.indexOf(place))?.[1];
			return typeof row === "string" ? [JSON.parse(row)] : [];
		},
	};
}

/** Tells values apart that a server would. */
function printed(value: unknown): string {
	if (value instanceof ArrayBuffer) return `blob ${Buffer.from(value).toString("hex")}`;
	if (!ArrayBuffer.isView(value)) return `${typeof value} ${value}`;
	return `blob ${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}`;
}
