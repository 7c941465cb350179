import type { Program } from "./change-programs.ts";
import type { BatchStep, Value } from "./hrana.ts";

/*
 * The INSERT that makes changes by a program. With a parameter for each value a server reads and prepares as many of them as there are; where it
 * can, it is sent one JSON text with all values instead, and the statement is the same however many changes go together.
 */

type Values = readonly Value[];

/** The INSERT that makes these changes, each by the values of all its statements, and returns the places of those that it has made. */
export function runOf({ name, looks }: Program, changes: readonly (readonly BatchStep["stmt"][])[]): BatchStep["stmt"] {
	const rows = changes.map((change) => change.flatMap(({ args }, place) => (looks.has(place) ? [] : args)));
	return { ...(runOfText(name, rows) ?? runOfEach(name, rows)), want_rows: true };
}

type Run = Pick<BatchStep["stmt"], "sql" | "args">;

function runOfEach(name: string, rows: readonly Values[]): Run {
	const places = rows.map((values, place) => `(${[place, ...values.map(() => "?")]})`);
	return { sql: `INSERT INTO temp.${name} VALUES ${places} RETURNING place`, args: rows.flat() };
}

/** Undefined where a value cannot be written in the text so that it is read as what it is. */
function runOfText(name: string, rows: readonly Values[]): Run | undefined {
	const written = rows.map((values) => values.map(writtenOf));
	if (written.flat().includes(undefined)) return undefined;
	const isOfBytes = rows[0]?.map((_, column) => rows.some((values) => values[column]?.type === "blob")) ?? [];
	const isMixed = rows.some((values) =>
		values.some(({ type }, column) => isOfBytes[column] && type !== "blob" && type !== "null"),
	);
	if (isMixed) return undefined;
	const columns = isOfBytes.map((isBytes, column) => (isBytes ? `unhex(value ->> ${column})` : `value ->> ${column}`));
	const text = `[${written.map((values) => `[${values}]`)}]`;
	return {
		sql: `INSERT INTO temp.${name} SELECT ${["key", ...columns]} FROM json_each(?) RETURNING place`,
		args: [{ type: "text", value: text }],
	};
}

function writtenOf(value: Value): string | undefined {
	switch (value.type) {
		case "null":
			return "null";
		case "integer":
			return value.value;
		case "float":
			// Fractions are not always read as they were written; a point keeps whole numbers what they are, too.
			return Number.isSafeInteger(value.value) ? `${value.value}.0` : undefined;
		case "text":
			// SQLite before 3.45 ends a text of JSON where it finds this.
			return value.value.includes("\0") ? undefined : JSON.stringify(value.value);
		default:
			return `"${Buffer.from(value.base64, "base64").toString("hex")}"`;
	}
}
