import { basename, resolve } from "node:path";
import { type ExitCode, UsageError } from "@svc/base/processes/exit";
import { IMAGE } from "@svc/nouns/image";
import { type Context, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { changeEach } from "../../kit/work/removal.ts";
import { readImageFile } from "./sources.ts";

export const restore = defineCommand({
	summary: "Bring deleted images back",
	notes: "For 24 hours after their delete, unless that was --permanent. JSON is an array, also for one image.",
	examples: ["svc images restore img_1", "svc images restore img_1 img_2"],
	args: {},
	rest: takes.ids("Image ids"),
	run: ({ rest }, context) =>
		changeEach(
			{
				items: rest,
				work: async (id) => (await context.client()).images.restore(id, { signal: context.process.signal }),
				columns: IMAGE.list,
			},
			context,
		),
});

/** Where images go. */
const TARGET_ARGS = {
	to: takes.text("The connected user who gets it", "id"),
	"to-app": takes.flag("Into the App storage"),
} as const;

export const move = defineCommand({
	summary: "Move images to a user of the App, or into the App storage",
	notes: "The id stays, the address is another one. Needs an App-wide key; --user says from where.",
	examples: ["svc images move img_1 --to usr_1", "svc images move img_1 --user usr_1 --to-app"],
	args: TARGET_ARGS,
	rest: takes.ids("Image ids"),
	run: ({ args, rest }, context) => bring("move", rest, readTarget(args), context),
});

export const copy = defineCommand({
	summary: "Copy images to a user of the App, or into the App storage",
	notes:
		"A copy has another id, and all of the rest but the external id. Needs an App-wide key; --user says from where. It counts as an upload.",
	examples: ["svc images copy img_1 --to usr_1", "svc images copy img_1 img_2 --to-app --field id"],
	args: TARGET_ARGS,
	rest: takes.ids("Image ids"),
	run: ({ args, rest }, context) => bring("copy", rest, readTarget(args), context),
});

function bring(how: "copy" | "move", ids: readonly string[], user: string | null, context: Context): Promise<ExitCode> {
	return changeEach(
		{
			items: ids,
			work: async (id) => (await context.client()).images[how](id, user, { signal: context.process.signal }),
			columns: IMAGE.list,
		},
		context,
	);
}

/** @throws UsageError unless exactly one target is named */
function readTarget(args: {
	readonly to?: string | undefined;
	readonly "to-app"?: boolean | undefined;
}): string | null {
	if (args.to !== undefined && !args["to-app"]) return args.to;
	if (args.to === undefined && args["to-app"]) return null;
	throw new UsageError("Say where to: --to <user id>, or --to-app.");
}

export const replace = defineCommand({
	summary: "Give an image other bytes, under the same id and address",
	notes: "Of a file on this machine, or of an address that the service fetches.",
	examples: ["svc images replace img_1 cat.jpg", "svc images replace img_1 https://pics.example.com/cat.jpg"],
	args: {
		id: takes.id("Image id"),
		source: takes.word("File, or public address"),
		"idempotency-key": takes.text("Repeating it within a day does nothing twice", "key"),
	},
	async run({ args }, { client, out, process }) {
		const isAddress = /^https?:\/\//i.test(args.source);
		const file = isAddress ? { url: args.source } : new Blob([await readImageFile(resolve(process.cwd, args.source))]);
		const call = { filename: basename(args.source), idempotencyKey: args["idempotency-key"], signal: process.signal };
		await out.record(IMAGE.list, await (await client()).images.replace(args.id, file, call));
	},
});
