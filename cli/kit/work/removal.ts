import type { Tombstone } from "@svc/sdk/shapes";
import type { Context } from "../command.ts";
import type { ExitCode } from "../exit.ts";
import { type Column, fields } from "../output/table.ts";
import { planAll } from "../planning.ts";
import { runBatch } from "./batch.ts";

interface Removal {
	/** Each is removed once, however often it is named. */
	readonly ids: readonly string[];
	readonly verb: Parameters<typeof tombstoneColumns>[0];
	/** Runs before the first item is removed. */
	before?(ids: readonly string[]): Promise<void>;
	remove(id: string): Promise<Tombstone>;
}

/** Tombstones of items that are gone; `verb` says how each went. */
export function tombstoneColumns(verb: "deleted" | "removed" | "revoked"): readonly Column<Tombstone>[] {
	return [...fields("id"), { name: verb, value: (tombstone) => tombstone.deleted }];
}

/** Removes things one by one. JSON is an array, also for one thing. */
export function removeEach({ ids, verb, before, remove }: Removal, context: Context): Promise<ExitCode> {
	return changeEach({ items: ids, before, work: remove, columns: tombstoneColumns(verb) }, context);
}

interface EachChange<R> {
	/** Each is changed once, however often it is named. */
	readonly items: readonly string[];
	/** Runs before the first item is changed. */
	readonly before?: ((items: readonly string[]) => Promise<void>) | undefined;
	work(item: string): Promise<R>;
	readonly columns: readonly Column<R>[];
}

/** Changes things one by one. */
export async function changeEach<R>(change: EachChange<R>, context: Context): Promise<ExitCode> {
	const items = [...new Set(change.items)];
	await change.before?.(items);
	await planAll(
		context,
		items.map((item) => () => change.work(item)),
	);
	return await runBatch({ items, name: (item) => item, work: change.work, columns: change.columns }, context);
}

/** `key key_1`, or `3 keys`. */
export function counted(noun: string, ids: readonly string[]): string {
	return ids.length === 1 ? `${noun} ${ids[0]}` : `${ids.length} ${noun}s`;
}
