import { EXIT, UsageError } from "@svc/base/processes/exit";
import { TRASHED_BLOB } from "@svc/nouns/audit";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { planAll } from "../../kit/planning.ts";
import { refuseFailed, waitForJob } from "../../kit/work/follow-job.ts";

/** The service takes no more at once. */
const AT_ONCE = 100;

const list = defineCommand({
	summary: "List stored pictures that no image in the database belongs to (operators)",
	notes:
		"They were found in the store and are kept for 30 days; what people delete is not here. One that the database knows by\n" +
		`now comes back by itself within a day. ${pipeNote(TRASHED_BLOB.list)}`,
	examples: ["svc server trash list", "svc server trash list --all --field id"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { operator } = await context.management();
		return printList(context, TRASHED_BLOB.list, args, (page) => operator.trash.list(page));
	},
});

const restore = defineCommand({
	summary: "Bring stored pictures back from the trash (operators)",
	notes:
		"One that no image belongs to returns there a day later: bring the database back first. Exit 3 when some were not there.",
	examples: ["svc server trash restore img_1/n", "svc server trash restore --everything"],
	args: {
		everything: takes.flag("All that the trash holds"),
	},
	rest: { name: "blob", description: "Blobs as the list names them, such as img_1/n", required: false },
	async run({ args, rest: given }, context) {
		const { out, process } = context;
		if ((given.length === 0) !== (args.everything === true))
			throw new UsageError("Name what is to come back, or --everything.", "svc server trash list");
		const ids = args.everything ? await everyId(context) : given;
		const { operator } = await context.management();
		const parts = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, part) =>
			ids.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
		);
		const calls = parts.map((part) => () => operator.trash.restore(part, { signal: process.signal }));
		await planAll(context, calls);
		const restored: string[] = [];
		for (const call of calls) restored.push(...(await call()).restored);
		await out.record([{ name: "restored", value: () => restored.length }], {
			object: "trash_restore" as const,
			restored,
		});
		return restored.length < ids.length ? EXIT.partly : EXIT.ok;
	},
});

interface Collection {
	readonly object: "trash_collection";
	readonly unknown: number;
	readonly bytes: number;
	readonly moved: number;
}

const collect = defineCommand({
	summary: "Move every stored picture that the database does not know to the trash (operators)",
	notes:
		"The sweep does so by itself with a few; where they are many it leaves them, for then the database may be the wrong one. After\n" +
		"svc server restore --at they are what came later. Looks through the whole store first and asks; --dry-run only looks.\n" +
		"Nothing that the database knows is touched, and for 30 days svc server trash restore brings all of it back.",
	examples: ["svc server trash collect --dry-run", "svc server trash collect --yes"],
	args: {},
	async run(_given, context) {
		const { globals, out } = context;
		const found = await collected(context, false);
		if (globals.dryRun || found.unknown === 0) {
			await out.record(COLLECTED, found);
			return EXIT.ok;
		}
		await confirm(context, `Move ${found.unknown} pictures (${found.bytes} bytes) to the trash?`);
		await out.record(COLLECTED, await collected(context, true));
		return EXIT.ok;
	},
});

const COLLECTED: readonly Column<Collection>[] = fields("unknown", "bytes", "moved");

async function collected(context: Context, move: boolean): Promise<Collection> {
	const { operator } = await (move ? context.management() : context.looking());
	const started = await operator.trash.collect({ move, signal: context.process.signal });
	const job = await waitForJob(context, started);
	refuseFailed(job);
	const [unknown, bytes, moved] = ["unknown", "bytes", "moved"].map((name) => Number(job.result?.[name] ?? 0));
	return { object: "trash_collection", unknown: unknown ?? 0, bytes: bytes ?? 0, moved: moved ?? 0 };
}

async function everyId(context: Context): Promise<string[]> {
	const { operator } = await context.management();
	const ids: string[] = [];
	for await (const { id } of operator.trash.all({ signal: context.process.signal })) ids.push(id);
	return ids;
}

export const TRASH_COMMANDS = { list, restore, collect };
