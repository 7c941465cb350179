import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { namedText, type Statement } from "../write/change-statements.ts";
import type { Found } from "./hrana.ts";

/*
 * What a libSQL server does with a statement costs less than reading and preparing it. So reads that go in one request share what they can:
 * equal ones are asked once, and look-ups of one row that differ in their values alone become one statement.
 */

/** A read that may go along with others. */
export interface Read extends Statement {
	/** The same look-up for many at once, of {@link lookUpOf}. */
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

type Fields = Readonly<Record<string, SQL | SQLiteColumn>>;

/** A query of the builder. */
interface Built extends SQLWrapper {
	toSQL(): { readonly sql: string; readonly params: unknown[] };
}

/** The look-up of one row: its text, what stands for its values, and the text that asks for many at once. */
interface LookUpText {
	readonly sql: string;
	readonly params: unknown[];
	/** Takes a JSON array with the values of each, and returns for each of them its number and the row as JSON. */
	readonly many: string;
}

/**
 * The look-up of one row, of no blobs and by no blobs.
 * @param fields without values of their own
 * @param select of the fields that it is given, of which at most one row comes
 */
export function lookUpOf<Selected extends Fields>(
	fields: Selected,
	select: (fields: Selected | { readonly row: SQL }) => Built,
): LookUpText {
	const row = sql`json_array(${sql.join(Object.values(fields), sql`, `)})`;
	const byAsked = namedText(select({ row }), (place) => `(asked.value ->> ${place})`);
	return { ...select(fields).toSQL(), many: `SELECT asked.key, (${byAsked}) FROM json_each(?) AS asked` };
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
