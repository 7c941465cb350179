import type { TrashedBlob } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import { showDryRun } from "../../kit/confirm.ts";
import { EXIT, UsageError } from "../../kit/exit.ts";
import { LIST_ARGS, printList } from "../../kit/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/table.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<TrashedBlob>[] = fields("id", "image_id", "bytes", "trashed_at", "removed_at", "known");
/** The service takes no more at once. */
const AT_ONCE = 100;

const list = defineCommand({
	summary: "List stored pictures that no image in the database belongs to (operators)",
	notes:
		"They were found in the store and are kept for 30 days; what people delete is not here. One that the database knows by\n" +
		`now comes back by itself within a day. ${pipeNote(COLUMNS)}`,
	examples: ["svc server trash list", "svc server trash list --all --field id"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { operator } = await context.management();
		return printList(context, COLUMNS, args, (page) => operator.trash.list(page));
	},
});

const restore = defineCommand({
	summary: "Bring stored pictures back from the trash (operators)",
	notes:
		"One that no image belongs to returns there a day later: bring the database back first. Exit 3 when some were not there.",
	examples: ["svc server trash restore img_1/n", "svc server trash restore --everything"],
	args: {
		everything: { type: "boolean", description: "All that the trash holds" },
	},
	rest: { name: "blob", description: "Blobs as the list names them, such as img_1/n", required: false },
	async run({ args, rest: given }, context) {
		const { globals, out, process } = context;
		if ((given.length === 0) !== (args.everything === true))
			throw new UsageError("Name what is to come back, or --everything.", "svc server trash list");
		const call = { method: "POST", path: "/v1/operator/trash/restore" };
		if (globals.dryRun) return showDryRun(out, [{ ...call, body: { blobs: args.everything ? ["…"] : given } }]);
		const ids = args.everything ? await everyId(context) : given;
		const { operator } = await context.management();
		const restored: string[] = [];
		for (let first = 0; first < ids.length; first += AT_ONCE) {
			const answer = await operator.trash.restore(ids.slice(first, first + AT_ONCE), { signal: process.signal });
			restored.push(...answer.restored);
		}
		await out.record([{ name: "restored", value: () => restored.length }], {
			object: "trash_restore" as const,
			restored,
		});
		return restored.length < ids.length ? EXIT.partly : EXIT.ok;
	},
});

async function everyId(context: Context): Promise<string[]> {
	const { operator } = await context.management();
	const ids: string[] = [];
	for await (const { id } of operator.trash.all({ signal: context.process.signal })) ids.push(id);
	return ids;
}

export const TRASH_COMMANDS = { list, restore };
