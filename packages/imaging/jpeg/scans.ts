import { type HuffmanTable, huffmanTable } from "./huffman.ts";
import { MARKER as COMMON_MARKER } from "./segments.ts";
import { type ByteSource, ByteWindow, UnusualJpeg } from "./source.ts";

/*
 * What a progressive JPEG consists of (ITU-T T.81, annexes B and G), from its marker segments alone.
 */

const MARKER = {
	...COMMON_MARKER,
	progressiveFrame: 0xc2,
	huffman: 0xc4,
	quantization: 0xdb,
	restartInterval: 0xdd,
	app15: 0xef,
	comment: 0xfe,
} as const;

/** libvips reads no more either. */
const MAX_SCANS = 100;
const MAX_SEGMENTS = 10_000;
/** Bound for an interleaved scan (B.2.3). */
const MAX_BLOCKS_IN_MCU = 10;
/** The least precision that the approximation of a coefficient can begin with. */
const MAX_POINT_TRANSFORM = 13;
/** The largest category of a difference between two DC coefficients (F.1.2.1). */
const MAX_DC_CATEGORY = 11;

interface Component {
	/** Sampling factors. */
	readonly h: number;
	readonly v: number;
	/** Size in blocks that a scan of this component alone codes. */
	readonly wide: number;
	readonly high: number;
}

export interface Frame {
	/** The contents of its segment. */
	readonly bytes: Uint8Array;
	readonly components: readonly Component[];
	readonly mcusWide: number;
	readonly mcusHigh: number;
}

export interface Scan {
	/** Indices into those of the frame, in the order of their blocks. */
	readonly components: readonly number[];
	/** Tables by component of the scan; empty where single bits refine. */
	readonly tables: readonly HuffmanTable[];
	/** First and last coefficient, in zigzag order. */
	readonly first: number;
	readonly last: number;
	/** Whether the bits refine what an earlier scan has coded. */
	readonly refines: boolean;
	/** How many bits are left to later scans. */
	readonly low: number;
	/** Interval in MCUs; 0 for none. */
	readonly restartInterval: number;
	/** Range of the entropy-coded bytes. */
	readonly start: number;
	readonly end: number;
}

export interface Stretch {
	readonly start: number;
	readonly end: number;
}

export interface ScannedJpeg {
	readonly frame: Frame;
	readonly scans: readonly Scan[];
	/** Whole segments that say how the coefficients are to be read: quantization, colours, and what applications add. */
	readonly kept: readonly Stretch[];
}

/** @throws UnusualJpeg unless it is whole, of eight bits a sample, and every scan refines what came before it by one bit */
export function scannedJpeg(source: ByteSource): ScannedJpeg {
	return new SegmentReader(source).read();
}

class SegmentReader {
	readonly #window: ByteWindow;
	readonly #tables = new Map<number, HuffmanTable>();
	readonly #kept: Stretch[] = [];
	readonly #scans: Scan[] = [];
	#ids: readonly number[] = [];
	/** Missing bits by component and coefficient; -1 where all are missing. */
	#missing: readonly Int8Array[] = [];
	#frame: Frame | undefined;
	#restartInterval = 0;

	constructor(source: ByteSource) {
		this.#window = new ByteWindow(source);
	}

