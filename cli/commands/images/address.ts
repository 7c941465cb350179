import { randomBytes } from "node:crypto";
import { realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { LocalError, UsageError } from "@svc/base/processes/exit";
import { printableLine } from "@svc/base/text";
import { imageUrl, readValue, type TransformOptions } from "@svc/sdk/transform";
import { type Context, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import type { Column } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { readParameters } from "../delivery/parameters.ts";
import { downloadPicture } from "./drawing.ts";

const ARGS = {
	image: takes.word("Image id, or its address", "id|uri"),
} as const;
const REST = { name: "parameter=value", description: "As in an address: w=300, fit=cover", required: false } as const;
const REFERENCE = "See /docs of the service, or docs/reference/transforms.md.";

interface Address {
	readonly url: string;
}

const URL_COLUMNS: readonly Column<Address>[] = [{ name: "url", value: ({ url }) => url }];

export const url = defineCommand({
	summary: "Print the address of an image, transformed",
	notes:
		"A value that the service would ignore is refused. Nothing is asked of the service where the address is given.",
	examples: ["svc images url img_1 w=400 format=webp", "svc images url img_1 w=300 h=300 fit=cover q=high"],
	args: ARGS,
	rest: REST,
	async run({ args, rest }, context) {
		const { globals, out } = context;
		const address = { url: await addressOf(args.image, rest, context) };
		if (out.isJson || globals.field !== undefined) await out.record(URL_COLUMNS, address);
		else await out.text(printableLine(address.url));
	},
});

interface Saved {
	readonly file: string;
	readonly bytes: number;
}

const SAVED_COLUMNS: readonly Column<Saved>[] = [
	{ name: "file", value: ({ file }) => file },
	{ name: "bytes", value: ({ bytes }) => bytes },
];

export const download = defineCommand({
	summary: "Save an image, transformed where parameters are given",
	notes:
		"A file that is there stays, unless --force is given. Apps whose images need signed addresses: give one of svc images sign.",
	examples: [
		"svc images download img_1 --force",
		"svc images download img_1 w=800 format=webp --to small.webp --force",
	],
	args: {
		...ARGS,
		to: takes.text("Where to. Default: the name in its address, here", "file"),
		force: takes.flag("Write over a file that is there"),
	},
	rest: REST,
	async run({ args, rest }, context) {
		const { globals, out, process } = context;
		const address = await addressOf(args.image, rest, context);
		const file = args.to ?? nameIn(address, rest);
		if (globals.dryRun) return await out.record(URL_COLUMNS, { url: address });
		const advice = { not_found: "See what there is: svc images list", forbidden: "Sign its address: svc images sign" };
		const bytes = await advising(advice, () => downloadPicture(address, context));
		await save(resolve(process.cwd, file), bytes, args.force ?? false);
		await out.record(SAVED_COLUMNS, { file, bytes: bytes.length });
	},
});

/** @throws UsageError for a parameter that the service would ignore */
async function addressOf(image: string, words: readonly string[], { client, process }: Context): Promise<string> {
	const options = readOptions(words);
	if (image.includes("://")) {
		if (!URL.canParse(image)) throw new UsageError(`"${image}" is not an address.`);
		return imageUrl(image, options);
	}
	const { images } = await client();
	const advice = { not_found: "See what there is: svc images list" };
	const { url: address } = await advising(advice, () => images.get(image, { signal: process.signal }));
	return imageUrl(address, options);
}

function readOptions(words: readonly string[]): TransformOptions {
	const options: Record<string, unknown> = {};
	for (const [name, text] of Object.entries(readParameters(words))) {
		const value = readValue(name, text);
		if (value === undefined) throw new UsageError(`The service would ignore ${name}=${text}.`, REFERENCE);
		options[name] = value;
	}
	return options;
}

/** The ending is that of what is asked for. */
function nameIn(address: string, words: readonly string[]): string {
	const name = basename(new URL(address).pathname);
	const { format } = readParameters(words);
	return format === undefined || format === "auto" ? name : name.replace(/\.\w+$/, `.${format}`);
}

/** Whole or not at all: what a full disk cuts off is no picture, and must not be taken for one later. */
async function save(named: string, bytes: Uint8Array, isForced: boolean): Promise<void> {
	const path = await realpath(named).catch(() => named);
	const part = `${path}.${randomBytes(4).toString("hex")}.part`;
	try {
		const found = await stat(path).catch(() => undefined);
		if (found !== undefined && !isForced)
			throw new LocalError(`${named} is there already.`, "Add --force, or name another file with --to.");
		// A device or a pipe takes the bytes, and must not be replaced by a file.
		if (found !== undefined && !found.isFile()) return await writeFile(path, bytes);
		await writeFile(part, bytes, { flag: "wx" });
		await rename(part, path);
	} catch (error) {
		await rm(part, { force: true });
		if (error instanceof LocalError) throw error;
		const { code } = error as NodeJS.ErrnoException;
		const next = code === "ENOSPC" ? "Make room, or write elsewhere" : "Write elsewhere";
		throw new LocalError(`${named} cannot be written (${code}).`, `${next}: --to <file>`);
	}
}
