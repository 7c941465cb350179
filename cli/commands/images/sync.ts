import { basename } from "node:path";
import { EXIT, Interrupted, LocalError, UsageError } from "@svc/base/processes/exit";
import type { Client } from "@svc/sdk/client";
import type { Image } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { exitForAll, type ItemFailure, reportFailures } from "../../kit/report.ts";
import { runBatch, stopsAll } from "../../kit/work/batch.ts";
import { inOrder } from "../../kit/work/in-order.ts";
import { openStatusLine } from "../../kit/work/progress.ts";
import { counted } from "../../kit/work/removal.ts";
import { CREATE_ARGS, CREATE_REPEATABLE, type CreateFields, readCreateFields } from "./create-fields.ts";
import { picturesIn, type Source, sourceOf } from "./sources.ts";
import { uploadOne } from "./upload-one.ts";
import { withTransfers } from "./with-transfers.ts";

const AT_ONCE = 3;
const PAGE = 100;

/** One line of what is done, or would be. */
interface Synced {
	readonly action: "upload" | "delete";
	/** Null of an image that is deleted: its file is gone. */
	readonly file: string | null;
	/** Null before it is made. */
	readonly id: string | null;
}

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<Synced>[] = [
	...fields("action"),
	{ name: "file", value: ({ file }) => file, shrinks: true },
	...fields("id"),
];

type Step =
	| { readonly action: "upload"; readonly source: Source }
	| { readonly action: "delete"; readonly image: Image };

interface Compared {
	readonly missing: readonly Source[];
	readonly there: number;
	readonly digests: ReadonlySet<string>;
	readonly unread: readonly ItemFailure[];
}

const { label, metadata, public: isPublic, private: isPrivate, caption } = CREATE_ARGS;

export const sync = defineCommand({
	summary: "Upload those pictures of a folder that are not there yet",
	notes:
		"What is there already, by its bytes, stays as it is, whatever its name and labels. The command can be repeated at any time,\n" +
		"also after it was interrupted. --dry-run says what would be done. With --delete images with the given labels whose file is\n" +
		`gone are deleted, after a question; svc images restore brings them back for 24 hours.\n${pipeNote(COLUMNS)}`,
	examples: [
		"svc images sync .",
		"svc images sync . --label album=summer --dry-run",
		"svc images sync . --label album=summer --delete --yes",
	],
	args: {
		folder: takes.word("The folder; what is below it counts"),
		...{ label, metadata, caption, public: isPublic, private: isPrivate },
		delete: takes.flag("Delete images with the given labels that the folder does not have"),
	},
	repeatable: CREATE_REPEATABLE,
	async run({ args, all }, context) {
		const { globals, out, process } = context;
		const fields = readCreateFields(args, all);
		if (args.delete === true && fields.labels === undefined)
			throw new UsageError("--delete needs --label: images with that label alone are deleted.");
		const files = await picturesIn(args.folder, process.cwd);
		if (files[0] === args.folder) throw new UsageError(`"${args.folder}" is no folder.`, "svc images upload <file>");
		const sources = await Promise.all(files.map((file) => sourceOf(file, basename(file), process)));
		const client = await context.client();
		const compared = await compare(sources, client, context);
		const gone = args.delete === true ? await goneImages(compared, fields, client, context) : [];
		if (!out.isJson) await out.note(saidOf(compared, gone.length, globals.dryRun));
		const exit = await (globals.dryRun ? plan : carryOut)({ ...compared, gone }, { client, fields, context });
		await reportFailures(compared.unread, context);
		return compared.unread.length === 0 ? exit : exitWith(compared, exit);
	},
});

function exitWith({ unread, there, missing }: Compared, exit: number) {
	return exit === EXIT.ok && there + missing.length === 0 ? exitForAll(unread.map(({ error }) => error)) : EXIT.partly;
}

function saidOf({ missing, there }: Compared, gone: number, isPlan: boolean): string {
	const deleted = gone === 0 ? "" : `, ${gone} to delete`;
	return `${missing.length} to upload, ${there} there already${deleted}.${isPlan ? " Nothing is changed." : ""}`;
}

