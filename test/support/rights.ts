import { Buffer } from "node:buffer";
import sharp from "sharp";

const XMP =
	'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Rights of Ann</rdf:li></rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta>';
const HEADER_BYTES = 13;

/** A GIF that says whose it is, as programs write it (XMP specification, part 3, section 1.1.2). */
export async function gifWithRights(): Promise<Uint8Array<ArrayBuffer>> {
	const create = { width: 64, height: 48, channels: 3, background: "#336699" } as const;
	const gif = await sharp({ create }).gif().toBuffer();
	const packed = gif[10] ?? 0;
	const start = HEADER_BYTES + (packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0);
	const trailer = Uint8Array.from({ length: 258 }, (_, index) => (index === 0 ? 1 : Math.max(0, 256 - index)));
	const head = Uint8Array.of(0x21, 0xff, 11);
	const parts = [gif.subarray(0, start), head, Buffer.from(`XMP DataXMP${XMP}`), trailer, gif.subarray(start)];
	return new Uint8Array(Buffer.concat(parts));
}
