import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/* The files of the rendition cache: two hundred and fifty-six folders by the first two digits of the key. */

/** Key, length and CRC-32 of a rendition: a file whose bytes are not what its name says is no rendition. */
const FILE_NAME = /^([0-9a-f]{64})-(\d{1,12})-([0-9a-f]{8})$/;

export interface Entry {
	readonly bytes: number;
	readonly checksum: number;
	/**
	 * The file's inode, size and times when its bytes were known to be right. Undefined for what an earlier process wrote, until it was read
	 * once: nothing is fsynced, and a power cut leaves holes.
	 */
	soundAt: string | undefined;
}

/** The name of a rendition's file. */
export function fileName(key: string, entry: Entry): string {
	return `${key}-${entry.bytes}-${entry.checksum.toString(16).padStart(8, "0")}`;
}

/** The whole renditions that lie in a cache's folder, in the order in which they were written. */
export async function scan(dir: string): Promise<Map<string, Entry>> {
	const found: { key: string; entry: Entry; modifiedMs: number }[] = [];
	for (const folder of await readdir(dir)) {
		// Folder by folder, so that a large cache does not open a hundred thousand files at once.
		if (/^[0-9a-f]{2}$/.test(folder)) found.push(...(await scanFolder(join(dir, folder))));
	}
	found.sort((a, b) => a.modifiedMs - b.modifiedMs);
	return new Map(found.map(({ key, entry }) => [key, entry]));
}

async function scanFolder(folder: string) {
	const names = await readdir(folder);
	const found = await Promise.all(names.map((name) => inspect(folder, name)));
	return found.filter((file) => file !== undefined);
}

/** Undefined for what is not ours, and for what is shorter or longer than it should be; the latter is removed. */
async function inspect(folder: string, name: string) {
	const [, key, length, checksum] = FILE_NAME.exec(name) ?? [];
	if (!key || !checksum) return undefined;
	const path = join(folder, name);
	const file = await stat(path);
	const entry: Entry = { bytes: Number(length), checksum: Number.parseInt(checksum, 16), soundAt: undefined };
	if (file.size === entry.bytes) return { key, entry, modifiedMs: file.mtimeMs };
	await rm(path, { force: true });
	return undefined;
}

/** What is another one after a file was written or replaced. */
export async function stampOf(path: string): Promise<string> {
	const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
	return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}
