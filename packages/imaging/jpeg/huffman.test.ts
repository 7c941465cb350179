import { expect, test } from "bun:test";
import { memorySource } from "@svc/test/support/jpegs";
import { BitReader } from "./bits.ts";
import { huffmanCodes, huffmanTable, TYPICAL_AC, TYPICAL_DC } from "./huffman.ts";
import { UnusualJpeg } from "./source.ts";

/** Bits as entropy-coded bytes, the last one filled up with ones. */
function packed(bits: string): Uint8Array {
	const bytes = bits.match(/.{1,8}/g)?.map((byte) => Number.parseInt(byte.padEnd(8, "1"), 2)) ?? [];
	return Uint8Array.from(bytes.flatMap((byte) => (byte === 0xff ? [0xff, 0] : [byte])));
}

const readerOf = (bytes: Uint8Array) => new BitReader(memorySource(bytes), { start: 0, end: bytes.length });

test.each([
	["DC", TYPICAL_DC, 12],
	["AC", TYPICAL_AC, 162],
] as const)("every %s symbol, of up to 16 bits, is read as it was written", (_, { counts, symbols }, count) => {
	expect(new Set(symbols).size).toBe(count);
	const { codes, lengths } = huffmanCodes(counts, symbols);
	const bits = Array.from(symbols, (symbol) => (codes[symbol] ?? 0).toString(2).padStart(lengths[symbol] ?? 0, "0"));
	const reader = readerOf(packed(bits.join("")));
	const table = huffmanTable(counts, symbols);
	expect(Array.from(symbols, () => reader.symbol(table))).toEqual([...symbols]);
	reader.finish();
});

test("a table with a code of ones only, or with more codes than there are, is impossible", () => {
	const symbols = Uint8Array.of(1, 2, 3, 4);
	for (const counts of [[2], [0, 4], [1, 2], [3], [1, 0, 4]]) {
		const sixteen = Uint8Array.from({ length: 16 }, (_, index) => counts[index] ?? 0);
		expect(() => huffmanTable(sixteen, symbols)).toThrow(UnusualJpeg);
	}
});

test("a code that is in no table means nothing", () => {
	const table = huffmanTable(Uint8Array.of(1, ...new Uint8Array(15)), Uint8Array.of(7));
	const reader = readerOf(Uint8Array.of(0b0100_0000, 0, 0));
	expect(reader.symbol(table)).toBe(7);
	expect(() => reader.symbol(table)).toThrow("has a code that means nothing");
});
