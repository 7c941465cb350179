import { readFile } from "node:fs/promises";
import type { Metadata } from "sharp";
import { ascii } from "../bytes.ts";
import { boxOf, findDescription, referencesOf, withProperty } from "../heif/primary.ts";
import { described } from "../render/container.ts";
import type { Header } from "../sharp-settings.ts";
import { withBytesOf } from "./bytes-at.ts";
import { heifNumbers } from "./heif-numbers.ts";
import { type ColourNumbers, isBright, isSrgb } from "./numbers.ts";
import { pngNumbers } from "./png-numbers.ts";
import { type ProfileOptions, profileOf } from "./profile.ts";
import { straightPng } from "./straight.ts";

/* What a file says about its colours, as far as the decoders do not know it, is told them in a copy: what numbers say by a profile. */

/** A picture as it is to be read, with its header. */
export interface Readable {
	readonly input: string | Uint8Array;
	readonly header: Header;
}

/**
 * The picture in whose colours it is seen: the very same, unless it is premultiplied, or says by numbers that it is in others than sRGB. Then the
 * profile is not the file's own, and the header has none, but for greys, of whose 16 bits it has to be known.
 */
export async function inSaidColours(input: string | Uint8Array, header: Metadata): Promise<Readable> {
	const { format } = header;
	if (format === "png") return await pngInSaidColours(input, header);
	if (format !== "heif" || (header.icc && !header.hasAlpha)) return { input, header };
	return (await heifInSaidColours(input, header).catch(noBoxes)) ?? { input, header };
}

async function pngInSaidColours(input: string | Uint8Array, header: Metadata): Promise<Readable> {
	const numbers = await withBytesOf(input, pngNumbers);
	const icc = numbers && profileFor(numbers, header);
	if (!icc) return { input, header };
	return { input: described(await bytesOf(input), "png", { icc }, header), header: profiled(header, numbers, icc) };
}

async function heifInSaidColours(input: string | Uint8Array, header: Metadata): Promise<Readable | undefined> {
	const description = await withBytesOf(input, findDescription);
	if (!description) return undefined;
	const numbers = heifNumbers(description);
	if (header.hasAlpha && referencesOf(description, "prem").length > 0) {
		const shallow = { ...header, space: "srgb", depth: "uchar" } as const;
		const icc = header.icc ?? (numbers && profileFor(numbers, shallow));
		const input8 = await straightPng(input, header, icc);
		return { input: input8, header: header.icc || !numbers || !icc ? shallow : profiled(shallow, numbers, icc) };
	}
	const icc = numbers && profileFor(numbers, header);
	const copy = icc && withProperty(await bytesOf(input), description, boxOf("colr", ascii("prof"), icc));
	return copy && { input: copy, header: profiled(header, numbers, icc) };
}

function profiled(header: Metadata, numbers: ColourNumbers, icc: Uint8Array): Header {
	if (isGrey(header)) return { ...header, icc: Buffer.from(icc) };
	// A table of colours is read too roughly where there are 8.
	return { ...header, icc: undefined, ...(isBright(numbers) && { pipeline: "rgb16" }) };
}

function isGrey({ space }: Pick<Metadata, "space">): boolean {
	return space === "b-w" || space === "grey16";
}

async function bytesOf(input: string | Uint8Array): Promise<Uint8Array> {
	return typeof input === "string" ? await readFile(input) : input;
}

/** A file that was taken before boxes were followed is read as it is. */
function noBoxes(error: unknown): undefined {
	if (!(error instanceof RangeError)) throw error;
}

/** A page shows several sizes of a picture, and a table of colours takes longer to make than most of them. */
const KEPT_PROFILES = 4;
const keptProfiles = new Map<string, Uint8Array | undefined>();

/** Undefined for sRGB, and for what is no colour. */
function profileFor(numbers: ColourNumbers, header: Pick<Metadata, "space">): Uint8Array | undefined {
	if (isSrgb(numbers)) return undefined;
	const options: ProfileOptions = {
		isGrey: isGrey(header),
		isTakenForSrgb: header.space === "rgb16" || isBright(numbers),
	};
	const key = JSON.stringify([numbers, options]);
	const found = keptProfiles.get(key) ?? profileOf(numbers, options);
	keptProfiles.delete(key);
	keptProfiles.set(key, found);
	const [oldest] = keptProfiles.keys();
	if (keptProfiles.size > KEPT_PROFILES && oldest !== undefined) keptProfiles.delete(oldest);
	return found;
}
