import { crc32 } from "node:zlib";

/*
 * A ZIP file as a stream: every entry is stored as it is, since pictures are compressed already. (PKWARE APPNOTE 6.3.10; ZIP64 where a
 * number needs it.)
 */

export interface ZipEntry {
	/** With `/` between folders. */
	readonly name: string;
	/** Milliseconds since 1970; shown in UTC. */
	readonly changedMs: number;
	/** The whole content, or its parts where it is made while it is written. */
	readonly content: Uint8Array | AsyncIterable<Uint8Array>;
}

const LOCAL = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;

const VERSION = 20;
const VERSION_64 = 45;
/** Names are UTF-8. */
const UTF8 = 1 << 11;
/** Sizes and checksum follow the content. */
const FOLLOWED = 1 << 3;
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
/** A file that its owner may read and write, for systems that ask: `-rw-r--r--`. */
const MODE = (0o100644 << 16) >>> 0;
const MADE_BY_UNIX = 3 << 8;

/** What the end of the file repeats of an entry. */
interface Written {
	readonly name: Uint8Array;
	readonly changedMs: number;
	readonly flags: number;
	readonly crc: number;
	readonly bytes: number;
	/** Where it begins. */
	readonly offset: number;
}

/** Of each entry only its line in the directory at the end is kept in memory: 46 bytes and the name. */
export async function* zip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
	const directory = new Lines();
	let offset = 0;
	for await (const { name, changedMs, content } of entries) {
		const start = { name: new TextEncoder().encode(name), changedMs, offset };
		for await (const part of content instanceof Uint8Array ? whole(start, content) : followed(start, content)) {
			if ("crc" in part) {
				directory.add(centralHeader(part));
			} else {
				offset += part.length;
				yield part;
			}
		}
	}
	yield* directory.parts();
	yield endOf(directory, offset);
}

type Start = Pick<Written, "name" | "changedMs" | "offset">;

/** An entry whose sizes stand before it: every program can read it while it comes. */
function* whole(start: Start, content: Uint8Array): Generator<Uint8Array | Written> {
	const written = { ...start, flags: UTF8, crc: crc32(content), bytes: content.length };
	yield localHeader(written);
	yield content;
	yield written;
}