/** Which files the service has, by their bytes. Two files of the same bytes are one picture. */
async function compare(sources: readonly Source[], client: Client, context: Context): Promise<Compared> {
	const { signal } = context.process;
	const line = openStatusLine(context);
	const digests = new Set<string>();
	const unread: ItemFailure[] = [];
	const missing: Source[] = [];
	let there = 0;

	async function find(source: Source): Promise<boolean | undefined> {
		if (signal.aborted) return undefined;
		try {
			const { sha256 } = await source.read();
			if (digests.has(sha256)) return true;
			digests.add(sha256);
			return await isThere(sha256, client, signal);
		} catch (error) {
			if (stopsAll(error) || !(error instanceof LocalError)) throw error;
			unread.push({ item: source.file, error });
			return undefined;
		}
	}

	const settled = (source: Source) =>
		find(source).then(
			(found) => ({ source, found, error: undefined }),
			(error: unknown) => ({ source, found: undefined, error }),
		);
	for await (const { source, found, error } of inOrder(sources, AT_ONCE, settled)) {
		if (error !== undefined) throw error;
		if (found === true) there++;
		if (found === false) missing.push(source);
		await line.show(`Comparing ${there + missing.length + unread.length}/${sources.length}`);
	}
	await line.clear();
	if (signal.aborted) throw new Interrupted();
	return { missing, there, digests, unread };
}

async function isThere(sha256: string, client: Client, signal: AbortSignal): Promise<boolean> {
	const { data } = await client.images.list({ sha256, include: ["facts"], limit: 1, signal });
	if (data.some(({ facts }) => facts === undefined)) throw olderService();
	return data.some(({ facts }) => facts?.sha256 === sha256);
}

/** Older interfaces do not look for bytes, and answer any image instead. */
function olderService(): LocalError {
	return new LocalError(
		"This service cannot say which pictures it has.",
		"Upload all of them: svc images upload <folder>",
		EXIT.usage,
	);
}

/** Images with the labels that no file is the original of. @throws LocalError where a file could not be read: it may be one of theirs */
async function goneImages({ digests, unread }: Compared, fields: CreateFields, client: Client, { process }: Context) {
	if (unread.length > 0)
		throw new LocalError(
			`Nothing is done: ${counted(
				"file",
				unread.map(({ item }) => item),
			)} cannot be read, and --delete would take what they are for gone.`,
		);
	const gone: Image[] = [];
	for await (const image of client.images.all({
		labels: fields.labels,
		include: ["facts"],
		limit: PAGE,
		signal: process.signal,
	})) {
		if (image.facts === undefined) throw olderService();
		if (!digests.has(image.facts.sha256)) gone.push(image);
	}
	return gone;
}

interface Work {
	readonly client: Client;
	readonly fields: CreateFields;
	readonly context: Context;
}

type Planned = Compared & { readonly gone: readonly Image[] };

async function plan({ missing, gone }: Planned, { context }: Work) {
	const uploads = missing.map(({ file }): Synced => ({ action: "upload", file, id: null }));
	await context.out.rows(COLUMNS, [
		...uploads,
		...gone.map(({ id }): Synced => ({ action: "delete", file: null, id })),
	]);
	return EXIT.ok;
}

async function carryOut({ missing, gone }: Planned, { client, fields, context }: Work) {
	const { signal } = context.process;
	if (gone.length > 0)
		await confirm(
			context,
			`Delete ${counted(
				"image",
				gone.map(({ id }) => id),
			)} that the folder does not have?`,
		);
	const steps: readonly Step[] = [
		...missing.map((source): Step => ({ action: "upload", source })),
		...gone.map((image): Step => ({ action: "delete", image })),
	];
	return await withTransfers(missing, context, ({ begin, clear }) => {
		const work = async (step: Step): Promise<Synced> => {
			if (step.action === "delete") {
				await client.images.delete(step.image.id, { signal });
				return { action: "delete", file: null, id: step.image.id };
			}
			const { source } = step;
			const image = await begin(source, (transfer) => uploadOne(source, { client, fields, context, transfer }));
			return { action: "upload", file: source.file, id: image.id };
		};
		const name = (step: Step) => (step.action === "upload" ? step.source.file : step.image.id);
		const interrupted = (done: number) =>
			new Interrupted(
				`${done} of ${steps.length} steps are done, and perhaps those on their way.`,
				"Go on with the same command: what is there already is left out.",
			);
		return runBatch({ items: steps, name, work, columns: COLUMNS, interrupted, beforeOutput: clear }, context);
	});
}
