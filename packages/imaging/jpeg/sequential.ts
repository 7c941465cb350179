import { type HuffmanCodes, huffmanCodes, TYPICAL_AC, TYPICAL_DC } from "./huffman.ts";
import { ScanDecoder } from "./progressive.ts";
import { type BlockOrder, RowLayout } from "./rows.ts";
import { type Frame, type Stretch, scannedJpeg } from "./scans.ts";
import { MARKER, segment } from "./segments.ts";
import { type ByteSource, UnusualJpeg } from "./source.ts";

const EXTENDED_FRAME = 0xc1;
const HUFFMAN = 0xc4;

/** The most that a block of 64 coefficients of up to 26 bits each takes, were every byte of it stuffed. */
const MOST_BLOCK_BYTES = 512;
const BUFFER_BYTES = 65_536;
const COPY_BYTES = 16_384;
/** The largest sizes that eight bits a sample can need, and that the typical tables have codes for. */
const MAX_AC_SIZE = 10;
const MAX_DC_SIZE = 11;

export type Sink = (bytes: Uint8Array) => void;

/**
 * Writes a progressive JPEG as a sequential one of the very same coefficients, so that it is decoded into the very same pixels. A
 * decoder holds all coefficients of a progressive JPEG until it has read the last scan; here all scans are read side by side, and
 * only the coefficients of one row of MCUs are held.
 * @throws UnusualJpeg when it is left to a decoder, which may find it damaged or not; what has been written until then is of no use
 */
export function writeSequential(source: ByteSource, maxBytes: number, sink: Sink): void {
	const { frame, scans, kept } = scannedJpeg(source);
	const layout = new RowLayout(frame);
	const decoders = scans.map((scan) => {
		const order = layout.orderOf(scan.components);
		return { scan: new ScanDecoder(source, scan, order), order };
	});
	const order = layout.orderOf(frame.components.keys().toArray());
	const writer = new SequentialWriter(sink, maxBytes);
	writer.head(source, kept, frame);
	const coefficients = new Int16Array(layout.length);
	for (let row = 0; row < frame.mcusHigh; row++) {
		coefficients.fill(0);
		for (const { scan, order } of decoders) scan.decodeRow(coefficients, order.blocksIn(row));
		writer.row(coefficients, order, order.blocksIn(row));
	}
	for (const { scan } of decoders) scan.finish();
	writer.finish();
}

class SequentialWriter {
	readonly #sink: Sink;
	readonly #dc = huffmanCodes(TYPICAL_DC.counts, TYPICAL_DC.symbols);
	readonly #ac = huffmanCodes(TYPICAL_AC.counts, TYPICAL_AC.symbols);
	readonly #predictions = new Int32Array(4);
	readonly #buffer = new Uint8Array(BUFFER_BYTES);
	#room: number;
	#at = 0;
	#bits = 0;
	#count = 0;

	constructor(sink: Sink, maxBytes: number) {
		this.#sink = sink;
		this.#room = maxBytes;
	}

	head(source: ByteSource, kept: readonly Stretch[], { bytes, components }: Frame): void {
		this.#write(Uint8Array.of(0xff, MARKER.startOfImage));
		for (const stretch of kept) this.#copy(source, stretch);
		this.#write(segment(EXTENDED_FRAME, bytes));
		this.#write(segment(HUFFMAN, Uint8Array.of(0), TYPICAL_DC.counts, TYPICAL_DC.symbols));
		this.#write(segment(HUFFMAN, Uint8Array.of(0x10), TYPICAL_AC.counts, TYPICAL_AC.symbols));
		const selectors = components.flatMap((_, index) => [bytes[6 + 3 * index] ?? 0, 0]);
		this.#write(segment(MARKER.startOfScan, Uint8Array.of(components.length, ...selectors, 0, 63, 0)));
	}

	row(coefficients: Int16Array, { places, owners }: BlockOrder, blocks: number): void {
		for (let index = 0; index < blocks; index++) {
			if (this.#at > this.#buffer.length - MOST_BLOCK_BYTES) this.#flush();
			const place = places[index] ?? 0;
			this.#encodeDc(coefficients[place] ?? 0, owners[index] ?? 0);
			this.#encodeAc(coefficients, place);
		}
	}

	finish(): void {
		this.#put(0x7f, 7);
		this.#flush();
		this.#write(Uint8Array.of(0xff, MARKER.endOfImage));
	}

	#copy(source: ByteSource, { start, end }: Stretch): void {
		for (let at = start; at < end; at += COPY_BYTES) {
			const bytes = new Uint8Array(Math.min(COPY_BYTES, end - at));
			if (source.read(bytes, at) < bytes.length) throw new UnusualJpeg("ends while it is read");
			this.#write(bytes);
		}
	}

	#encodeDc(value: number, owner: number): void {
		const difference = value - (this.#predictions[owner] ?? 0);
		this.#predictions[owner] = value;
		this.#putCoefficient(this.#dc, 0, difference, MAX_DC_SIZE);
	}

	#encodeAc(coefficients: Int16Array, place: number): void {
		let run = 0;
		for (let at = place + 1; at < place + 64; at++) {
			const value = coefficients[at] ?? 0;
			if (value === 0) {
				run++;
				continue;
			}
			for (; run > 15; run -= 16) this.#putSymbol(this.#ac, 0xf0);
			this.#putCoefficient(this.#ac, run << 4, value, MAX_AC_SIZE);
			run = 0;
		}
		if (run > 0) this.#putSymbol(this.#ac, 0);
	}

	/** A symbol of run and size, then so many bits; those of a negative number are one less (F.1.2.1.1). */
	#putCoefficient(codes: HuffmanCodes, run: number, value: number, maxSize: number): void {
		const size = 32 - Math.clz32(Math.abs(value));
		if (size > maxSize) throw new UnusualJpeg("has a coefficient of too many bits");
		const bits = (value + (value >> 31)) & ((1 << size) - 1);
		const code = codes.codes[run | size] ?? 0;
		const length = codes.lengths[run | size] ?? 0;
		if (length + size <= 24) this.#put((code << size) | bits, length + size);
		else {
			this.#put(code, length);
			this.#put(bits, size);
		}
	}

	#putSymbol({ codes, lengths }: HuffmanCodes, symbol: number): void {
		this.#put(codes[symbol] ?? 0, lengths[symbol] ?? 0);
	}

	#put(bits: number, length: number): void {
		this.#bits = (this.#bits << length) | bits;
		this.#count += length;
		while (this.#count >= 8) {
			this.#count -= 8;
			const byte = (this.#bits >>> this.#count) & 0xff;
			this.#buffer[this.#at++] = byte;
			// A marker must not seem to begin (F.1.2.3).
			if (byte === 0xff) this.#buffer[this.#at++] = 0;
		}
	}

	#flush(): void {
		this.#write(this.#buffer.subarray(0, this.#at));
		this.#at = 0;
	}

	#write(bytes: Uint8Array): void {
		this.#room -= bytes.length;
		if (this.#room < 0) throw new UnusualJpeg("is much longer as a sequential JPEG");
		this.#sink(bytes);
	}
}