/** An entry whose sizes follow it, with as many digits as any size needs. */
async function* followed(start: Start, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | Written> {
	const flags = UTF8 | FOLLOWED;
	yield localHeader({ ...start, flags, crc: 0, bytes: 0 });
	let [crc, bytes] = [0, 0];
	for await (const part of content) {
		crc = crc32(part, crc);
		bytes += part.length;
		yield part;
	}
	yield record(24, (view) => {
		view.setUint32(0, DESCRIPTOR, true);
		view.setUint32(4, crc, true);
		setSizes(view, 8, bytes);
	});
	yield { ...start, flags, crc, bytes };
}

function localHeader({ name, changedMs, flags, crc, bytes }: Omit<Written, "offset">): Uint8Array {
	const isFollowed = (flags & FOLLOWED) !== 0;
	const is64 = isFollowed || bytes >= MAX_32;
	const size = is64 ? MAX_32 : bytes;
	const header = record(30, (view) => {
		view.setUint32(0, LOCAL, true);
		view.setUint16(4, is64 ? VERSION_64 : VERSION, true);
		view.setUint16(6, flags, true);
		view.setUint32(10, dosTime(changedMs), true);
		view.setUint32(14, crc, true);
		view.setUint32(18, size, true);
		view.setUint32(22, size, true);
		view.setUint16(26, name.length, true);
		view.setUint16(28, is64 ? 20 : 0, true);
	});
	return joined(header, name, is64 ? extra64([bytes, bytes]) : NOTHING);
}

function centralHeader({ name, changedMs, flags, crc, bytes, offset }: Written): Uint8Array {
	const large = [...(bytes >= MAX_32 ? [bytes, bytes] : []), ...(offset >= MAX_32 ? [offset] : [])];
	const extra = large.length > 0 ? extra64(large) : NOTHING;
	const version = large.length > 0 || (flags & FOLLOWED) !== 0 ? VERSION_64 : VERSION;
	const header = record(46, (view) => {
		view.setUint32(0, CENTRAL, true);
		view.setUint16(4, MADE_BY_UNIX | VERSION_64, true);
		view.setUint16(6, version, true);
		view.setUint16(8, flags, true);
		view.setUint32(12, dosTime(changedMs), true);
		view.setUint32(16, crc, true);
		view.setUint32(20, Math.min(bytes, MAX_32), true);
		view.setUint32(24, Math.min(bytes, MAX_32), true);
		view.setUint16(28, name.length, true);
		view.setUint16(30, extra.length, true);
		view.setUint32(38, MODE, true);
		view.setUint32(42, Math.min(offset, MAX_32), true);
	});
	return joined(header, name, extra);
}

function endOf({ count, bytes }: Lines, offset: number): Uint8Array {
	const is64 = count >= MAX_16 || bytes >= MAX_32 || offset >= MAX_32;
	const end = record(22, (view) => {
		view.setUint32(0, END, true);
		view.setUint16(8, Math.min(count, MAX_16), true);
		view.setUint16(10, Math.min(count, MAX_16), true);
		view.setUint32(12, Math.min(bytes, MAX_32), true);
		view.setUint32(16, Math.min(offset, MAX_32), true);
	});
	return is64 ? joined(end64(count, bytes, offset), end) : end;
}

function end64(count: number, bytes: number, offset: number): Uint8Array {
	const end = record(56, (view) => {
		view.setUint32(0, END_64, true);
		view.setBigUint64(4, 44n, true);
		view.setUint16(12, MADE_BY_UNIX | VERSION_64, true);
		view.setUint16(14, VERSION_64, true);
		view.setBigUint64(24, BigInt(count), true);
		view.setBigUint64(32, BigInt(count), true);
		view.setBigUint64(40, BigInt(bytes), true);
		view.setBigUint64(48, BigInt(offset), true);
	});
	const locator = record(20, (view) => {
		view.setUint32(0, LOCATOR_64, true);
		view.setBigUint64(8, BigInt(offset + bytes), true);
		view.setUint32(16, 1, true);
	});
	return joined(end, locator);
}

const NOTHING = new Uint8Array();

function extra64(numbers: readonly number[]): Uint8Array {
	return record(4 + 8 * numbers.length, (view) => {
		view.setUint16(0, 1, true);
		view.setUint16(2, 8 * numbers.length, true);
		for (const [place, number] of numbers.entries()) view.setBigUint64(4 + 8 * place, BigInt(number), true);
	});
}

/** Twice the same: what is stored is as large as what it is stored as. */
function setSizes(view: DataView, at: number, bytes: number): void {
	view.setBigUint64(at, BigInt(bytes), true);
	view.setBigUint64(at + 8, BigInt(bytes), true);
}

function record(bytes: number, fill: (view: DataView) => void): Uint8Array {
	const view = new DataView(new ArrayBuffer(bytes));
	fill(view);
	return new Uint8Array(view.buffer);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
	const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		all.set(part, at);
		at += part.length;
	}
	return all;
}

/** Date and time as two 16-bit numbers, to two seconds; the format begins in 1980. */
function dosTime(ms: number): number {
	const at = new Date(Math.max(ms, Date.UTC(1980, 0, 1)));
	const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
	const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
	return ((date << 16) | time) >>> 0;
}

/** The directory at the end of the file, in blocks: a million arrays of a hundred bytes would take several times as much. */
class Lines {
	static readonly #BLOCK = 65_536;
	readonly #blocks: Uint8Array[] = [];
	#free = 0;
	count = 0;
	bytes = 0;

	add(line: Uint8Array): void {
		this.count += 1;
		this.bytes += line.length;
		let at = 0;
		while (at < line.length) at += this.#fill(line.subarray(at));
	}

	*parts(): Generator<Uint8Array> {
		for (const [place, block] of this.#blocks.entries()) {
			yield place === this.#blocks.length - 1 ? block.subarray(0, block.length - this.#free) : block;
		}
	}

	#fill(line: Uint8Array): number {
		if (this.#free === 0) {
			this.#blocks.push(new Uint8Array(Lines.#BLOCK));
			this.#free = Lines.#BLOCK;
		}
		const taken = line.subarray(0, this.#free);
		this.#blocks.at(-1)?.set(taken, Lines.#BLOCK - this.#free);
		this.#free -= taken.length;
		return taken.length;
	}
}
