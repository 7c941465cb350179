import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { Client } from "@svc/sdk/client";
import { ApiError } from "@svc/sdk/failure";
import type { Answer } from "@svc/sdk/request";
import type { Image } from "@svc/sdk/shapes";
import { runBatch } from "../../kit/batch.ts";
import { type Context, defineCommand } from "../../kit/command.ts";
import { EXIT, LocalError, UsageError } from "../../kit/exit.ts";
import { type Column, fields } from "../../kit/table.ts";
import { startTransfers, type Transfer } from "../../kit/transfers.ts";
import { CREATED_COLUMNS } from "./columns.ts";
import { CREATE_ARGS, CREATE_REPEATABLE, type CreateFields, readCreateFields } from "./create-fields.ts";

/** More than any deployment takes; such a file is not even read. */
const MAX_BYTES = 100_000_000;
/** How the names of pictures end. */
const PICTURE = /\.(jpe?g|jfif|png|gif|webp|avif|hei[cf]|tiff?|bmp|ico|svg)$/i;
/** How often an image may have been uploaded and deleted again within a day. */
const MAX_GENERATIONS = 10;

interface Source {
	/** The path as typed. */
	readonly file: string;
	readonly filename: string;
}

interface Content {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly sha256: string;
}

interface Task {
	readonly client: Client;
	readonly fields: CreateFields;
	readonly context: Context;
}

interface Upload extends Task {
	readonly transfer: Transfer;
}

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
		"JSON is an array, also for one file.",
	examples: [
		"svc images upload cat.jpg",
		"svc images upload cat.jpg dog.jpg --label album=pets --ttl 30d",
		"svc images upload cat.jpg --field url",
		"svc images upload .",
	],
	args: {
		...CREATE_ARGS,
		filename: { type: "string", valueHint: "name", description: "Name to store it under; for a single file" },
	},
	repeatable: CREATE_REPEATABLE,
	rest: { name: "file", description: "Image files, or folders: all pictures in them", required: true },
	async run({ args, rest, all }, context) {
		const fields = readCreateFields(args, all);
		if (args.filename !== undefined && rest.length > 1) throw new UsageError("--filename is for a single file.");
		if (fields.externalId !== undefined && rest.length > 1) throw new UsageError("--external-id is for a single file.");
		const files = (await Promise.all(rest.map((word) => picturesIn(word, context.process.cwd)))).flat();
		if (files.length > 1 && rest.length === 1 && (args.filename ?? fields.externalId) !== undefined)
			throw new UsageError("--filename and --external-id are for a single file.");
		const sources = files.map((file) => ({ file, filename: args.filename ?? basename(file) }));
		const exit = await (context.globals.dryRun ? planAll : uploadAll)(sources, fields, context);
		if (exit === EXIT.partly)
			await context.out.note("Run the same command again for those that failed; nothing is doubled.");
		return exit;
	},
});

/**
 * The pictures in a folder, and in those below it, in the order of their names; a file is itself. What is hidden, and what does not have the
 * name of a picture, stays: a folder of photographs has other things in it, too.
 */
async function picturesIn(word: string, cwd: string): Promise<readonly string[]> {
	const found = await stat(resolve(cwd, word)).catch(() => undefined);
	if (found?.isDirectory() !== true) return [word];
	const names = await readdir(resolve(cwd, word), { recursive: true });
	const pictures = names.filter((name) => PICTURE.test(name) && !/(^|[\\/])\./.test(name)).sort();
	if (pictures.length > 0) return pictures.map((name) => join(word, name));
	throw new LocalError(`There are no pictures in ${word}.`, "Name files: those of a folder are taken by how they end.");
}

async function planAll(sources: readonly Source[], fields: CreateFields, context: Context) {
	const work = async ({ file, filename }: Source): Promise<Planned> => {
		const { bytes, sha256 } = await readContent(resolve(context.process.cwd, file));
		return { file, bytes: bytes.length, idempotency_key: uploadKey(sha256, filename, fields, context.globals.user, 0) };
	};
	await context.out.note("Nothing is sent. This would be uploaded:");
	return runBatch({ items: sources, name: ({ file }) => file, work, columns: PLAN_COLUMNS }, context);
}

