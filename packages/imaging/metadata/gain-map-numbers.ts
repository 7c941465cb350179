import { viewOf } from "../bytes.ts";
import type { GainMapProperty } from "./gain-map-xmp.ts";

/* The numbers by which a gain map is applied, as ISO 21496-1 and as the XMP of Ultra HDR say them: not every reader reads both. */

/** Of each channel, in the order of ISO 21496-1, by their names in XMP; some may be negative. */
const FIELDS = [
	{ name: "GainMapMin", usual: 0, signed: true },
	{ name: "GainMapMax", usual: Number.NaN, signed: true },
	{ name: "Gamma", usual: 1, signed: false },
	{ name: "OffsetSDR", usual: 1 / 64, signed: true },
	{ name: "OffsetHDR", usual: 1 / 64, signed: true },
] as const;

export interface GainMapNumbers {
	/** For all colours, or for red, green and blue: {@link FIELDS}. */
	readonly channels: readonly (readonly number[])[];
	/** How many times brighter than white a screen is where the map begins to count, and where it counts in full; both as powers of two. */
	readonly capacity: readonly [min: number, max: number];
	/** Whether it is applied in the colours of the picture, and not in those of the map's own profile. */
	readonly inPicture: boolean;
}

const CHANNELS_DIFFER = 0x80;
const IN_PICTURE = 0x40;
const ONE_DENOMINATOR = 0x08;
const HEAD_BYTES = 5;
/** No camera sees more: sixteen million times white. */
const MOST_STOPS = 24;
/** What all fractions are written in. */
const DENOMINATOR = 1_000_000;

/** @param payload what follows the mark. Undefined for a map that makes a bright picture dark, and for numbers that no map has. */
export function numbersOfIso(payload: Uint8Array): GainMapNumbers | undefined {
	const view = viewOf(payload);
	if (payload.length < HEAD_BYTES || view.getUint16(0) !== 0) return undefined;
	const flags = view.getUint8(4);
	const count = flags & CHANNELS_DIFFER ? 3 : 1;
	const fractions = 2 + FIELDS.length * count;
	const isShared = (flags & ONE_DENOMINATOR) !== 0;
	if (payload.length < HEAD_BYTES + 4 * (isShared ? 1 + fractions : 2 * fractions)) return undefined;
	const shared = isShared ? view.getUint32(HEAD_BYTES) : undefined;
	let at = HEAD_BYTES + (isShared ? 4 : 0);
	const next = (signed: boolean) => {
		const start = at;
		at += isShared ? 4 : 8;
		return (signed ? view.getInt32(start) : view.getUint32(start)) / (shared ?? view.getUint32(start + 4));
	};
	const capacity = [next(false), next(false)] as const;
	const channels = Array.from({ length: count }, () => FIELDS.map(({ signed }) => next(signed)));
	return sane({ channels, capacity, inPicture: (flags & IN_PICTURE) !== 0 });
}

/** The same of what XMP says. */
export function numbersOfXmp(properties: readonly GainMapProperty[]): GainMapNumbers | undefined {
	const said = new Map(properties.filter(({ prefix }) => prefix === "hdrgm").map(({ name, values }) => [name, values]));
	if (said.get("BaseRenditionIsHDR")?.[0]?.toLowerCase() === "true") return undefined;
	const find = (name: string, usual: number, channel = 0) => {
		const values = said.get(name) ?? [];
		return Number(values[channel] ?? values[0] ?? usual);
	};
	const isOne = FIELDS.every(({ name }) => (said.get(name)?.length ?? 1) === 1);
	const channels = [0, 1, 2]
		.slice(0, isOne ? 1 : 3)
		.map((channel) => FIELDS.map(({ name, usual }) => find(name, usual, channel)));
	const brightest = Math.max(...channels.map(([, max = 0]) => max));
	const capacity = [find("HDRCapacityMin", 0), find("HDRCapacityMax", brightest)] as const;
	return sane({ channels, capacity, inPicture: true });
}

function sane(numbers: GainMapNumbers): GainMapNumbers | undefined {
	const { channels, capacity } = numbers;
	const inBounds = [...capacity, ...channels.flat()].every((number) => Math.abs(number) <= MOST_STOPS);
	const brightens = capacity[0] >= 0 && capacity[0] < capacity[1];
	const rises = channels.every(([min = 0, max = 0, gamma = 0]) => min <= max && gamma > 0);
	return inBounds && brightens && rises ? numbers : undefined;
}

/** What follows the mark. */
export function isoOf({ channels, capacity, inPicture }: GainMapNumbers): Uint8Array<ArrayBuffer> {
	const fractions = [...capacity, ...channels.flat()];
	const payload = new Uint8Array(HEAD_BYTES + 8 * fractions.length);
	const view = viewOf(payload);
	view.setUint8(4, (channels.length > 1 ? CHANNELS_DIFFER : 0) | (inPicture ? IN_PICTURE : 0));
	for (const [place, fraction] of fractions.entries()) {
		view.setInt32(HEAD_BYTES + 8 * place, Math.round(fraction * DENOMINATOR));
		view.setUint32(HEAD_BYTES + 8 * place + 4, DENOMINATOR);
	}
	return payload;
}

/** What a picture says to announce its map, and a map before its numbers. */
export const ANNOUNCED = [{ prefix: "hdrgm", name: "Version", values: ["1.0"] }] as const satisfies GainMapProperty[];

export function propertiesOf({ channels, capacity }: GainMapNumbers): readonly GainMapProperty[] {
	const said = (name: string, numbers: readonly number[]): GainMapProperty => {
		return { prefix: "hdrgm", name, values: numbers.map((number) => number.toFixed(6)) };
	};
	return [
		...ANNOUNCED,
		{ prefix: "hdrgm", name: "BaseRenditionIsHDR", values: ["False"] },
		...FIELDS.map(({ name }, place) =>
			said(
				name,
				channels.map((channel) => channel[place] ?? 0),
			),
		),
		said("HDRCapacityMin", [capacity[0]]),
		said("HDRCapacityMax", [capacity[1]]),
	];
}
