import type { HuffmanTable } from "./huffman.ts";
import { type ByteSource, UnusualJpeg } from "./source.ts";

const BUFFER_BYTES = 32_768;
/** A decoder looks ahead by as many bits as it holds; a decoder that needs more than those has really come to the end. */
const MOST_BITS = 32;

/** The bits of one scan, whose bytes lie from `start` up to `end`. */
export class BitReader {
	readonly #source: ByteSource;
	readonly #buffer: Uint8Array;
	readonly #end: number;
	/** The position after the buffer. */
	#next: number;
	#at = 0;
	#filled = 0;
	#bits = 0;
	#count = 0;
	/** How many of the bits are made up, because a marker has been reached. */
	#missing = 0;

	constructor(source: ByteSource, { start, end }: { readonly start: number; readonly end: number }) {
		this.#source = source;
		this.#buffer = new Uint8Array(Math.min(BUFFER_BYTES, end - start));
		this.#next = start;
		this.#end = end;
	}

	/** Takes up to 16 bits. */
	take(length: number): number {
		if (this.#count < length) this.#fill();
		this.#count -= length;
		return (this.#bits >>> this.#count) & ((1 << length) - 1);
	}

	symbol(table: HuffmanTable): number {
		if (this.#count < 16) this.#fill();
		const found = table.lookup[(this.#bits >>> (this.#count - 9)) & 511] ?? 0;
		if (found === 0) return this.#longSymbol(table);
		this.#count -= found >> 8;
		return found & 255;
	}

	/** A number of `size` bits, its sign in the first of them (EXTEND, figure F.12). */
	signed(size: number): number {
		const bits = this.take(size);
		return bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits;
	}

	/**
	 * The next bit for each coefficient from `from` to `last` that is not zero. Passes `zeros` that are, and stops at the one after them;
	 * returns where. Most of the work is done here, and the bits cannot be foreseen, so that none of them makes a branch.
	 */
	refine(coefficients: Int16Array, from: number, last: number, zeros: number, step: number): number {
		let at = from;
		let left = zeros;
		let count = this.#count;
		let bits = this.#bits;
		for (; at <= last; at++) {
			const value = coefficients[at] ?? 0;
			if (value === 0) {
				if (left-- === 0) break;
				continue;
			}
			if (count === 0) {
				this.#count = 0;
				this.#fill();
				count = this.#count;
				bits = this.#bits;
			}
			count--;
			const sign = value >> 31;
			coefficients[at] = value + (-((bits >>> count) & 1) & ((step ^ sign) - sign));
		}
		this.#count = count;
		return at;
	}

	/** Bits are used up to the last byte, which may be filled up, and no further. */
	finish(): void {
		const left = this.#count - this.#missing;
		if (left < 0 || left > 7 || this.#nextByte() !== -1) throw new UnusualJpeg("has a scan of another length");
		this.#count = 0;
		this.#missing = 0;
	}

	/** Passes the restart marker of this number (B.2.1, RSTm). */
	restart(number: number): void {
		this.finish();
		if (this.#buffer[this.#at + 1] !== 0xd0 + number) throw new UnusualJpeg("lacks a restart");
		this.#at += 2;
	}

	#longSymbol({ limits, deltas, symbols }: HuffmanTable): number {
		const code = (this.#bits >>> (this.#count - 16)) & 0xffff;
		for (let length = 10; length <= 16; length++) {
			if (code < (limits[length] ?? 0)) {
				this.#count -= length;
				return symbols[(code >> (16 - length)) + (deltas[length] ?? 0)] ?? 0;
			}
		}
		throw new UnusualJpeg("has a code that means nothing");
	}

	#fill(): void {
		while (this.#count <= MOST_BITS - 8) {
			let byte = this.#nextByte();
			if (byte === -1) {
				this.#missing += 8;
				if (this.#missing > 2 * MOST_BITS) throw new UnusualJpeg("has a scan that ends early");
				byte = 0;
			}
			this.#bits = (this.#bits << 8) | byte;
			this.#count += 8;
		}
	}

	/** Returns -1 at a marker or the end. */
	#nextByte(): number {
		// A byte that announces a marker is seen together with the one that follows.
		if (this.#filled - this.#at < 2) this.#refill();
		if (this.#at >= this.#filled) return -1;
		const byte = this.#buffer[this.#at] ?? 0;
		if (byte === 0xff) {
			if (this.#buffer[this.#at + 1] !== 0 || this.#at + 1 >= this.#filled) return -1;
			this.#at++;
		}
		this.#at++;
		return byte;
	}

	#refill(): void {
		if (this.#next >= this.#end) return;
		this.#buffer.copyWithin(0, this.#at, this.#filled);
		this.#filled -= this.#at;
		this.#at = 0;
		const room = this.#buffer.subarray(this.#filled, this.#filled + this.#end - this.#next);
		const read = this.#source.read(room, this.#next);
		if (read === 0) throw new UnusualJpeg("ends while it is read");
		this.#next += read;
		this.#filled += read;
	}
}
