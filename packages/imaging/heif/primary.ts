import { ascii, concat, latin1, viewOf } from "../bytes.ts";
import type { BytesAt } from "../colours/bytes-at.ts";
import { boxes, type HeifBox, numbersOf } from "./boxes.ts";

/* What the container of an AVIF or a HEIC says about its primary picture: its properties and what refers to it (ISO/IEC 23008-12). */

/** As many boxes as any program writes before the description, many times over. */
const MAX_BOXES = 100;
/** Of a description: that of thousands of tiles is smaller. */
const MAX_DESCRIPTION_BYTES = 8_000_000;
/** Of a list of properties, and of those that one picture has: both are counted in a byte. */
const MOST_PROPERTIES = 255;
const WIDE = 1;

/** The description of a file, which is its box `meta`. */
export interface Description {
	/** Where the box begins in the file. */
	readonly offset: number;
	/** The box, whole. */
	readonly bytes: Uint8Array;
	readonly parts: readonly HeifBox[];
	/** The number of the primary picture. */
	readonly primary: number;
}

/** @throws RangeError when boxes cannot be followed */
export async function findDescription(at: BytesAt): Promise<Description | undefined> {
	let offset = 0;
	for (let count = 0; count < MAX_BOXES; count++) {
		const head = await at(offset, 16);
		if (head.length < 8) return undefined;
		const view = viewOf(head);
		const short = view.getUint32(0);
		const size = short === 1 && head.length === 16 ? Number(view.getBigUint64(8)) : short;
		if (latin1(head.subarray(4, 8)) === "meta") return await readDescription(at, offset, size);
		if (size < 8) return undefined;
		offset += size;
	}
	return undefined;
}

async function readDescription(at: BytesAt, offset: number, size: number): Promise<Description | undefined> {
	if (size > MAX_DESCRIPTION_BYTES) return undefined;
	return describedBy(await at(offset, size === 0 ? MAX_DESCRIPTION_BYTES : size), offset);
}

/**
 * @param bytes - of a box `meta`, which begins at `offset`
 * @throws RangeError when boxes cannot be followed
 */
export function describedBy(bytes: Uint8Array, offset: number): Description | undefined {
	const [meta] = boxes(bytes, 0, bytes.length);
	if (!meta) return undefined;
	const parts = [...boxes(bytes, meta.start + 4, meta.end)];
	const item = parts.find(({ type }) => type === "pitm");
	if (!item) return undefined;
	const read = numbersOf(bytes, item);
	const version = read(1);
	read(3);
	return { offset, bytes, parts, primary: read(version === 0 ? 2 : 4) };
}

/** What a picture has. */
interface Associations {
	readonly item: number;
	/** From 1 on in the list of all properties; the highest bit says that a reader has to know it. */
	readonly properties: number[];
}

interface AssociationBox {
	readonly box: HeifBox;
	readonly version: number;
	readonly entries: Associations[];
}

function inside({ bytes, parts }: Description, ...path: readonly string[]): HeifBox[] {
	let found = [...parts];
	for (const [depth, type] of path.entries()) {
		if (depth > 0) found = found.flatMap((box) => [...boxes(bytes, box.start, box.end)]);
		found = found.filter((box) => box.type === type);
	}
	return found;
}

function propertyBoxes(description: Description): readonly HeifBox[] {
	return inside(description, "iprp", "ipco").flatMap(({ start, end }) => [...boxes(description.bytes, start, end)]);
}

function associationsOf(description: Description): readonly AssociationBox[] {
	return inside(description, "iprp", "ipma").map((box) => {
		const read = numbersOf(description.bytes, box);
		const version = read(1);
		const isWide = (read(3) & WIDE) === 1;
		const entries = Array.from({ length: read(4) }, () => {
			const item = read(version === 0 ? 2 : 4);
			const properties = Array.from({ length: read(1) }, () => (isWide ? read(2) : widened(read(1))));
			return { item, properties };
		});
		return { box, version, entries };
	});
}

function widened(property: number): number {
	return ((property & 0x80) << 8) | (property & 0x7f);
}

/** The contents of those of the primary picture's properties that are of this type. Of a picture of tiles that has none, its first tile's. */
export function propertiesOf(description: Description, type: string): readonly Uint8Array[] {
	return propertyBoxesOf(description, type).map(({ start, end }) => description.bytes.subarray(start, end));
}

