import type { ExitCode } from "@svc/base/processes/exit";
import type { Tombstone } from "@svc/sdk/shapes";
import type { CallOptions } from "@svc/sdk/wire/request";
import { type Calling, type Calls, type Command, type Context, defineCommand, type Room } from "../command.ts";
import { confirm } from "../confirm.ts";
import { type Column, fields } from "../output/table.ts";
import { planAll } from "../planning.ts";
import { advising } from "../refusal.ts";
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

interface Removing<R extends Room> extends Omit<Calling<Record<never, never>, R>, "args"> {
	readonly verb: Removal["verb"];
	/** What each of them is called, as "signing key". */
	readonly noun: string;
	/** Asked first, where it is there; `what` names one, or says how many. */
	question?(what: string): string;
	remove(calls: Calls<R>, id: string, options: CallOptions): Promise<Tombstone>;
}

/** A command that removes what its words name. */
export function removes<const R extends Room>(removing: Removing<R>): Command {
	const { from, verb, noun, advice = {}, question, remove, ...described } = removing;
	return defineCommand({
		...described,
		args: {},
		async run({ rest: ids }, context) {
			const { signal } = context.process;
			const calls = (await context[from]()) as Calls<R>;
			const asked = async (all: readonly string[]) => {
				if (question) await confirm(context, question(counted(noun, all)));
			};
			const removed = (id: string) => advising(advice, () => remove(calls, id, { signal }));
			return removeEach({ ids, verb, before: asked, remove: removed }, context);
		},
	});
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
