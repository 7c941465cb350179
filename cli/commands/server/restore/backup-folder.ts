import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { type FileHandle, lstat, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { BACKUP_FORMAT, BACKUP_LINE } from "@svc/base/backup-format";
import { EXIT, LocalError } from "@svc/base/processes/exit";
import { isRecord } from "../probe.ts";
import { codeOf } from "./restore-target.ts";

/*
 * A backup as it lies in a folder: `manifest.json`, the list `SHA256SUMS`, and the files that it names. Nothing of it is believed:
 * it may have come from another machine, or be what was left of a disk.
 */

const MANIFEST_MAX_BYTES = 65_536;
const LINE_MAX_BYTES = 400;
const CHUNK_BYTES = 1_048_576;
const ANOTHER = "Use another copy of the backup.";
const ABSENT: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);

export interface Manifest {
	/** Version of the service that made it. */
	readonly version: string;
	readonly made_at: string;
	readonly images: number;
	readonly files: number;
	readonly bytes: number;
	readonly sums_sha256: string;
}

export interface ListedFile {
	readonly sha256: string;
	/** Path below the folder, with slashes. */
	readonly path: string;
}

interface Digest {
	readonly bytes: number;
	readonly sha256: string;
}

/** @throws LocalError for a folder that is no whole backup, or one that this program is too old for */
export async function readManifest(folder: string): Promise<Manifest> {
	const path = join(folder, "manifest.json");
	const found = await lstat(path).catch((error: unknown) => {
		if (ABSENT.has(codeOf(error))) return undefined;
		throw unreadable("manifest.json", error);
	});
	if (!found?.isFile() || found.size > MANIFEST_MAX_BYTES) {
		throw new LocalError(
			`${folder} is no whole backup: it has no manifest.json.`,
			"Name a folder that svc server backup made and that was copied as a whole.",
			EXIT.missing,
		);
	}
	const text = await readFile(path, "utf8").catch((error: unknown) => {
		throw unreadable("manifest.json", error);
	});
	const manifest = parse(text);
	if (isRecord(manifest) && typeof manifest.format === "number" && manifest.format > BACKUP_FORMAT) {
		throw new LocalError(
			"A newer version of the service made this backup.",
			"Restore it with the svc of that version.",
		);
	}
	if (!isManifest(manifest)) throw new LocalError("manifest.json is not what a backup has there.", ANOTHER);
	return manifest;
}

function unreadable(name: string, error: unknown): LocalError {
	return new LocalError(`${name} cannot be read (${codeOf(error)}).`, "Check who may read the backup.");
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function isManifest(value: unknown): value is Manifest & { readonly format: typeof BACKUP_FORMAT } {
	if (!isRecord(value) || value.format !== BACKUP_FORMAT) return false;
	const counts = [value.images, value.files, value.bytes].every((count) => Number.isSafeInteger(count));
	const texts = [value.version, value.made_at, value.sums_sha256].every((text) => typeof text === "string");
	return counts && texts;
}

/** The files of a backup, as its list has them. @throws LocalError for a list that is not the one that was made, or that tricks */
export async function* listedFiles(folder: string, manifest: Manifest): AsyncGenerator<ListedFile> {
	const path = join(folder, "SHA256SUMS");
	const size = (await findFile(path, "SHA256SUMS"))?.size ?? 0;
	const isTooLong = size > manifest.files * LINE_MAX_BYTES;
	if (isTooLong || (await digestOf(path, "SHA256SUMS"))?.sha256 !== manifest.sums_sha256)
		throw new LocalError("SHA256SUMS is missing or damaged.", ANOTHER);
	const seen = new Set<string>();
	for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
		const [, sha256 = "", name = ""] = BACKUP_LINE.exec(line) ?? [];
		if (name === "" || seen.has(name)) throw new LocalError("SHA256SUMS names what no backup holds.", ANOTHER);
		seen.add(name);
		yield { sha256, path: name };
	}
	if (seen.size !== manifest.files || !seen.has("svc.db"))
		throw new LocalError("SHA256SUMS does not name the files that manifest.json tells of.", ANOTHER);
}

/** Undefined for what is not there. @throws LocalError for anything but a regular file: what leads elsewhere */
async function findFile(path: string, name: string): Promise<{ readonly size: number } | undefined> {
	const found = await lstat(path).catch(() => undefined);
	if (found && !found.isFile()) throw new LocalError(`${name} in the backup is no ordinary file.`, ANOTHER);
	return found;
}

async function digestOf(path: string, name: string, target?: FileHandle): Promise<Digest | undefined> {
	const found = await findFile(path, name);
	if (!found) return undefined;
	// O_NOFOLLOW refuses a link that takes the file's place between the check and the open.
	const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
		throw unreadable(name, error);
	});
	try {
		return await readThrough(file, found.size, target);
	} finally {
		await file.close();
	}
}

async function readThrough(
	file: FileHandle,
	size: number,
	target: FileHandle | undefined,
): Promise<Digest | undefined> {
	const hash = createHash("sha256");
	const buffer = new Uint8Array(Math.min(CHUNK_BYTES, size + 1));
	for (let bytes = 0; ; ) {
		const read = await file.read(buffer, 0, buffer.length, bytes).catch(() => undefined);
		// A bad sector makes it undefined.
		if (read === undefined) return undefined;
		if (read.bytesRead === 0) return { bytes, sha256: hash.digest("hex") };
		const chunk = buffer.subarray(0, read.bytesRead);
		hash.update(chunk);
		await target?.writeFile(chunk);
		bytes += chunk.length;
	}
}

/** Undefined for a file that is missing or damaged. What is read goes to `target` as well, where there is one. */
export async function checkFile(
	folder: string,
	{ path, sha256 }: ListedFile,
	target?: FileHandle,
): Promise<number | undefined> {
	await requireFolders(folder, path);
	const digest = await digestOf(join(folder, path), path, target);
	return digest?.sha256 === sha256 ? digest.bytes : undefined;
}

async function requireFolders(folder: string, name: string): Promise<void> {
	for (let above = dirname(name); above !== "."; above = dirname(above)) {
		const found = await lstat(join(folder, above)).catch(() => undefined);
		if (found !== undefined && !found.isDirectory())
			throw new LocalError(`${above} in the backup is no ordinary folder.`, ANOTHER);
	}
}
