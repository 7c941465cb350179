import { UsageError } from "@svc/base/processes/exit";
import type { Context } from "../command.ts";
import { type Column, cell } from "../output/table.ts";

/* Lists that may have no end. */

/** Line by line, where a table would wait for the last row. Lines that have a column that shrinks end with the terminal. */
export async function printAsTheyCome<Row>(
	columns: readonly Column<Row>[],
	rows: AsyncIterable<Row>,
	{ globals: { format, wide }, out, process }: Context,
): Promise<void> {
	const isTable = format === "table" || (format === undefined && process.out.isTerminal);
	if (!isTable) return await out.rows(columns, rows);
	const shown = columns.filter(({ hidden }) => hidden !== true);
	const { cut } = await import("@svc/tui/text");
	const width = !wide && shown.some(({ shrinks }) => shrinks) ? process.out.columns : Number.POSITIVE_INFINITY;
	for await (const row of rows) await out.text(cut(shown.map((column) => cell(column, row)).join("  "), width));
}

/** After how many a list ends; endless where nothing is said. @throws UsageError */
export function readEnd(sent: string | undefined): number {
	if (sent === undefined) return Number.POSITIVE_INFINITY;
	const number = /^\d{1,9}$/.test(sent) ? Number(sent) : 0;
	if (number >= 1) return number;
	throw new UsageError(`--limit takes a whole number from 1; not "${sent}".`);
}

/** The first so many. */
export async function* upTo<T>(source: AsyncIterable<T>, limit: number): AsyncGenerator<T, void, undefined> {
	let left = limit;
	for await (const one of source) {
		yield one;
		left--;
		if (left <= 0) return;
	}
}
