import { crc32, createDeflate } from "node:zlib";
import { sharp } from "@svc/imaging/sharp-settings";

/*
 * Small files that are large pictures, the same each time: what a stranger would send to a service that looks at file sizes. Sharp makes them a strip
 * at a time where it can; the others are put together by hand.
 */

export interface Bomb {
	readonly name: string;
	readonly make: () => Promise<Uint8Array<ArrayBuffer>>;
}

export const BOMBS: readonly Bomb[] = [
	{ name: "j108-base.jpg", make: () => jpeg(10_400, false) },
	{ name: "j108-progressive.jpg", make: () => jpeg(10_400, true) },
	{ name: "a50.avif", make: () => avif(7_070, "4:4:4") },
	// The largest that are taken with the memory that there is by default.
	{ name: "a35.avif", make: () => avif(5_920, "4:4:4") },
	{ name: "a42-halved.avif", make: () => avif(6_530, "4:2:0") },
	{ name: "p99.png", make: async () => owned(await drawn(9_949, 9_949).png({ compressionLevel: 3 }).toBuffer()) },
	{ name: "w16383.webp", make: async () => plainWebp(16_383, 16_383) },
	{ name: "g500.gif", make: () => repeatedGif(465, 500) },
	{ name: "scans5000.jpg", make: () => manyScans(5_000) },
	{ name: "iccp1500mb.png", make: () => profileBomb(1_500) },
];

/** A pattern that no encoder makes nothing of, repeated: libvips draws it line by line. */
function drawn(width: number, height: number) {
	const side = 128;
	const pixels = Array.from({ length: side * side }, (_, at) => [at % side, at >> 7, (at % side) + (at >> 7)]).flat();
	const input = Buffer.from(pixels);
	return sharp({ create: { width, height, channels: 3, background: "#456" }, limitInputPixels: false })
		.composite([{ input, raw: { width: side, height: side, channels: 3 }, tile: true, blend: "over" }])
		.removeAlpha();
}

async function jpeg(side: number, progressive: boolean): Promise<Uint8Array<ArrayBuffer>> {
	return owned(await drawn(side, side).jpeg({ quality: 60, progressive, optimiseCoding: progressive }).toBuffer());
}

async function avif(side: number, chromaSubsampling: string): Promise<Uint8Array<ArrayBuffer>> {
	return owned(await drawn(side, side).avif({ effort: 0, quality: 40, chromaSubsampling }).toBuffer());
}

/** A lossless WebP of one colour: five codes of one symbol each, so that its pixels take no bits at all (RFC 9649, 3.4). */
function plainWebp(width: number, height: number): Uint8Array<ArrayBuffer> {
	const bits: number[] = [];
	const put = (value: number, count: number) => {
		for (let bit = 0; bit < count; bit++) bits.push((value >> bit) & 1);
	};
	put(width - 1, 14);
	put(height - 1, 14);
	put(0, 4);
	// No transform, no cache of colours, no further codes.
	put(0, 3);
	for (const symbol of [90, 60, 120, 255, 0]) {
		// A simple code of one symbol, written in eight bits.
		put(0b101, 3);
		put(symbol, 8);
	}
	const body = new Uint8Array(Math.ceil(bits.length / 8));
	for (const [at, bit] of bits.entries()) body[at >> 3] = (body[at >> 3] ?? 0) | (bit << (at & 7));
	const chunk = Buffer.concat([Buffer.from("VP8L"), littleEndian(body.length + 1), Buffer.of(0x2f), body]);
	const padded = chunk.length % 2 === 0 ? chunk : Buffer.concat([chunk, Buffer.of(0)]);
	return owned(Buffer.concat([Buffer.from("RIFF"), littleEndian(padded.length + 4), Buffer.from("WEBP"), padded]));
}

/** One frame, so many times. */
async function repeatedGif(side: number, frames: number): Promise<Uint8Array<ArrayBuffer>> {
	const plain = sharp({ create: { width: side, height: side, channels: 3, background: "#456" } });
	const one = await plain.gif({ effort: 1, colours: 4 }).toBuffer();
	const start = one.indexOf(Buffer.of(0x21, 0xf9, 0x04));
	const picture = one.subarray(start, one.length - 1);
	return owned(
		Buffer.concat([one.subarray(0, start), ...Array.from({ length: frames }, () => picture), Buffer.of(0x3b)]),
	);
}

/** The last scan of a progressive JPEG, again and again. */
async function manyScans(scans: number): Promise<Uint8Array<ArrayBuffer>> {
	const whole = await drawn(1_500, 1_500).jpeg({ progressive: true }).toBuffer();
	const start = whole.lastIndexOf(Buffer.of(0xff, 0xda));
	const scan = whole.subarray(start, whole.length - 2);
	const most = Math.min(scans, Math.floor(19_000_000 / scan.length));
	const small = scan.length * scans < 19_000_000;
	const times = small ? scans : most;
	return owned(
		Buffer.concat([whole.subarray(0, start), ...Array.from({ length: times }, () => scan), Buffer.of(0xff, 0xd9)]),
	);
}

/** A small PNG whose colour profile is so many megabytes of nothing. */
async function profileBomb(megabytes: number): Promise<Uint8Array<ArrayBuffer>> {
	const png = await drawn(128, 128).png().toBuffer();
	const deflated = await deflatedZeros(megabytes);
	const body = Buffer.concat([Buffer.from("iCCPbomb\0\0"), deflated]);
	const sum = Buffer.alloc(4);
	sum.writeUInt32BE(crc32(body));
	const length = Buffer.alloc(4);
	length.writeUInt32BE(body.length - 4);
	// Behind the signature and the header, which come first.
	return owned(Buffer.concat([png.subarray(0, 33), length, body, sum, png.subarray(33)]));
}

async function deflatedZeros(megabytes: number): Promise<Buffer> {
	const deflate = createDeflate({ level: 9 });
	const parts: Buffer[] = [];
	deflate.on("data", (part: Buffer) => parts.push(part));
	const zeros = Buffer.alloc(1_000_000);
	for (let written = 0; written < megabytes; written++) {
		if (!deflate.write(zeros)) await new Promise((resolve) => deflate.once("drain", resolve));
	}
	await new Promise((resolve) => deflate.end(() => resolve(undefined)));
	return Buffer.concat(parts);
}

function littleEndian(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32LE(value);
	return bytes;
}

function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
	return new Uint8Array(bytes);
}
