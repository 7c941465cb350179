import { BitReader } from "./bits.ts";
import type { HuffmanTable } from "./huffman.ts";
import type { BlockOrder } from "./rows.ts";
import type { Scan } from "./scans.ts";
import { type ByteSource, UnusualJpeg } from "./source.ts";

/** A run of zeros as long as it gets, instead of the end of a band (G.1.2.2). */
const SIXTEEN_ZEROS = 15;
const NO_TABLE: HuffmanTable = {
	symbols: new Uint8Array(),
	lookup: new Uint16Array(),
	limits: new Int32Array(),
	deltas: new Int32Array(),
};

/** Decodes one scan a row of MCUs at a time (ITU-T T.81, G.1 and G.2). */
export class ScanDecoder {
	readonly #scan: Scan;
	readonly #order: BlockOrder;
	readonly #reader: BitReader;
	readonly #predictions: Int32Array;
	/** How many more blocks have nothing new in their bands. */
	#endOfBandRun = 0;
	#mcusToRestart: number;
	#restarts = 0;

	constructor(source: ByteSource, scan: Scan, order: BlockOrder) {
		this.#scan = scan;
		this.#order = order;
		this.#reader = new BitReader(source, scan);
		this.#predictions = new Int32Array(scan.components.length);
		this.#mcusToRestart = scan.restartInterval;
	}

	/** Adds what the scan knows to the first `blocks` blocks of a row. */
	decodeRow(coefficients: Int16Array, blocks: number): void {
		const { places, owners, blocksInMcu } = this.#order;
		const { restartInterval } = this.#scan;
		for (let index = 0; index < blocks; index++) {
			if (restartInterval > 0 && index % blocksInMcu === 0) this.#countMcu();
			this.#decodeBlock(coefficients, places[index] ?? 0, owners[index] ?? 0);
		}
	}

	finish(): void {
		this.#reader.finish();
	}

	#countMcu(): void {
		if (this.#mcusToRestart === 0) {
			this.#reader.restart(this.#restarts++ & 7);
			this.#mcusToRestart = this.#scan.restartInterval;
			this.#predictions.fill(0);
			this.#endOfBandRun = 0;
		}
		this.#mcusToRestart--;
	}

	#decodeBlock(coefficients: Int16Array, place: number, owner: number): void {
		const { first, refines, low } = this.#scan;
		if (first > 0) {
			if (refines) this.#refineBand(coefficients, place);
			else this.#decodeBand(coefficients, place);
		} else if (!refines) this.#decodeDc(coefficients, place, owner);
		else if (this.#reader.take(1) === 1) coefficients[place] = (coefficients[place] ?? 0) | (1 << low);
	}

	#decodeDc(coefficients: Int16Array, place: number, owner: number): void {
		const size = this.#reader.symbol(this.#scan.tables[owner] ?? NO_TABLE);
		const difference = size === 0 ? 0 : this.#reader.signed(size);
		const value = (this.#predictions[owner] ?? 0) + difference;
		this.#predictions[owner] = value;
		coefficients[place] = value << this.#scan.low;
		if (coefficients[place] !== value << this.#scan.low) throw new UnusualJpeg("has a mean out of range");
	}

	#decodeBand(coefficients: Int16Array, place: number): void {
		if (this.#endOfBandRun > 0) {
			this.#endOfBandRun--;
			return;
		}
		const reader = this.#reader;
		const { first, last, low, tables } = this.#scan;
		const table = tables[0] ?? NO_TABLE;
		for (let k = first; k <= last; k++) {
			const symbol = reader.symbol(table);
			const run = symbol >> 4;
			const size = symbol & 15;
			if (size > 0) {
				k += run;
				this.#start(coefficients, place, k, reader.signed(size) << low);
			} else if (run < SIXTEEN_ZEROS) {
				this.#endOfBandRun = (1 << run) - 1 + reader.take(run);
				return;
			} else k += run;
		}
	}

	/** Figure G.7: what is not zero yet gets its next bit. */
	#refineBand(coefficients: Int16Array, place: number): void {
		const { first, last, low } = this.#scan;
		const from = this.#endOfBandRun > 0 ? first : this.#extendBand(coefficients, place);
		if (this.#endOfBandRun === 0) return;
		this.#reader.refine(coefficients, place + from, place + last, 64, 1 << low);
		this.#endOfBandRun--;
	}

	/** Passes what is not zero yet and gives the others that become so their first bit; returns where no more of these follow. */
	#extendBand(coefficients: Int16Array, place: number): number {
		const reader = this.#reader;
		const { first, last, low, tables } = this.#scan;
		const table = tables[0] ?? NO_TABLE;
		for (let k = first; k <= last; k++) {
			const symbol = reader.symbol(table);
			const run = symbol >> 4;
			const size = symbol & 15;
			if (size > 1) throw new UnusualJpeg("refines by more than one bit");
			if (size === 0 && run < SIXTEEN_ZEROS) {
				this.#endOfBandRun = (1 << run) + reader.take(run);
				return k;
			}
			const value = size === 0 ? 0 : reader.signed(size) << low;
			k = reader.refine(coefficients, place + k, place + last, run, 1 << low) - place;
			if (value !== 0) this.#start(coefficients, place, k, value);
		}
		return last + 1;
	}

	#start(coefficients: Int16Array, place: number, k: number, value: number): void {
		if (k > this.#scan.last) throw new UnusualJpeg("has a coefficient outside its band");
		coefficients[place + k] = value;
	}
}