/** The same as boxes, which lie in the description. */
export function propertyBoxesOf(description: Description, type: string): readonly HeifBox[] {
	const all = propertyBoxes(description);
	const entries = associationsOf(description).flatMap((box) => box.entries);
	const of = (item: number) =>
		entries
			.filter((entry) => entry.item === item)
			.flatMap(({ properties }) => properties.map((property) => all[(property & 0x7fff) - 1]))
			.filter((box) => box !== undefined)
			.filter((box) => box.type === type);
	const own = of(description.primary);
	const [tile] = referencesOf(description, "dimg");
	return own.length > 0 || tile === undefined ? own : of(tile);
}

/** The pictures that the primary one refers to in this way. */
export function referencesOf(description: Description, type: string): readonly number[] {
	const { bytes, parts, primary } = description;
	const found: number[] = [];
	for (const list of parts.filter((box) => box.type === "iref")) {
		const idBytes = bytes[list.start] === 0 ? 2 : 4;
		for (const box of boxes(bytes, list.start + 4, list.end)) {
			if (box.type !== type) continue;
			const read = numbersOf(bytes, box);
			const from = read(idBytes);
			const to = Array.from({ length: read(2) }, () => read(idBytes));
			if (from === primary) found.push(...to);
		}
	}
	return found;
}

/**
 * The file with one more property of its primary picture. Everything but the description stays where it is, since offsets say where the pixels
 * lie: the new one comes last, and the old one is room that nobody reads. Undefined where there is no place for one more.
 */
export function withProperty(
	file: Uint8Array,
	description: Description,
	property: Uint8Array,
): Uint8Array<ArrayBuffer> | undefined {
	const { bytes, offset, primary } = description;
	const [list, ...more] = inside(description, "iprp", "ipco");
	const [iprp] = inside(description, "iprp");
	const index = propertyBoxes(description).length + 1;
	const found = associationsOf(description).find(({ entries }) => entries.some(({ item }) => item === primary));
	const entry = found?.entries.find(({ item }) => item === primary);
	if (!list || !iprp || !found || !entry || more.length > 0 || entry.properties.length >= MOST_PROPERTIES)
		return undefined;
	entry.properties.push(index);
	const [meta] = boxes(bytes, 0, bytes.length);
	if (!meta) return undefined;
	const renewed = (box: HeifBox) => {
		if (box === list || box.start === list.start) return boxOf("ipco", bytes.subarray(list.start, list.end), property);
		return box.start === found.box.start ? boxOf("ipma", written(found)) : wholeBox(bytes, box);
	};
	const properties = boxOf("iprp", ...[...boxes(bytes, iprp.start, iprp.end)].map(renewed));
	const parts = description.parts.map((box) => (box.start === iprp.start ? properties : wholeBox(bytes, box)));
	const copy = concat([file, boxOf("meta", bytes.subarray(meta.start, meta.start + 4), ...parts)]);
	copy.set(ascii("free"), offset + 4);
	endLast(copy, file.length);
	return copy;
}

/** What goes on to the end of the file has to end before what is put there. */
function endLast(copy: Uint8Array, end: number): void {
	const view = viewOf(copy);
	let at = 0;
	while (at + 8 <= end) {
		const short = view.getUint32(at);
		if (short === 0) view.setUint32(at, end - at);
		const size = short === 1 ? Number(view.getBigUint64(at + 8)) : short;
		if (size < 8) return;
		at += size;
	}
}

function written({ version, entries }: AssociationBox): Uint8Array {
	const numbers: number[] = [version, 0, 0, WIDE];
	const push = (value: number, byteCount: number) => {
		for (let byte = byteCount - 1; byte >= 0; byte--) numbers.push(Math.floor(value / 256 ** byte) % 256);
	};
	push(entries.length, 4);
	for (const { item, properties } of entries) {
		push(item, version === 0 ? 2 : 4);
		push(properties.length, 1);
		for (const property of properties) push(property, 2);
	}
	return Uint8Array.from(numbers);
}

function wholeBox(bytes: Uint8Array, { type, start, end }: HeifBox): Uint8Array {
	return boxOf(type, bytes.subarray(start, end));
}

/** @param content - all parts of it, one behind the other */
export function boxOf(type: string, ...content: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const box = concat([new Uint8Array(4), ascii(type), ...content]);
	viewOf(box).setUint32(0, box.length);
	return box;
}
