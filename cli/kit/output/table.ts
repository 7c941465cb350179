import { UsageError } from "@svc/base/processes/exit";
import { printableLine } from "@svc/base/text";

/** How amounts are written for people; handed in, so that programs do not load it. */
export interface Units {
	bytes(amount: number): string;
}

export interface Column<T> {
	readonly name: string;
	/** Typed as a method so that columns of a part of T fit T. */
	value(row: T): unknown;
	/** This column shrinks when the terminal is too narrow. */
	readonly shrinks?: boolean;
	/** Only programs get this column: tables leave it out, unless they are to be wide. */
	readonly hidden?: boolean;
	/** What a table has instead of the value; programs get the value. */
	shown?(row: T, units: Units): unknown;
	/** A narrow terminal loses the columns of the least worth first. Default: 0, and among equals the last one first. */
	readonly worth?: number;
}

/** Columns that show fields as they are, under their own names. */
export function fields<const Name extends string>(
	...names: readonly Name[]
): Column<Readonly<Record<Name, unknown>>>[] {
	return names.map((name) => ({ name, value: (row) => row[name] }));
}

/** A note for help: a script may rely on this order. */
export function pipeNote(columns: readonly Column<never>[]): string {
	return `A pipe gets: ${columns.map(({ name }) => name).join(", ")}.`;
}

/** A value as one word or line: strings as they are, nothing for null, JSON for what has parts. */
export function cellText(value: unknown): string {
	if (value === null || value === undefined) return "";
	return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function cell<T>(column: Column<T>, row: T): string {
	return printableLine(cellText(column.value(row)));
}

export function tsvLine<T>(columns: readonly Column<T>[], row: T): string {
	return columns.map((column) => cell(column, row)).join("\t");
}

/**
 * The value at `a.b` inside `row`; undefined where a deeper part of the path is missing in this row.
 * @throws UsageError naming what there is, when the row has nothing of the path's first name.
 */
export function pick(row: unknown, field: string): unknown {
	const path = field.split(".");
	const found = find(row, path);
	const [first = ""] = path;
	if (found !== undefined || (isParts(row) && Object.hasOwn(row, first))) return found;
	const names = isParts(row) ? Object.keys(row) : [];
	throw new UsageError(`There is no field "${field}".`, names.length > 0 ? `Fields: ${names.join(", ")}` : undefined);
}

/** Looks at own properties; the longest name wins, since label names may hold dots themselves. */
function find(value: unknown, path: readonly string[]): unknown {
	if (path.length === 0) return value;
	if (!isParts(value)) return undefined;
	for (let taken = path.length; taken > 0; taken--) {
		const name = path.slice(0, taken).join(".");
		if (Object.hasOwn(value, name)) return find(value[name], path.slice(taken));
	}
	return undefined;
}

function isParts(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null;
}
