import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";

/* The files of the rendition cache: two hundred and fifty-six folders by the first two digits of the key. */

/** Key, length, CRC-32 and blob of a rendition: a file whose bytes are not what its name says is no rendition. */
const FILE_NAME = /^([0-9a-f]{64})-(\d{1,12})-([0-9a-f]{8})-([\w%.-]+)$/;
/** Of a release that did not say of which blob it was: nobody could find out whether it may stay. */
const NAMELESS = /^[0-9a-f]{64}-\d{1,12}-[0-9a-f]{8}$/;
const PARTIAL = "partial";
/** The folder of the smallest sizes. */
const SMALL = "small";
const BROKEN = "A cached rendition is not what was written.";
/** Read at once of a file that is too large for the memory. */
const PART_BYTES = 262_144;

export interface CacheEntry {
	readonly blobKey: string;
	readonly bytes: number;
	readonly checksum: number;
	/** Whether it lies with the smallest sizes. */
	readonly isSmall: boolean;
	/**
	 * The file's inode, size and times when its bytes were known to be right. Undefined for what an earlier process wrote, until it was read
	 * once: nothing is fsynced, and a power cut leaves holes.
	 */
	soundAt: string | undefined;
}

/** The folder of a cache, which nothing else uses. */
export class RenditionFiles {
	readonly #dir: string;

	constructor(dir: string) {
		this.#dir = dir;
	}

	/** Removes what a crash has left half written, and returns the whole renditions in the order in which they were written. */
	async open(): Promise<Map<string, CacheEntry>> {
		const partial = join(this.#dir, PARTIAL);
		await rm(partial, { recursive: true, force: true });
		await mkdir(partial, { recursive: true });
		await mkdir(join(this.#dir, SMALL), { recursive: true });
		return new Map([...(await scan(this.#dir, false)), ...(await scan(join(this.#dir, SMALL), true))]);
	}

	/** A path for a new file, on the same file system as the renditions. */
	scratchPath(): string {
		return join(this.#dir, PARTIAL, randomUUID());
	}

	pathOf(key: string, entry: CacheEntry): string {
		const checksum = entry.checksum.toString(16).padStart(8, "0");
		return join(this.#folder(key, entry), `${key}-${entry.bytes}-${checksum}-${encodeURIComponent(entry.blobKey)}`);
	}

	/** Renamed into place when whole: a crash leaves a partial file, which the next start removes. */
	async write(bytes: Uint8Array<ArrayBuffer>, path: string): Promise<void> {
		const partial = this.scratchPath();
		try {
			await writeFile(partial, bytes, { flag: "wx" });
			await this.move(partial, path);
		} catch (error) {
			await rm(partial, { force: true });
			throw error;
		}
	}

	async move(partial: string, path: string): Promise<void> {
		try {
			await rename(partial, path);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
			// The first of its folder.
			await mkdir(dirname(path), { recursive: true });
			await rename(partial, path);
		}
	}

	async remove(key: string, entry: CacheEntry): Promise<void> {
		await rm(this.pathOf(key, entry), { force: true });
	}

	#folder(key: string, { isSmall }: CacheEntry): string {
		return join(this.#dir, isSmall ? SMALL : "", key.slice(0, 2));
	}
}

/** The bytes of a small file. @throws Error for one that is not what was written */
export async function readWhole(path: string, entry: CacheEntry): Promise<Uint8Array<ArrayBuffer>> {
	const bytes = await readFile(path);
	requireSame(entry, bytes.length, crc32(bytes));
	return bytes;
}

/** Reads a file through, unless it is the one whose bytes were right before. @throws Error for one that is not what was written */
export async function requireSound(path: string, entry: CacheEntry): Promise<void> {
	const stamp = await stampOf(path);
	if (stamp === entry.soundAt) return;
	let [bytes, checksum] = [0, 0];
	for await (const part of createReadStream(path, { highWaterMark: PART_BYTES })) {
		bytes += part.length;
		checksum = crc32(part, checksum);
	}
	requireSame(entry, bytes, checksum);
	entry.soundAt = stamp;
}

/** What is another one after a file was written or replaced. */
export async function stampOf(path: string): Promise<string> {
	const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
	return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function requireSame(entry: CacheEntry, bytes: number, checksum: number): void {
	if (bytes !== entry.bytes || checksum !== entry.checksum) throw new Error(BROKEN);
}

/** The whole renditions that lie in a cache's folder, in the order in which they were written. */
async function scan(dir: string, isSmall: boolean): Promise<Map<string, CacheEntry>> {
	const found: { key: string; entry: CacheEntry; modifiedMs: number }[] = [];
	for (const folder of await readdir(dir)) {
		// Folder by folder, so that a large cache does not open a hundred thousand files at once.
		if (/^[0-9a-f]{2}$/.test(folder)) found.push(...(await scanFolder(join(dir, folder), isSmall)));
	}
	found.sort((a, b) => a.modifiedMs - b.modifiedMs);
	return new Map(found.map(({ key, entry }) => [key, entry]));
}

async function scanFolder(folder: string, isSmall: boolean) {
	const names = await readdir(folder);
	const found = await Promise.all(names.map((name) => inspect(folder, name, isSmall)));
	return found.filter((file) => file !== undefined);
}

/** Undefined for what is not ours, and for what is nameless, shorter or longer than it should be; the latter are removed. */
async function inspect(folder: string, name: string, isSmall: boolean) {
	const path = join(folder, name);
	if (NAMELESS.test(name)) await rm(path, { force: true });
	const [, key, length, checksum, blob] = FILE_NAME.exec(name) ?? [];
	if (!key || !checksum || !blob) return undefined;
	const file = await stat(path);
	const entry: CacheEntry = {
		blobKey: decodeURIComponent(blob),
		bytes: Number(length),
		checksum: Number.parseInt(checksum, 16),
		isSmall,
		soundAt: undefined,
	};
	if (file.size === entry.bytes) return { key, entry, modifiedMs: file.mtimeMs };
	await rm(path, { force: true });
	return undefined;
}
