import { sharp } from "@svc/imaging/sharp-settings";

/* A photo as phones write it: an ordinary JPEG, an index, and behind it a small second one that says how much brighter each place may become. */

/** Each quarter of the picture has a colour, and of the map a value, from the top left in rows. */
export const QUARTERS = [
	{ colour: [200, 60, 40], value: 0 },
	{ colour: [60, 180, 60], value: 85 },
	{ colour: [40, 80, 200], value: 170 },
	{ colour: [230, 220, 200], value: 255 },
] as const;

/** In stops, as the XMP of Ultra HDR says them. */
export const NUMBERS = 'hdrgm:GainMapMin="-0.5" hdrgm:GainMapMax="2.5" hdrgm:Gamma="1.25" hdrgm:HDRCapacityMax="3"';

interface Made {
	readonly width?: number;
	readonly height?: number;
	/** The factor by which the sides of the map are smaller. */
	readonly factor?: number;
	/** Of EXIF. */
	readonly orientation?: number;
	/** What the map says in XMP. */
	readonly says?: string;
	/** Its other segments. */
	readonly segments?: readonly Uint8Array[];
	/** The value of one of its channels in each quarter; alike in all without it. */
	readonly channels?: readonly ((value: number) => number)[];
	/** In the place of the map. */
	readonly map?: Uint8Array;
}

const text = (value: string) => Buffer.from(value, "latin1");

export function segment(marker: number, ...parts: readonly Uint8Array[]): Uint8Array {
	const payload = Buffer.concat(parts);
	return Buffer.concat([Uint8Array.of(0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 0xff), payload]);
}

function xmp(attributes: string, content = ""): Uint8Array {
	const description = `<rdf:Description rdf:about="" xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/" xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" ${attributes}>${content}</rdf:Description>`;
	return segment(
		0xe1,
		text("http://ns.adobe.com/xap/1.0/\0"),
		text(
			`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${description}</rdf:RDF></x:xmpmeta>`,
		),
	);
}

function quarters(width: number, height: number, of: (quarter: (typeof QUARTERS)[number]) => readonly number[]) {
	const pixels: number[] = [];
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const quarter = QUARTERS[(y < height / 2 ? 0 : 2) + (x < width / 2 ? 0 : 1)] ?? QUARTERS[0];
			pixels.push(...of(quarter));
		}
	}
	const channels = (pixels.length / width / height) as 1 | 3;
	const image = sharp(Uint8Array.from(pixels), { raw: { width, height, channels } });
	return channels === 1 ? image.toColourspace("b-w") : image;
}

const withSegments = (jpeg: Uint8Array, segments: readonly Uint8Array[]) =>
	Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);

/** A map as the middle quarter of a picture in `factor` of its size. */
export async function gainMap({
	width = 400,
	height = 240,
	factor = 4,
	says = `hdrgm:Version="1.0" ${NUMBERS}`,
	segments = [],
	channels = [(value) => value],
}: Made = {}): Promise<Uint8Array> {
	const image = quarters(width / factor, height / factor, ({ value }) => channels.map((channel) => channel(value)));
	const jpeg = await image.jpeg({ quality: 95, chromaSubsampling: "4:4:4" }).toBuffer();
	return withSegments(jpeg, [...(says ? [xmp(says)] : []), ...segments]);
}

/** With the rights of Ann, a place, and a map. */
export async function ultraHdr(made: Made = {}): Promise<Uint8Array<ArrayBuffer>> {
	const { width = 400, height = 240, orientation = 1 } = made;
	const map = made.map ?? (await gainMap(made));
	const plain = await quarters(width, height, ({ colour }) => colour)
		.withExif({ IFD0: { Copyright: "Rights of Ann" }, IFD3: { GPSLatitude: "51/1 30/1 0/1" } })
		.withMetadata({ orientation })
		.jpeg({ quality: 95, chromaSubsampling: "4:4:4" })
		.toBuffer();
	const announcement = xmp('hdrgm:Version="1.0"');
	const index = Buffer.alloc(8 + 2 + 3 * 12 + 4 + 32);
	const at = 2 + announcement.length + 4 + 4;
	const pictureBytes = plain.length + announcement.length + 4 + 4 + index.length;
	index.set([...text("MM\0*\0\0\0\x08\0\x03")]);
	const tags = [
		[0xb000, 7, 4, 0x30313030],
		[0xb001, 4, 1, 2],
		[0xb002, 7, 32, 50],
	];
	for (const [place, [tag = 0, type = 0, count = 0, value = 0]] of tags.entries()) {
		index.writeUInt16BE(tag, 10 + place * 12);
		index.writeUInt16BE(type, 12 + place * 12);
		index.writeUInt32BE(count, 14 + place * 12);
		index.writeUInt32BE(value, 18 + place * 12);
	}
	index.writeUInt32BE(0x030000, 50);
	index.writeUInt32BE(pictureBytes, 54);
	index.writeUInt32BE(map.length, 70);
	index.writeUInt32BE(pictureBytes - at, 74);
	const picture = withSegments(plain, [announcement, segment(0xe2, text("MPF\0"), index)]);
	return new Uint8Array(Buffer.concat([picture, map]));
}

/** Where each image of a file lies, by the index in it, which has to be right; one without an index. */
export function imagesOf(file: Uint8Array): readonly Uint8Array[] {
	const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
	const base = bytes.indexOf("MPF\0") + 4;
	if (base < 4) return [file];
	const [first, second, start] = [54, 70, 74].map((place) => bytes.readUInt32BE(base + place));
	return [file.subarray(0, first), file.subarray(base + (start ?? 0), base + (start ?? 0) + (second ?? 0))];
}
