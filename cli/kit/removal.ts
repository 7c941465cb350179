import type { Tombstone } from "@svc/sdk/shapes";
import { runBatch } from "./batch.ts";
import type { Context } from "./command.ts";
import { showDryRun } from "./confirm.ts";
import type { ExitCode } from "./exit.ts";
import { type Column, fields } from "./table.ts";

interface Removal {
	/** Each is removed once, however often it is named. */
	readonly ids: readonly string[];
	readonly verb: Parameters<typeof tombstoneColumns>[0];
	/** Where each is removed, as a plan shows it. */
	path(id: string): string;
	/** Before the first one goes. */
	before?(ids: readonly string[]): Promise<void>;
	remove(id: string): Promise<Tombstone>;
}

/** What is left of things that are gone; `verb` is what became of them. */
export function tombstoneColumns(verb: "deleted" | "removed" | "revoked"): readonly Column<Tombstone>[] {
	return [...fields("id"), { name: verb, value: (tombstone) => tombstone.deleted }];
}

/** Removes things one by one, or shows how. JSON is an array, also for one thing. */
export async function removeEach(
	{ ids: named, verb, path, before, remove }: Removal,
	context: Context,
): Promise<ExitCode> {
	const ids = [...new Set(named)];
	if (context.globals.dryRun) {
		return showDryRun(
			context.out,
			ids.map((id) => ({ method: "DELETE", path: path(id) })),
		);
	}
	await before?.(ids);
	return runBatch({ items: ids, name: (id) => id, work: remove, columns: tombstoneColumns(verb) }, context);
}

/** `key key_1`, or `3 keys`. */
export function counted(noun: string, ids: readonly string[]): string {
	return ids.length === 1 ? `${noun} ${ids[0]}` : `${ids.length} ${noun}s`;
}