async function readContent(path: string): Promise<Content> {
	const bytes = await readImageFile(path);
	return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** The bytes of a file that the service may take. @throws LocalError for what is no file, or is too large */
export async function readImageFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
	await checkFile(path);
	return new Uint8Array(await readFile(path));
}

async function checkFile(path: string): Promise<void> {
	const found = await stat(path).catch(() => undefined);
	if (found === undefined) throw new LocalError("There is no such file.", "Check the path.");
	if (!found.isFile()) throw new LocalError("This is not a file.", "Name the files in it, for example with a pattern.");
	if (found.size > MAX_BYTES)
		throw new LocalError(`${found.size} bytes are more than the service takes.`, "Make it smaller.");
}

/**
 * The same file with the same options always has the same key, so that a repeated command doubles nothing. A new generation is
 * for a file that was uploaded, deleted, and is wanted again.
 */
function uploadKey(
	sha256: string,
	filename: string,
	fields: CreateFields,
	user: string | undefined,
	generation: number,
): string {
	const { caption, ttl, publishedAt, labels, metadata, externalId, public: visible } = fields;
	const parts = [sha256, filename, caption, ttl, publishedAt, sorted(labels), sorted(metadata), user, generation];
	// Without these the key is what it was before there were the options.
	const added = [...(visible === undefined ? [] : [visible]), ...(externalId === undefined ? [] : [{ externalId }])];
	const text = JSON.stringify([...parts, ...added].map((part) => part ?? null));
	return `svc-cli-${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
}

function sorted(map: Readonly<Record<string, string>> | undefined): readonly (readonly [string, string])[] {
	return Object.entries(map ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
}

async function uploadAll(sources: readonly Source[], fields: CreateFields, context: Context) {
	const { process } = context;
	const task: Task = { client: await context.client(), fields, context };
	const sizes = await Promise.all(sources.map(async ({ file }) => sizeOf(resolve(process.cwd, file))));
	const progress = await startTransfers(
		context,
		sources.length,
		sizes.reduce((sum, bytes) => sum + bytes, 0),
	);
	const work = async (source: Source) => {
		const transfer = progress.begin();
		const path = resolve(process.cwd, source.file);
		try {
			return await uploadOne(source, await readContent(path), { ...task, transfer });
		} finally {
			// What failed is done with as well: the line tells how much is left to do.
			await transfer.end(await sizeOf(path));
		}
	};
	const name = ({ file }: Source) => file;
	try {
		return await runBatch(
			{ items: sources, name, work, columns: CREATED_COLUMNS, beforeOutput: progress.clear },
			context,
		);
	} finally {
		await progress.stop();
	}
}

/** 0 for what cannot be uploaded: the upload says why. */
async function sizeOf(path: string): Promise<number> {
	const found = await stat(path).catch(() => undefined);
	return found?.isFile() && found.size <= MAX_BYTES ? found.size : 0;
}

/** Moves on to the next generation as long as the service says that what the key made is gone. */
async function uploadOne(source: Source, content: Content, task: Upload): Promise<Image> {
	for (let generation = 0; ; generation++) {
		try {
			return await send(source, content, generation, task);
		} catch (error) {
			const isGone = error instanceof ApiError && error.code === "idempotency_recovery_conflict";
			if (!isGone || generation + 1 >= MAX_GENERATIONS) throw error;
		}
	}
}

async function send(source: Source, content: Content, generation: number, task: Upload): Promise<Image> {
	const { client, fields, context } = task;
	const { moved } = task.transfer;
	let replayed = false;
	const image = await client.images.upload(new Blob([content.bytes]), {
		...fields,
		filename: source.filename,
		idempotencyKey: uploadKey(content.sha256, source.filename, fields, context.globals.user, generation),
		signal: context.process.signal,
		...(moved && { onProgress: ({ sentBytes }) => moved(sentBytes) }),
		onAnswer: ({ headers }: Answer) => {
			replayed = headers.get("idempotent-replayed") === "true";
		},
	});
	if (replayed) await context.out.note(`${source.file}: was uploaded before, as ${image.id}`);
	return image;
}
