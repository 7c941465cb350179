import { basename } from "node:path";
import { EXIT, Interrupted, UsageError } from "@svc/base/processes/exit";
import { type Context, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { runBatch } from "../../kit/work/batch.ts";
import { CREATED_COLUMNS } from "./columns.ts";
import { CREATE_ARGS, CREATE_REPEATABLE, type CreateFields, readCreateFields } from "./create-fields.ts";
import { picturesIn, type Source, STDIN, sourceOf } from "./sources.ts";
import { uploadKey, uploadOne } from "./upload-one.ts";
import { withTransfers } from "./with-transfers.ts";

interface Planned {
	readonly file: string;
	readonly bytes: number;
	readonly idempotency_key: string;
}

const PLAN_COLUMNS: readonly Column<Planned>[] = [...fields("file", "bytes", "idempotency_key")];

export const upload = defineCommand({
	summary: "Upload image files",
	notes:
		"Repeating the command within a day doubles nothing: the same file with the same options stays the same image.\n" +
		"JSON is an array, also for one file. A folder is uploaded whole by svc images sync as well, which leaves out what is there.",
	examples: [
		"svc images upload cat.jpg",
		"svc images upload cat.jpg dog.jpg --label album=pets --ttl 30d",
		"svc images upload cat.jpg --field url",
		"svc images upload .",
		"svc images upload - --filename cat.jpg",
	],
	args: {
		...CREATE_ARGS,
		filename: takes.text("Name to store it under; for a single file", "name"),
	},
	repeatable: CREATE_REPEATABLE,
	rest: { name: "file", description: "Image files; folders: all pictures in them; -: standard input", required: true },
	async run({ args, rest, all }, context) {
		const fields = readCreateFields(args, all);
		if (args.filename !== undefined && rest.length > 1) throw new UsageError("--filename is for a single file.");
		if (fields.externalId !== undefined && rest.length > 1) throw new UsageError("--external-id is for a single file.");
		if (rest.filter((word) => word === STDIN).length > 1) throw new UsageError("Standard input is one file.");
		const files = (await Promise.all(rest.map((word) => picturesIn(word, context.process.cwd)))).flat();
		if (files.length > 1 && rest.length === 1 && (args.filename ?? fields.externalId) !== undefined)
			throw new UsageError("--filename and --external-id are for a single file.");
		if (rest.includes(STDIN) && context.process.canAsk && !context.out.isJson)
			await context.out.note("Reading a picture from standard input; Ctrl-D ends it.");
		const named = (file: string) => args.filename ?? (file === STDIN ? "image" : basename(file));
		const sources = await Promise.all(files.map((file) => sourceOf(file, named(file), context.process)));
		const exit = await (context.globals.dryRun ? planAll : uploadAll)(sources, fields, context);
		if (exit === EXIT.partly)
			await context.out.note("Run the same command again for those that failed; nothing is doubled.");
		return exit;
	},
});

async function planAll(sources: readonly Source[], fields: CreateFields, context: Context) {
	const work = async ({ file, filename, read }: Source): Promise<Planned> => {
		const { bytes, sha256 } = await read();
		return { file, bytes: bytes.length, idempotency_key: uploadKey(sha256, filename, fields, context.globals.user, 0) };
	};
	await context.out.note("Nothing is sent. This would be uploaded:");
	return runBatch({ items: sources, name: ({ file }) => file, work, columns: PLAN_COLUMNS }, context);
}

async function uploadAll(sources: readonly Source[], fields: CreateFields, context: Context) {
	const task = { client: await context.client(), fields, context };
	return await withTransfers(sources, context, ({ begin, clear }) => {
		const work = (source: Source) => begin(source, (transfer) => uploadOne(source, { ...task, transfer }));
		const name = ({ file }: Source) => file;
		const interrupted = (done: number) => stoppedAt(done, sources.length);
		const batch = { items: sources, name, work, columns: CREATED_COLUMNS, interrupted, beforeOutput: clear };
		return runBatch(batch, context);
	});
}

/** A file on its way may have arrived, and only its answer not. */
function stoppedAt(done: number, files: number): Interrupted {
	const stored =
		files === 1
			? "The file may be stored, or not"
			: `${done} of ${files} files are stored, and perhaps those on their way`;
	return new Interrupted(
		`${stored}.`,
		"Go on within a day with the same command: what is stored is not uploaded twice.",
	);
}
