import type { FileHandle } from "node:fs/promises";
import { LocalError } from "@svc/base/processes/exit";

/*
 * Reads the ZIP files in which Apps move (PKWARE APPNOTE 6.3.10). Somebody else may have made one: nothing is unpacked, no name becomes a path, and only
 * entries are read that are stored as they are, so that none is longer than the file.
 */

export interface Entry {
	readonly name: string;
	/** Where its local header begins. */
	readonly offset: number;
	readonly bytes: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
/** Of a line of the directory, before its name. */
const HEAD_BYTES = 46;
const END_BYTES = 22;
const LOCATOR_BYTES = 20;
/** A comment behind the end has as many at most. */
const COMMENT_MAX = 65_535;
const MAX_32 = 0xffffffff;
/** A directory of millions of pictures; a larger one would be held in memory for nothing. */
const DIRECTORY_MAX_BYTES = 2_000_000_000;
const NAME = /^(?:manifest\.json|records\/\d{6}\.jsonl|masters\/[0-9a-f]{64})$/;

/** @throws LocalError for what is no such file */
export async function readDirectory(file: FileHandle, name: string): Promise<ReadonlyMap<string, Entry>> {
	const { size } = await file.stat();
	const { count, bytes, offset } = await findDirectory(file, size, name);
	if (bytes > DIRECTORY_MAX_BYTES || offset + bytes > size) throw broken(name, "its directory is damaged");
	const entries = new Map<string, Entry>();
	for (const entry of entriesIn(await readAt(file, offset, bytes), count, name)) {
		if (!NAME.test(entry.name)) {
			throw broken(name, `it has an entry that none has: ${JSON.stringify(entry.name.slice(0, 100))}`);
		}
		if (entries.has(entry.name)) throw broken(name, `it has ${entry.name} twice`);
		if (!entry.isStored || entry.bytes > size) throw broken(name, `${entry.name} is packed, which none is`);
		entries.set(entry.name, entry);
	}
	return entries;
}

function* entriesIn(directory: Buffer, count: number, name: string): Generator<ReturnType<typeof entryOf>> {
	let at = 0;
	for (let place = 0; place < count; place++) {
		const isWhole = at + HEAD_BYTES <= directory.length && directory.readUInt32LE(at) === CENTRAL;
		if (!isWhole) throw broken(name, "its directory is damaged");
		const nameBytes = directory.readUInt16LE(at + 28);
		const end = at + HEAD_BYTES + nameBytes + directory.readUInt16LE(at + 30);
		yield entryOf(directory.subarray(at, end), nameBytes);
		at = end + directory.readUInt16LE(at + 32);
	}
}

/** The content of an entry. @throws LocalError for one that is longer than `mostBytes` */
export async function readEntry(file: FileHandle, { name, offset, bytes }: Entry, mostBytes: number): Promise<Buffer> {
	if (bytes > mostBytes) throw broken(name, `it has more than ${mostBytes.toLocaleString("en")} bytes`);
	const header = await readAt(file, offset, 30);
	if (header.length < 30 || header.readUInt32LE(0) !== LOCAL) throw broken(name, "it is not where the directory says");
	const start = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
	const content = await readAt(file, start, bytes);
	if (content.length < bytes) throw broken(name, "the file ends before it");
	return content;
}

/**
 * The whole entries at the beginning of a file whose writer was stopped: those of which the sizes stand before the content.
 */
export async function scanEntries(file: FileHandle): Promise<ReadonlyMap<string, Entry>> {
	const { size } = await file.stat();
	const entries = new Map<string, Entry>();
	for (let offset = 0; ; ) {
		const header = await readAt(file, offset, 30 + 255);
		if (header.length < 30 || header.readUInt32LE(0) !== LOCAL) return entries;
		const [nameBytes, extraBytes] = [header.readUInt16LE(26), header.readUInt16LE(28)];
		const bytes = header.readUInt32LE(22);
		const name = header.subarray(30, 30 + nameBytes).toString();
		const end = offset + 30 + nameBytes + extraBytes + bytes;
		if (!NAME.test(name) || bytes === MAX_32 || end > size) return entries;
		entries.set(name, { name, offset, bytes });
		offset = end;
	}
}

async function findDirectory(file: FileHandle, size: number, name: string) {
	const tail = await readAt(file, Math.max(0, size - END_BYTES - COMMENT_MAX), END_BYTES + COMMENT_MAX);
	const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
	if (end < 0 || end + END_BYTES > tail.length || tail.readUInt32LE(end) !== END)
		throw broken(name, "it has no directory: it is no ZIP file, or not whole");
	const [count, bytes, offset] = [
		tail.readUInt16LE(end + 10),
		tail.readUInt32LE(end + 12),
		tail.readUInt32LE(end + 16),
	];
	if (count < 0xffff && bytes < MAX_32 && offset < MAX_32) return { count, bytes, offset };
	const locator = end - LOCATOR_BYTES;
	if (locator < 0 || tail.readUInt32LE(locator) !== LOCATOR_64) throw broken(name, "its directory is damaged");
	const end64 = await readAt(file, number64(tail, locator + 8), 56);
	if (end64.length < 56 || end64.readUInt32LE(0) !== END_64) throw broken(name, "its directory is damaged");
	return { count: number64(end64, 32), bytes: number64(end64, 40), offset: number64(end64, 48) };
}

function entryOf(header: Buffer, nameBytes: number): Entry & { readonly isStored: boolean } {
	const name = header.subarray(46, 46 + nameBytes).toString();
	const isStored = header.readUInt16LE(10) === 0 && (header.readUInt16LE(8) & 1) === 0;
	let [packed, bytes, offset] = [20, 24, 42].map((field) => header.readUInt32LE(field)) as [number, number, number];
	// The numbers that have no room stand in the extra field, in this order.
	for (let at = 46 + nameBytes; at + 4 <= header.length; ) {
		const [id, length] = [header.readUInt16LE(at), header.readUInt16LE(at + 2)];
		if (id === 1 && at + 4 + length <= header.length) {
			let next = at + 4;
			const take = (value: number) => {
				if (value !== MAX_32 || next + 8 > at + 4 + length) return value;
				next += 8;
				return number64(header, next - 8);
			};
			bytes = take(bytes);
			packed = take(packed);
			offset = take(offset);
		}
		at += 4 + length;
	}
	return { name, offset, bytes, isStored: isStored && packed === bytes };
}

function number64(from: Buffer, at: number): number {
	return Number(from.readBigUInt64LE(at));
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
	const { size } = await file.stat();
	if (!Number.isSafeInteger(position) || position < 0) return Buffer.alloc(0);
	const content = Buffer.alloc(Math.max(0, Math.min(bytes, size - position)));
	let filled = 0;
	while (filled < content.length) {
		const { bytesRead } = await file.read(content, filled, content.length - filled, position + filled);
		if (bytesRead === 0) break;
		filled += bytesRead;
	}
	return content.subarray(0, filled);
}

export function broken(name: string, why: string): LocalError {
	return new LocalError(`${name} cannot be taken: ${why}.`, "Export the App again.");
}
