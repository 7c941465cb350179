import type { List } from "@svc/sdk/types";
import type { PageOptions } from "@svc/sdk/wire/calls";
import type { Context } from "../command.ts";
import { EXIT, type ExitCode, UsageError } from "../exit.ts";
import type { Column } from "./table.ts";

const DEFAULT_LIMIT = 50;
const PAGE = 100;

/** The flags of every command that lists items. */
export const LIST_ARGS = {
	limit: { type: "string", valueHint: "n", description: `At most this many; default ${DEFAULT_LIMIT}` },
	all: { type: "boolean", description: "Every one there is" },
	cursor: { type: "string", valueHint: "cursor", description: "Go on where an earlier list ended" },
	watch: { type: "boolean", description: "Draw it anew every 2 seconds, as much as the terminal has room for" },
	page: { type: "boolean", description: "JSON with the cursor of what follows: {data, pagination}" },
} as const;

export interface ListArgs {
	readonly limit?: string | undefined;
	readonly all?: boolean | undefined;
	readonly cursor?: string | undefined;
	readonly page?: boolean | undefined;
	readonly watch?: boolean | undefined;
}

type ListPage<T> = (options: PageOptions) => Promise<List<T>>;

interface ListEnd {
	/** The cursor after the last item that was taken. */
	next: string | undefined;
}

/** Prints as much of a list as was asked for, and says how to go on. @throws UsageError */
export async function printList<T>(
	context: Context,
	columns: readonly Column<T>[],
	args: ListArgs,
	page: ListPage<T>,
): Promise<ExitCode> {
	const { out, process, globals } = context;
	if (args.watch === true) return await watchList(context, columns, args, page);
	const limit = readLimit(args);
	const end: ListEnd = { next: undefined };
	const items = take(page, { cursor: args.cursor, signal: process.signal }, limit, end);
	if (args.page === true) {
		if (globals.format !== "json") throw new UsageError("--page is for JSON.", "Give --json, too.");
		const data: T[] = [];
		for await (const item of items) data.push(item);
		const { next = null } = end;
		await out.document({ object: "list", data, pagination: { has_more: next !== null, next_cursor: next } });
		return EXIT.ok;
	}
	await out.rows(columns, items);
	if (end.next !== undefined) await out.note(`There are more: --all, or --cursor ${end.next}`);
	return EXIT.ok;
}

async function watchList<T>(context: Context, columns: readonly Column<T>[], args: ListArgs, page: ListPage<T>) {
	if (args.page === true) throw new UsageError("--watch and --page exclude each other.");
	const { watch, watchedRows } = await import("./watch.ts");
	const limit = Math.min(readLimit(args), watchedRows(context));
	const from = { cursor: args.cursor, signal: context.process.signal };
	return await watch(context, columns, async () => {
		const rows: T[] = [];
		for await (const row of take(page, from, limit, { next: undefined })) rows.push(row);
		return rows;
	});
}

function readLimit({ limit, all }: ListArgs): number {
	if (limit === undefined) return all === true ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT;
	if (all === true) throw new UsageError("--limit and --all exclude each other.");
	const number = /^\d{1,9}$/.test(limit) ? Number(limit) : 0;
	if (number < 1) throw new UsageError(`--limit takes a whole number from 1; not "${limit}".`);
	return number;
}

async function* take<T>(page: ListPage<T>, from: PageOptions, limit: number, end: ListEnd) {
	let left = limit;
	let cursor = from.cursor;
	do {
		const { data, pagination } = await page({ ...from, cursor, limit: Math.min(PAGE, left) });
		yield* data;
		left -= data.length;
		cursor = pagination.next_cursor ?? undefined;
	} while (cursor !== undefined && left > 0);
	end.next = cursor;
}
