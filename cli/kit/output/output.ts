import { printableJson, printableLine } from "@svc/base/text";
import type { Format } from "../line/globals.ts";
import type { Process } from "../process.ts";
import { type Column, cellText, pick, tsvLine } from "./table.ts";

export interface OutputOptions {
	/** Undefined: a table for a terminal, TSV without headers for a pipe. */
	readonly format: Format | undefined;
	/** Prints only this field of each item. */
	readonly field: string | undefined;
	/** Prints what this filter of jq makes of the JSON. */
	readonly jq?: string | undefined;
	/** Prints ids only, and no notes. */
	readonly quiet: boolean;
	/** A table has every column in full, however narrow the terminal is. */
	readonly wide?: boolean;
	/** Makes what people read where there are no rows. */
	readonly nothing?: (() => Promise<string>) | undefined;
}

type Rows<T> = AsyncIterable<T> | Iterable<T>;

/** Data goes to standard output, everything else to standard error. */
export interface Output {
	/** Whether errors should be JSON too. */
	readonly isJson: boolean;
	readonly quiet: boolean;
	/** Prints many items. JSON is always an array. */
	rows<T>(columns: readonly Column<T>[], rows: Rows<T>): Promise<void>;
	/** Prints one item. */
	record<T>(columns: readonly Column<T>[], row: T): Promise<void>;
	/** Prints a document without columns: JSON in every format but JSON Lines, which takes the items of a list apart. */
	document(value: unknown): Promise<void>;
	/** Prints text for people. */
	text(text: string): Promise<void>;
	/** Prints a note about the work on standard error. */
	note(text: string): Promise<void>;
}

export function createOutput(process: Process, options: OutputOptions): Output {
	const format = options.format ?? (process.out.isTerminal ? "table" : "tsv");
	const idsOnly = options.quiet && options.format === undefined && options.field === undefined;
	const { field } = options;

	const write = (line: string) => process.out.write(`${line}\n`);
	const part = (row: unknown): unknown => (field === undefined ? row : pick(row, field));
	// A pipe gets the exact value; a terminal gets nothing that it would obey.
	const valueLine = (value: unknown) => (process.out.isTerminal ? printableLine(cellText(value)) : cellText(value));

	const note = (text: string) => (options.quiet ? Promise.resolve() : process.err.write(`${printableLine(text)}\n`));

	/** The line of one row in the formats that need no other row; undefined for those that do. */
	function lineOf<T>(columns: readonly Column<T>[], row: T): string | undefined {
		if (format === "jsonl") return printableJson(part(row));
		if (format === "json") return undefined;
		if (idsOnly && hasId(row)) return valueLine(row.id);
		if (field !== undefined) return valueLine(part(row));
		return format === "tsv" ? tsvLine(columns, row) : undefined;
	}

	/** An array whose items are written as they come: a list may be longer than memory. */
	async function items(source: Rows<unknown>): Promise<void> {
		let last: string | undefined;
		for await (const row of source) {
			await write(last === undefined ? "[" : `${last},`);
			last = `  ${printableJson(part(row), 2).replaceAll("\n", "\n  ")}`;
		}
		await write(last === undefined ? "[]" : `${last}\n]`);
	}

	async function rows<T>(columns: readonly Column<T>[], source: Rows<T>): Promise<void> {
		if (format === "json") return await items(source);
		const kept: T[] = [];
		for await (const row of source) {
			const line = lineOf(columns, row);
			if (line === undefined) kept.push(row);
			else await write(line);
		}
		if (kept.length === 0) return await sayNothing();
		const { lookOf, tableLines } = await import("./table-lines.ts");
		return write(tableLines(columns, kept, lookOf(process, options.wide)).join("\n"));
	}

	/** Where a person would wonder whether anything was asked; a script counts lines. */
	async function sayNothing(): Promise<void> {
		const isMeant = format === "table" && process.out.isTerminal && !idsOnly && field === undefined;
		if (isMeant && options.nothing !== undefined) await note(await options.nothing());
	}

	const plain: Output = {
		isJson: options.format === "json" || options.format === "jsonl",
		quiet: options.quiet,
		rows,
		async record(columns, row) {
			if (format === "json") return write(printableJson(part(row), 2));
			const line = lineOf(columns, row);
			if (line !== undefined) return write(line);
			const { lookOf, recordLines } = await import("./table-lines.ts");
			const look = lookOf(process, options.wide);
			const text = recordLines(columns, row, look).join("\n");
			return write(process.out.isTerminal ? (await import("./wrap.ts")).wrapped(text, look.width) : text);
		},
		document(value) {
			const items = itemsOf(value);
			if (format === "jsonl" && items !== undefined) return rows([], items);
			if (field !== undefined && format !== "json") return write(valueLine(part(value)));
			if (typeof value === "string" && options.format === undefined) return process.out.write(value);
			return write(printableJson(part(value), format === "jsonl" ? undefined : 2));
		},
		text: write,
		note,
	};
	return options.jq === undefined ? plain : { ...plain, ...filteredOutput(process, options.jq) };
}

function filteredOutput(process: Process, filter: string): Pick<Output, "rows" | "record" | "document"> {
	async function filtered(value: unknown): Promise<void> {
		const { jqText } = await import("./jq.ts");
		await process.out.write(await jqText(filter, value));
	}
	return {
		async rows<T>(_columns: readonly Column<T>[], source: Rows<T>) {
			const all: T[] = [];
			for await (const row of source) all.push(row);
			await filtered(all);
		},
		record: (_columns, row) => filtered(row),
		document: filtered,
	};
}

function hasId(row: unknown): row is { readonly id: string } {
	return typeof row === "object" && row !== null && "id" in row && typeof row.id === "string";
}

/** The items of a list envelope. */
function itemsOf(value: unknown): readonly unknown[] | undefined {
	if (typeof value !== "object" || value === null || !("data" in value)) return undefined;
	return Array.isArray(value.data) ? value.data : undefined;
}
