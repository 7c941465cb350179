import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { LocalError, UsageError } from "@svc/base/processes/exit";
import type { ImportAddress } from "@svc/sdk/calls/imports";
import { IMPORT_ITEM_STATES } from "@svc/sdk/lists";
import type { ImportItem, Job } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import { readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { JOB_COLUMNS } from "../../kit/work/follow-job.ts";
import { readStdin } from "../account/sign-in.ts";
import { CREATE_ARGS, CREATE_REPEATABLE, readCreateFields } from "../images/create-fields.ts";

/** One id, or one visibility, is not for many. */
const { "external-id": _id, public: _public, private: _private, ...COMMON_ARGS } = CREATE_ARGS;

const DETAILS: readonly Column<Job>[] = [...JOB_COLUMNS, { name: "result", value: (job) => job.result }];

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const ITEM_COLUMNS: readonly Column<ImportItem>[] = [
	...fields("index", "state", "image_id"),
	{ name: "error", value: (item) => item.error?.code ?? null },
	{ name: "url", value: (item) => item.url, shrinks: true },
	{ name: "message", value: (item) => item.error?.message ?? null, hidden: true },
];

const ADVICE = { not_found: "See which there are: svc imports list" };

const create = defineCommand({
	summary: "Let the service fetch up to 1,000 images from their addresses, in the background",
	notes:
		"Addresses come from a file, or from standard input: one a line, or JSON objects with a url and fields of their own, one a line.\n" +
		"What is given here holds for all of them. Watch it with: svc imports get <id>",
	examples: ["svc imports create --label album=moved", "svc imports create --metadata author=Ada --field id"],
	args: {
		...COMMON_ARGS,
		"idempotency-key": takes.text("Repeating it within a day doubles nothing", "key"),
	},
	repeatable: CREATE_REPEATABLE,
	rest: { name: "file", description: "Holds the addresses; default: standard input", required: false },
	async run({ args, all, rest: [file, extra] }, context) {
		if (extra !== undefined) throw new UsageError("The addresses are in one file, or in standard input.");
		const { client, out, process } = context;
		const common = readCreateFields(args, all);
		const items = readItems(await readLines(file, context));
		const options = { fields: common, idempotencyKey: args["idempotency-key"], signal: process.signal };
		await out.record(DETAILS, await (await client()).imports.create(items, options));
	},
});

const list = defineCommand({
	summary: "List imports, newest first",
	notes: pipeNote(JOB_COLUMNS),
	examples: ["svc imports list", "svc imports list --all --field id"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { imports } = await context.client();
		return printList(context, JOB_COLUMNS, args, (page) => imports.list(page));
	},
});

const ID = { id: takes.id("Import id") } as const;

const get = defineCommand({
	summary: "Show how far an import is",
	examples: ["svc imports get job_1", "svc imports get job_1 --field result"],
	args: ID,
	async run({ args: { id } }, { client, out, process }) {
		const { imports } = await client();
		await out.record(DETAILS, await advising(ADVICE, () => imports.get(id, { signal: process.signal })));
	},
});

const items = defineCommand({
	summary: "Show what became of each address",
	notes: pipeNote(ITEM_COLUMNS),
	examples: ["svc imports items job_1 --all", "svc imports items job_1 --state failed --field url"],
	args: {
		...ID,
		...LIST_ARGS,
		state: takes.choice("Only items in this state", IMPORT_ITEM_STATES),
	},
	async run({ args }, context) {
		const filter = readChoice("state", args.state, IMPORT_ITEM_STATES);
		const { imports } = await context.client();
		return printList(context, ITEM_COLUMNS, args, (page) => imports.items(args.id).list({ ...page, ...filter }));
	},
});

const cancel = defineCommand({
	summary: "Cancel what is queued; what was made stays",
	examples: ["svc imports cancel job_1", "svc imports cancel job_1 --field state"],
	args: ID,
	async run({ args: { id } }, { client, out, process }) {
		const { imports } = await client();
		await out.record(DETAILS, await advising(ADVICE, () => imports.cancel(id, { signal: process.signal })));
	},
});

export const IMPORT_COMMANDS = { create, list, get, items, cancel };

async function readLines(file: string | undefined, context: Context): Promise<readonly string[]> {
	const text = file === undefined ? await readStdin(context, "addresses, one a line") : await readText(file, context);
	return text.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

async function readText(file: string, { process }: Context): Promise<string> {
	return await readFile(resolve(process.cwd, file), "utf8").catch((error: NodeJS.ErrnoException) => {
		throw new LocalError(`${file} cannot be read (${error.code}).`, "Name a file with an address a line.");
	});
}

/** @throws UsageError naming the line that is neither an address nor JSON */
function readItems(lines: readonly string[]): readonly (ImportAddress | string)[] {
	return lines.map((line, place) => {
		if (!line.startsWith("{")) return line;
		try {
			return JSON.parse(line) as ImportAddress;
		} catch {
			throw new UsageError(`Line ${place + 1} is no JSON object.`);
		}
	});
}