	read(): ScannedJpeg {
		if (this.#window.word(0) !== 0xffd8) throw new UnusualJpeg("does not begin as a JPEG");
		let at: number | undefined = 2;
		for (let segments = 0; at !== undefined; segments++) {
			if (segments > MAX_SEGMENTS) throw new UnusualJpeg("has too many segments");
			at = this.#readSegment(at);
		}
		if (!this.#frame) throw new UnusualJpeg("has no frame");
		if (this.#missing.some((bits) => bits.some((missing) => missing !== 0))) throw new UnusualJpeg("lacks scans");
		return { frame: this.#frame, scans: this.#scans, kept: this.#kept };
	}

	/** Returns where the next segment begins. */
	#readSegment(from: number): number | undefined {
		const window = this.#window;
		if (window.byte(from) !== 0xff) throw new UnusualJpeg("has bytes between its segments");
		let at = from + 1;
		while (window.byte(at) === 0xff) at++;
		const marker = window.byte(at);
		if (marker === MARKER.endOfImage) return undefined;
		const end = at + 1 + window.word(at + 1);
		if (end < at + 3) throw new UnusualJpeg("has an impossible segment");
		// The last byte of the segment is there as well.
		window.byte(end - 1);
		return this.#take(marker, { start: at - 1, end });
	}

	#take(marker: number, segment: Stretch): number {
		const { start, end } = segment;
		const isApplication = marker >= MARKER.app0 && marker <= MARKER.app15;
		if (isApplication || marker === MARKER.comment) {
			// Segments that describe the picture stand before its first scan. Comments do not change how it looks.
			if (isApplication && this.#scans.length === 0) this.#kept.push(segment);
			return end;
		}
		const bytes = this.#window.bytes(start + 4, end - start - 4);
		switch (marker) {
			case MARKER.quantization:
				if (this.#scans.length > 0) throw new UnusualJpeg("changes its quantization between scans");
				this.#kept.push(segment);
				return end;
			case MARKER.huffman:
				this.#defineTables(bytes);
				return end;
			case MARKER.restartInterval:
				if (bytes.length !== 2) throw new UnusualJpeg("has an impossible restart interval");
				this.#restartInterval = wordAt(bytes, 0);
				return end;
			case MARKER.progressiveFrame:
				this.#startFrame(bytes);
				return end;
			case MARKER.startOfScan:
				return this.#startScan(bytes, end);
			default:
				throw new UnusualJpeg(`has a marker ${marker.toString(16)}`);
		}
	}

	#defineTables(bytes: Uint8Array): void {
		for (let at = 0; at < bytes.length; ) {
			const id = bytes[at] ?? 0;
			const counts = bytes.subarray(at + 1, at + 17);
			const symbols = bytes.subarray(at + 17, at + 17 + counts.reduce((sum, count) => sum + count, 0));
			at += 17 + symbols.length;
			// Class and destination; a table that is cut short has too few symbols for its codes.
			if ((id & 0xec) !== 0 || counts.length < 16) throw new UnusualJpeg("has an impossible Huffman table");
			if (symbols.length < counts.reduce((sum, count) => sum + count, 0)) throw new UnusualJpeg("ends in a table");
			if (id < 0x10 && symbols.some((category) => category > MAX_DC_CATEGORY)) {
				throw new UnusualJpeg("has differences of too many bits");
			}
			this.#tables.set(id, huffmanTable(counts, symbols));
		}
	}

	#startFrame(bytes: Uint8Array): void {
		const [precision = 0, count = 0] = [bytes[0], bytes[5]];
		const [height, width] = [wordAt(bytes, 1), wordAt(bytes, 3)];
		if (this.#frame || precision !== 8 || width * height === 0) throw new UnusualJpeg("has an unusual frame");
		if (count < 1 || count > 4 || bytes.length !== 6 + 3 * count) throw new UnusualJpeg("has unusual components");
		const factors = Array.from({ length: count }, (_, index) => bytes[7 + 3 * index] ?? 0);
		const [hs, vs] = [factors.map((both) => both >> 4), factors.map((both) => both & 15)];
		if ([...hs, ...vs].some((factor) => factor < 1 || factor > 4)) throw new UnusualJpeg("has unusual sampling");
		const [maxH, maxV] = [Math.max(...hs), Math.max(...vs)];
		const components = hs.map((h, index) => {
			const v = vs[index] ?? 0;
			return { h, v, wide: Math.ceil((width * h) / (8 * maxH)), high: Math.ceil((height * v) / (8 * maxV)) };
		});
		if (count > 1 && components.reduce((sum, { h, v }) => sum + h * v, 0) > MAX_BLOCKS_IN_MCU) {
			throw new UnusualJpeg("has too many blocks in an MCU");
		}
		this.#ids = Array.from({ length: count }, (_, index) => bytes[6 + 3 * index] ?? 0);
		if (new Set(this.#ids).size < count) throw new UnusualJpeg("has two components of one name");
		this.#missing = components.map(() => new Int8Array(64).fill(-1));
		const [mcusWide, mcusHigh] = [Math.ceil(width / (8 * maxH)), Math.ceil(height / (8 * maxV))];
		this.#frame = { bytes, components, mcusWide, mcusHigh };
	}

	#startScan(bytes: Uint8Array, start: number): number {
		const count = bytes[0] ?? 0;
		if (this.#scans.length >= MAX_SCANS) throw new UnusualJpeg("has too many scans");
		if (count < 1 || count > 4 || bytes.length !== 4 + 2 * count) throw new UnusualJpeg("has an impossible scan");
		const pairs = Array.from({ length: count }, (_, index) => bytes.subarray(1 + 2 * index, 3 + 2 * index));
		const components = pairs.map(([id = 0]) => this.#ids.indexOf(id));
		if (components.includes(-1) || new Set(components).size < count) throw new UnusualJpeg("has a scan of nothing");
		const [first = 0, last = 0, approximation = 0] = bytes.subarray(1 + 2 * count);
		const [high, low] = [approximation >> 4, approximation & 15];
		this.#progress(components, { first, last, high, low });
		const tables = pairs.map(([, selectors = 0]) =>
			this.#tables.get(first === 0 ? selectors >> 4 : 0x10 | (selectors & 15)),
		);
		const needed = first === 0 && high > 0 ? [] : tables.filter((table) => table !== undefined);
		if (needed.length < (first === 0 && high > 0 ? 0 : count)) throw new UnusualJpeg("lacks a Huffman table");
		const end = this.#window.endOfScan(start);
		const restartInterval = this.#restartInterval;
		this.#scans.push({ components, tables: needed, first, last, refines: high > 0, low, restartInterval, start, end });
		return end;
	}

	/** Each coefficient is first coded once, and then refined by one bit a scan (G.1.1.1.1), DC before AC. */
	#progress(
		components: readonly number[],
		{ first, last, high, low }: Record<"first" | "last" | "high" | "low", number>,
	) {
		const isBand = first === 0 ? last === 0 : last >= first && last < 64 && components.length === 1;
		const isStep = high === 0 ? low <= MAX_POINT_TRANSFORM : low === high - 1;
		if (!isBand || !isStep) throw new UnusualJpeg("has an impossible progression");
		for (const component of components) {
			const missing = this.#missing[component];
			if (!missing || (first > 0 && missing[0] === -1)) throw new UnusualJpeg("has AC before DC");
			const band = missing.subarray(first, last + 1);
			if (band.some((bits) => bits !== (high === 0 ? -1 : high))) throw new UnusualJpeg("repeats or lacks a scan");
			band.fill(low);
		}
	}
}

function wordAt(bytes: Uint8Array, at: number): number {
	return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}
