import { crc32 } from "node:zlib";

/*
 * A ZIP file as a stream: every entry is stored as it is, since pictures are compressed already. (PKWARE APPNOTE 6.3.10; ZIP64 where a
 * number needs it.) Why no library does it: docs/decisions/0047.
 */

export interface ZipEntry {
	/** With `/` between folders. */
	readonly name: string;
	/** Milliseconds since 1970; shown in UTC. */
	readonly changedMs: number;
	/** The whole content, or its parts, as of a ReadableStream, none of which is asked for before its turn. */
	readonly content: Uint8Array | AsyncIterable<Uint8Array>;
}

/** An entry as far as it is written. */
interface Written {
	readonly name: Buffer;
	readonly changedMs: number;
	/** Sizes and checksum follow the content. */
	readonly isFollowed: boolean;
	/** Where it begins. */
	readonly offset: number;
	crc: number;
	bytes: number;
}

const VERSION = 20;
const VERSION_64 = 45;
/** Of Unix, by whom ZIP64 is known. */
const MADE_BY = (3 << 8) | VERSION_64;
/** Names are UTF-8. */
const UTF8 = 1 << 11;
const FOLLOWED = 1 << 3;
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
/** A file that its owner may read and write, for systems that ask: `-rw-r--r--`. */
const MODE = (0o100644 << 16) >>> 0;
/** So many lines of the directory are one piece of memory: each for itself would take several times its bytes. */
const LINES_TOGETHER = 512;

/**
 * Of each entry only its line in the directory at the end is kept in memory: 46 bytes and the name. Whoever stops reading ends the entries, and
 * the content that is being written; `streamOf(zip(…))` is the same as a stream, which reads nothing ahead.
 */
export async function* zip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
	const directory: Buffer[] = [];
	const lines: Buffer[] = [];
	let [count, offset] = [0, 0];
	for await (const { name, changedMs, content } of entries) {
		const isFollowed = !(content instanceof Uint8Array);
		const entry: Written = { name: Buffer.from(name), changedMs, isFollowed, offset, crc: 0, bytes: 0 };
		for await (const part of content instanceof Uint8Array ? whole(entry, content) : followed(entry, content)) {
			offset += part.length;
			yield part;
		}
		count += 1;
		lines.push(centralHeader(entry));
		if (lines.length === LINES_TOGETHER) directory.push(Buffer.concat(lines.splice(0)));
	}
	directory.push(Buffer.concat(lines));
	yield* directory;
	const bytes = directory.reduce((sum, { length }) => sum + length, 0);
	yield endOf(count, bytes, offset);
}

/** An entry whose sizes stand before it: every program can read it while it comes. */
function* whole(entry: Written, content: Uint8Array): Generator<Uint8Array> {
	count(entry, content);
	yield localHeader(entry);
	yield content;
}

/** An entry whose sizes follow it, with as many digits as any size needs. */
async function* followed(entry: Written, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	yield localHeader(entry);
	for await (const part of content) {
		count(entry, part);
		yield part;
	}
	yield numbers("4488", 0x08074b50, entry.crc, entry.bytes, entry.bytes);
}

function count(entry: Written, part: Uint8Array): void {
	entry.crc = crc32(part, entry.crc);
	entry.bytes += part.length;
}

function localHeader({ name, changedMs, isFollowed, crc, bytes }: Written): Buffer {
	const is64 = isFollowed || bytes >= MAX_32;
	const size = is64 ? MAX_32 : bytes;
	const extra = is64 ? extra64([bytes, bytes]) : NOTHING;
	const about = [is64 ? VERSION_64 : VERSION, flagsOf(isFollowed), 0, dosTime(changedMs), crc, size, size];
	return Buffer.concat([numbers("4222444422", 0x04034b50, ...about, name.length, extra.length), name, extra]);
}

function centralHeader({ name, changedMs, isFollowed, offset, crc, bytes }: Written): Buffer {
	const large = [...(bytes >= MAX_32 ? [bytes, bytes] : []), ...(offset >= MAX_32 ? [offset] : [])];
	const extra = large.length > 0 ? extra64(large) : NOTHING;
	const size = Math.min(bytes, MAX_32);
	const version = large.length > 0 || isFollowed ? VERSION_64 : VERSION;
	const about = [MADE_BY, version, flagsOf(isFollowed), 0, dosTime(changedMs), crc, size, size];
	const rest = [name.length, extra.length, 0, 0, 0, MODE, Math.min(offset, MAX_32)];
	return Buffer.concat([numbers("4222244442222244", 0x02014b50, ...about, ...rest), name, extra]);
}

/** @param offset where the directory begins, which has so many `bytes` */
function endOf(count: number, bytes: number, offset: number): Buffer {
	const [few, small, near] = [Math.min(count, MAX_16), Math.min(bytes, MAX_32), Math.min(offset, MAX_32)];
	const end = numbers("42222442", 0x06054b50, 0, 0, few, few, small, near, 0);
	if (few < MAX_16 && small < MAX_32 && near < MAX_32) return end;
	const end64 = numbers("4822448888", 0x06064b50, 44, MADE_BY, VERSION_64, 0, 0, count, count, bytes, offset);
	return Buffer.concat([end64, numbers("4484", 0x07064b50, 0, offset + bytes, 1), end]);
}

const NOTHING = Buffer.alloc(0);

function extra64(sizes: readonly number[]): Buffer {
	return numbers(`22${"8".repeat(sizes.length)}`, 1, 8 * sizes.length, ...sizes);
}

function flagsOf(isFollowed: boolean): number {
	return isFollowed ? UTF8 | FOLLOWED : UTF8;
}

/** Numbers one behind the other, each of as many bytes as its digit in `widths` says, the lowest first. */
function numbers(widths: string, ...values: readonly number[]): Buffer {
	const written = Buffer.alloc(128);
	let at = 0;
	for (const [place, value] of values.entries()) {
		const width = Number(widths[place]);
		// No number here is above 2^48, the most that one write takes.
		written.writeUIntLE(value, at, Math.min(width, 6));
		at += width;
	}
	return written.subarray(0, at);
}

/** Date and time as two 16-bit numbers, to two seconds; the format begins in 1980. */
function dosTime(ms: number): number {
	const at = new Date(Math.max(ms, Date.UTC(1980, 0, 1)));
	const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
	const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
	return ((date << 16) | time) >>> 0;
}
