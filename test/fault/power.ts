import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Dice } from "./seed.ts";

/*
 * What a disk may hold after a power failure, out of a record of all changes that were made (test/fault/shim/shim.c). A file's bytes are
 * safe once the file was synced, a name once its folder was. Of the rest any part may be there: whole, in part, or not at all.
 */

type Bytes = Uint8Array<ArrayBuffer>;

export interface Change {
	readonly call: string;
	readonly offset: number;
	readonly flags: number;
	readonly path: string;
	/** Where a rename leads. */
	readonly other: string;
	readonly bytes: Bytes;
}

const NEWLINE = 10;

/** All changes of a record, in their order. */
export function recordOf(path: string): readonly Change[] {
	const record = new Uint8Array(readFileSync(path));
	const changes: Change[] = [];
	for (let at = 0; at < record.length; ) {
		const end = record.indexOf(NEWLINE, at);
		const [call = "", offset, length, flags, name = "", other = ""] = new TextDecoder()
			.decode(record.subarray(at, end))
			.split("\t");
		const bytes = record.slice(end + 1, end + 1 + Number(length));
		changes.push({ call, offset: Number(offset), flags: Number(flags), path: name, other, bytes });
		at = end + 1 + Number(length);
	}
	return changes;
}

interface Inode {
	safe: Bytes;
	/** In their order, since the last sync. */
	unsafe: Change[];
}

/** A change of a folder: a name that comes, goes, or both. */
interface Naming {
	readonly gone: string | undefined;
	readonly come: string | undefined;
	/** Undefined for a folder. */
	readonly inode: Inode | undefined;
}

type Names = Map<string, Inode | undefined>;

/** What becomes of that which was not synced. */
export type Survival = "none" | "all" | "some";

const O_CREAT = 0o100;
const O_TRUNC = 0o1000;
const SECTOR = 512;

export class Disk {
	/** As processes see it. */
	readonly #names: Names = new Map();
	readonly #safe: Names = new Map();
	#unsafe: Naming[] = [];

	/** What was on the disk long before. */
	hold(path: string, bytes: Bytes | undefined): void {
		const inode = bytes && { safe: bytes, unsafe: [] };
		this.#names.set(path, inode);
		this.#safe.set(path, inode);
	}

	apply(change: Change): void {
		const { call, path, other } = change;
		const inode = this.#names.get(path);
		if (call === "open") this.#open(change);
		else if (call === "write" || call === "truncate") inode?.unsafe.push(change);
		else if (call === "mkdir" && !this.#names.has(path)) this.#name({ gone: undefined, come: path, inode: undefined });
		else if ((call === "unlink" || call === "rmdir") && this.#names.has(path))
			this.#name({ gone: path, come: undefined, inode: undefined });
		else if (call === "rename" && this.#names.has(path)) this.#name({ gone: path, come: other, inode });
		else if (call === "fsync") this.#sync(path);
	}

	#open(change: Change): void {
		const { path, flags } = change;
		if (!this.#names.has(path) && flags & O_CREAT) {
			this.#name({ gone: undefined, come: path, inode: { safe: new Uint8Array(), unsafe: [] } });
		} else if (flags & O_TRUNC) {
			this.#names.get(path)?.unsafe.push({ ...change, call: "truncate", offset: 0 });
		}
	}

	#name(naming: Naming): void {
		rename(this.#names, naming);
		this.#unsafe.push(naming);
	}

	#sync(path: string): void {
		const inode = this.#names.get(path);
		if (inode) {
			inode.safe = inode.unsafe.reduce(changed, inode.safe);
			inode.unsafe = [];
			return;
		}
		const isIn = (name: string | undefined) => name !== undefined && dirname(name) === path;
		// A rename is one change of the file system, safe with either of its folders.
		const [now, later] = [this.#unsafe, [] as Naming[]];
		for (const naming of now) {
			if (isIn(naming.gone) || isIn(naming.come)) rename(this.#safe, naming);
			else later.push(naming);
		}
		this.#unsafe = later;
	}

	/** The files and folders after a power failure at this moment; a folder has no bytes. */
	afterPowerLoss(survival: Survival, dice: Dice): ReadonlyMap<string, Bytes | undefined> {
		const survives = () => survival === "all" || (survival === "some" && dice.chance(0.5));
		const names: Names = new Map(this.#safe);
		for (const naming of this.#unsafe) if (survives()) rename(names, naming);
		const found = new Map<string, Bytes | undefined>();
		for (const [path, inode] of names) {
			const kept = inode?.unsafe.filter(survives).map((change) => (survival === "some" ? torn(change, dice) : change));
			found.set(path, inode && (kept ?? []).reduce(changed, inode.safe));
		}
		return found;
	}
}

/** A write may reach the disk in part, sector by sector. */
function torn(change: Change, dice: Dice): Change {
	if (change.call !== "write" || !dice.chance(0.2)) return change;
	const sectors = Math.floor(change.bytes.length / SECTOR);
	return { ...change, bytes: change.bytes.slice(0, dice.below(sectors + 1) * SECTOR) };
}

function rename(names: Names, { gone, come, inode }: Naming): void {
	if (gone !== undefined) names.delete(gone);
	if (come !== undefined) names.set(come, inode);
}

function changed(before: Bytes, { call, offset, bytes }: Change): Bytes {
	const length = call === "truncate" ? offset : Math.max(before.length, offset + bytes.length);
	const after = new Uint8Array(length);
	after.set(before.subarray(0, length));
	if (call === "write") after.set(bytes, offset);
	return after;
}

/** A disk that holds what a folder holds now. */
export async function diskOf(folder: string): Promise<Disk> {
	const disk = new Disk();
	disk.hold(folder, undefined);
	for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
		const path = join(entry.parentPath, entry.name);
		disk.hold(path, entry.isDirectory() ? undefined : new Uint8Array(await readFile(path)));
	}
	return disk;
}

/** Puts what is on a disk below `from` into another folder. */
export async function mount(found: ReadonlyMap<string, Bytes | undefined>, from: string, into: string): Promise<void> {
	const inside = [...found].filter(([path]) => path.startsWith(`${from}/`)).sort(([a], [b]) => (a < b ? -1 : 1));
	for (const [path, bytes] of inside) {
		const folder = dirname(path);
		// In a folder that is not there, nothing is.
		if (folder !== from && !found.has(folder)) continue;
		const target = join(into, path.slice(from.length));
		if (bytes === undefined) await mkdir(target, { recursive: true, mode: 0o700 });
		// The shared index of the database's log is memory, and is made anew.
		else if (!path.endsWith("-shm")) await writeFile(target, bytes).catch(() => undefined);
	}
}
