import { readSync } from "node:fs";

/** A JPEG that is damaged, or whole but too unusual to be worth our own code. The reason is for a developer. */
export class UnusualJpeg extends Error {
	override readonly name = "UnusualJpeg";
}

/** Bytes that are read where they are wanted. */
export interface ByteSource {
	readonly length: number;
	/** Fills `into` from `at` on, as far as there are bytes; returns how many there were. */
	read(into: Uint8Array, at: number): number;
}

export function fileSource(descriptor: number, length: number): ByteSource {
	return { length, read: (into, at) => readSync(descriptor, into, 0, into.length, at) };
}

const WINDOW_BYTES = 65_536;

/** The bytes between the marker segments are read once and in order, so a window moves over them. */
export class ByteWindow {
	readonly #source: ByteSource;
	readonly #window = new Uint8Array(WINDOW_BYTES);
	#start = 0;
	#filled = 0;

	constructor(source: ByteSource) {
		this.#source = source;
	}

	byte(at: number): number {
		this.#moveTo(at);
		return this.#window[at - this.#start] ?? 0;
	}

	word(at: number): number {
		return (this.byte(at) << 8) | this.byte(at + 1);
	}

	bytes(at: number, length: number): Uint8Array {
		const bytes = new Uint8Array(length);
		if (this.#source.read(bytes, at) < length) throw new UnusualJpeg("ends in a segment");
		return bytes;
	}

	/** Finds the next marker that ends a scan: after `at`, past stuffed bytes and restarts (B.1.1.2, B.1.1.5). */
	endOfScan(at: number): number {
		for (let next = this.#indexOfPrefix(at); ; next = this.#indexOfPrefix(next + 2)) {
			const code = this.byte(next + 1);
			if (code !== 0 && (code < 0xd0 || code > 0xd7)) return next;
		}
	}

	#indexOfPrefix(from: number): number {
		for (let at = from; ; at = this.#start + this.#filled) {
			this.#moveTo(at);
			const index = this.#window.subarray(0, this.#filled).indexOf(0xff, at - this.#start);
			if (index >= 0) return this.#start + index;
		}
	}

	#moveTo(at: number): void {
		if (at >= this.#start && at < this.#start + this.#filled) return;
		this.#start = at;
		this.#filled = this.#source.read(this.#window, at);
		if (this.#filled === 0) throw new UnusualJpeg("ends without an end marker");
	}
}
