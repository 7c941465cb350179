import { UnusualJpeg } from "./source.ts";

const LOOKUP_BITS = 9;
const MAX_CODE_BITS = 16;

/** For decoding (ITU-T T.81, F.2.2.3): most codes are short and found in one step. */
export interface HuffmanTable {
	readonly symbols: Uint8Array;
	/** Indexed by the next nine bits: length and symbol; 0 where the code is longer. */
	readonly lookup: Uint16Array;
	/** Indexed by length: the bound that all codes of the length are below, when filled up to 16 bits. */
	readonly limits: Int32Array;
	/** Indexed by length: the number to add to a code to get the index of its symbol. */
	readonly deltas: Int32Array;
}

/** `counts` are those of the codes of 1 to 16 bits. */
export function huffmanTable(counts: Uint8Array, symbols: Uint8Array): HuffmanTable {
	const lookup = new Uint16Array(1 << LOOKUP_BITS);
	const limits = new Int32Array(MAX_CODE_BITS + 1);
	const deltas = new Int32Array(MAX_CODE_BITS + 1);
	let [code, index] = [0, 0];
	for (let length = 1; length <= MAX_CODE_BITS; length++) {
		deltas[length] = index - code;
		for (let left = counts[length - 1] ?? 0; left > 0; left--, code++, index++) {
			const spare = LOOKUP_BITS - length;
			if (spare >= 0) lookup.fill((length << 8) | (symbols[index] ?? 0), code << spare, (code + 1) << spare);
		}
		// No code may be all ones (C.2), which also says that the codes of a length are not too many.
		if (code >= 1 << length) throw new UnusualJpeg("has an impossible Huffman table");
		limits[length] = code << (MAX_CODE_BITS - length);
		code <<= 1;
	}
	return { symbols, lookup, limits, deltas };
}

/** Codes for encoding, indexed by symbol; one of 0 bits means that there is none. */
export interface HuffmanCodes {
	readonly codes: Uint16Array;
	readonly lengths: Uint8Array;
}

export function huffmanCodes(counts: Uint8Array, symbols: Uint8Array): HuffmanCodes {
	const codes = new Uint16Array(256);
	const lengths = new Uint8Array(256);
	let [code, index] = [0, 0];
	for (let length = 1; length <= MAX_CODE_BITS; length++) {
		for (let left = counts[length - 1] ?? 0; left > 0; left--, code++, index++) {
			const symbol = symbols[index] ?? 0;
			codes[symbol] = code;
			lengths[symbol] = length;
		}
		code <<= 1;
	}
	return { codes, lengths };
}

/** The typical tables for luminance (K.3.1, K.3.2) hold every symbol that eight bits a sample can need. */
export const TYPICAL_DC = {
	counts: Uint8Array.of(0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0),
	symbols: Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
};
export const TYPICAL_AC = {
	counts: Uint8Array.of(0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125),
	symbols: acSymbols("01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282"),
};

/** The frequent symbols as hexadecimals; the rest follow in order: a run of up to 15 zeros, then a size of 1 to 10. */
function acSymbols(frequent: string): Uint8Array {
	const symbols = new Set(frequent.match(/../g)?.map((pair) => Number.parseInt(pair, 16)));
	for (let run = 0; run < 16; run++) {
		for (let size = 1; size <= 10; size++) symbols.add((run << 4) | size);
	}
	return Uint8Array.from(symbols);
}
