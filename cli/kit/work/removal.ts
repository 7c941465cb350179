import type { Tombstone } from "@svc/sdk/shapes";
import type { Context } from "../command.ts";
import { type PlannedCall, showDryRun } from "../confirm.ts";
import type { ExitCode } from "../exit.ts";
import { type Column, fields } from "../output/table.ts";
import { runBatch } from "./batch.ts";

interface Removal {
	/** Each is removed once, however often it is named. */
	readonly ids: readonly string[];
	readonly verb: Parameters<typeof tombstoneColumns>[0];
	/** The path of the call for each item, as a plan shows it. */
	path(id: string): string;
	/** Runs before the first item is removed. */
	before?(ids: readonly string[]): Promise<void>;
	remove(id: string): Promise<Tombstone>;
}

/** Tombstones of items that are gone; `verb` says how each went. */
export function tombstoneColumns(verb: "deleted" | "removed" | "revoked"): readonly Column<Tombstone>[] {
	return [...fields("id"), { name: verb, value: (tombstone) => tombstone.deleted }];
}

/** Removes things one by one, or shows how. JSON is an array, also for one thing. */
export function removeEach({ ids, verb, path, before, remove }: Removal, context: Context): Promise<ExitCode> {
	const call = (id: string): PlannedCall => ({ method: "DELETE", path: path(id) });
	return changeEach({ items: ids, call, before, work: remove, columns: tombstoneColumns(verb) }, context);
}

interface EachChange<R> {
	/** Each is changed once, however often it is named. */
	readonly items: readonly string[];
	/** The call that is made for an item, as a plan shows it. */
	call(item: string): PlannedCall;
	/** Runs before the first item is changed. */
	readonly before?: ((items: readonly string[]) => Promise<void>) | undefined;
	work(item: string): Promise<R>;
	readonly columns: readonly Column<R>[];
}

/** Changes things one by one, or shows how. */
export async function changeEach<R>(change: EachChange<R>, context: Context): Promise<ExitCode> {
	const items = [...new Set(change.items)];
	if (context.globals.dryRun) return await showDryRun(context.out, items.map(change.call));
	await change.before?.(items);
	return await runBatch({ items, name: (item) => item, work: change.work, columns: change.columns }, context);
}

/** `key key_1`, or `3 keys`. */
export function counted(noun: string, ids: readonly string[]): string {
	return ids.length === 1 ? `${noun} ${ids[0]}` : `${ids.length} ${noun}s`;
}
