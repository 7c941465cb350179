import { type SQL, sql } from "drizzle-orm";
import { customType } from "drizzle-orm/sqlite-core";

/** A BLOB as plain bytes. The driver takes any view of a buffer and returns an ArrayBuffer. */
export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array | ArrayBuffer }>({
	dataType: () => "blob",
	fromDriver: (value) => new Uint8Array(value),
});

/** Marks a text that is kept percent-encoded. */
const ENCODED = "\u0001%:";

/**
 * A TEXT that comes back as it was sent, whatever is in it: libSQL reads a text up to its first U+0000 only, so one that holds it is kept
 * percent-encoded.
 */
export const echoedText = customType<{ data: string; driverData: string }>({
	dataType: () => "text",
	toDriver: (sent) => (sent.includes("\0") || sent.startsWith(ENCODED) ? ENCODED + encodeURIComponent(sent) : sent),
	fromDriver: (kept) => (kept.startsWith(ENCODED) ? decodeURIComponent(kept.slice(ENCODED.length)) : kept),
});

/**
 * The condition that a text column holds one of the named values: for the states that rows go through. A list that grows has none: the
 * condition is part of its table, which would have to be rebuilt for each of them.
 */
export function among(column: string, values: readonly string[]): SQL {
	return sql.raw(`${column} IN (${values.map((value) => `'${value}'`).join(", ")})`);
}
