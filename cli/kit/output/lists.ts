import { EXIT, type ExitCode, UsageError } from "@svc/base/processes/exit";
import type { List } from "@svc/sdk/types";
import type { PageOptions } from "@svc/sdk/wire/calls";
import type { ArgsDef } from "citty";
import {
	type Calling,
	type Calls,
	type Command,
	type Context,
	defineCommand,
	type Given,
	type Room,
} from "../command.ts";
import * as takes from "../line/takes.ts";
import { type Column, pipeNote } from "./table.ts";

const DEFAULT_LIMIT = 50;
const PAGE = 100;

/** The flags of every command that lists items. */
export const LIST_ARGS = {
	limit: takes.text(`At most this many; default ${DEFAULT_LIMIT}`, "n"),
	all: takes.flag("Every one there is"),
	cursor: takes.text("Go on where an earlier list ended", "cursor"),
	watch: takes.flag("Draw it anew every 2 seconds, as much as the terminal has room for"),
	page: takes.flag("JSON with the cursor of what follows: {data, pagination}"),
} as const;

export interface ListArgs {
	readonly limit?: string | undefined;
	readonly all?: boolean | undefined;
	readonly cursor?: string | undefined;
	readonly page?: boolean | undefined;
	readonly watch?: boolean | undefined;
}

type ListPage<T> = (options: PageOptions) => Promise<List<T>>;

interface Listing<T extends ArgsDef, R extends Room, Row> extends Calling<T, R> {
	readonly columns: readonly Column<NoInfer<Row>>[];
	/** Reads the line, and says then what gives one page of the list. */
	pages(given: Given<T>, context: Context): (calls: Calls<R>) => ListPage<Row>;
}

/** A command that lists. Its notes tell the order of what a pipe gets, where it has no others. */
export function lists<const T extends ArgsDef, const R extends Room, Row>(listing: Listing<T, R, Row>): Command {
	const { from, columns, advice, pages, args, ...described } = listing;
	return defineCommand({
		notes: pipeNote(columns),
		...described,
		args: { ...LIST_ARGS, ...args } as ArgsDef,
		async run(given, context) {
			const pagesOf = pages(given as unknown as Given<T>, context);
			const page = pagesOf((await context[from]()) as Calls<R>);
			const print = () => printList<Row>(context, columns, given.args as ListArgs, page);
			return advice === undefined ? await print() : await (await import("../refusal.ts")).advising(advice, print);
		},
	});
}

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
