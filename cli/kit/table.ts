import { printableLine } from "@svc/base/text";

export interface Column<T> {
	readonly name: string;
	/** Typed as a method so that columns of a part of T fit T. */
	value(row: T): unknown;
	/** Gives way when the terminal is too narrow. */
	readonly shrinks?: boolean;
	/** Only for programs: left out of the table. */
	readonly hidden?: boolean;
}

/** Columns that show fields as they are, under their own names. */
export function fields<const Name extends string>(
	...names: readonly Name[]
): Column<Readonly<Record<Name, unknown>>>[] {
	return names.map((name) => ({ name, value: (row) => row[name] }));
}

/** For help: a script may rely on this order. */
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
