import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { LocalError } from "@svc/base/processes/exit";
import type { Process } from "../../kit/process.ts";

/** More than any deployment takes; such a file is not even read. */
const MAX_BYTES = 100_000_000;
/** How the names of pictures end. */
const PICTURE = /\.(jpe?g|jfif|png|gif|webp|avif|hei[cf]|tiff?|bmp|ico|svg)$/i;
/** What stands for standard input where files are named. */
export const STDIN = "-";

export interface Content {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly sha256: string;
}

/** A picture to upload. */
export interface Source {
	/** The path as typed. */
	readonly file: string;
	readonly filename: string;
	/** 0 for what cannot be uploaded: reading it says why. */
	readonly size: number;
	/** @throws LocalError for what is no file, or is too large */
	read(): Promise<Content>;
}

/** Standard input is read at once. @throws LocalError for one that is empty or too large */
export async function sourceOf(file: string, filename: string, process: Process): Promise<Source> {
	if (file !== STDIN) {
		const path = resolve(process.cwd, file);
		return { file, filename, size: await sizeOf(path), read: async () => contentOf(await readImageFile(path)) };
	}
	const bytes = await process.readBytes(MAX_BYTES);
	if (bytes === undefined) throw new LocalError("Standard input has more than the service takes.", "Make it smaller.");
	if (bytes.length === 0) throw new LocalError("Standard input is empty.", "Check what is piped in.");
	return { file, filename, size: bytes.length, read: async () => contentOf(bytes) };
}

/**
 * The pictures in a folder, and in those below it, in the order of their names; a file is itself. What is hidden, and what does not have the
 * name of a picture, stays: a folder of photographs has other things in it, too.
 */
export async function picturesIn(word: string, cwd: string): Promise<readonly string[]> {
	const found = await stat(resolve(cwd, word)).catch(() => undefined);
	if (found?.isDirectory() !== true) return [word];
	const names = await readdir(resolve(cwd, word), { recursive: true });
	const pictures = names.filter((name) => PICTURE.test(name) && !/(^|[\\/])\./.test(name)).sort();
	if (pictures.length > 0) return pictures.map((name) => join(word, name));
	throw new LocalError(`There are no pictures in ${word}.`, "Name files: those of a folder are taken by how they end.");
}

/** The bytes of a file that the service may take. @throws LocalError for what is no file, or is too large */
export async function readImageFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
	await checkFile(path);
	return new Uint8Array(await readFile(path));
}

function contentOf(bytes: Uint8Array<ArrayBuffer>): Content {
	return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}

async function sizeOf(path: string): Promise<number> {
	const found = await stat(path).catch(() => undefined);
	return found?.isFile() && found.size <= MAX_BYTES ? found.size : 0;
}

async function checkFile(path: string): Promise<void> {
	const found = await stat(path).catch(() => undefined);
	if (found === undefined) throw new LocalError("There is no such file.", "Check the path.");
	if (!found.isFile()) throw new LocalError("This is not a file.", "Name the files in it, for example with a pattern.");
	if (found.size > MAX_BYTES)
		throw new LocalError(`${found.size} bytes are more than the service takes.`, "Make it smaller.");
}
