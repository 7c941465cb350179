import { readFile } from "node:fs/promises";
import { LeastRecent } from "@svc/base/pace/least-recent";
import type { Metadata } from "sharp";
import { ascii } from "../bytes.ts";
import { unlessBroken } from "../heif/boxes.ts";
import { boxOf, type Description, findDescription, referencesOf, withProperty } from "../heif/primary.ts";
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

/** What a file says of its colours that its decoder does not know. */
export interface SaidColours {
	/** Undefined where a profile counts, and for sRGB. */
	readonly numbers?: ColourNumbers | undefined;
	readonly isPremultiplied?: boolean;
	/** Of an AVIF. */
	readonly description?: Description | undefined;
}

export async function saidColours(
	input: string | Uint8Array,
	{ format, icc, hasAlpha }: Metadata,
): Promise<SaidColours> {
	const unlessSrgb = (numbers: ColourNumbers | undefined) => (numbers && !isSrgb(numbers) ? numbers : undefined);
	if (format === "png") return { numbers: unlessSrgb(await withBytesOf(input, pngNumbers)) };
	if (format !== "heif" || (icc && !hasAlpha)) return {};
	try {
		const description = await withBytesOf(input, findDescription);
		if (!description) return {};
		const isPremultiplied = hasAlpha && referencesOf(description, "prem").length > 0;
		return { description, numbers: unlessSrgb(heifNumbers(description)), isPremultiplied };
	} catch (error) {
		return unlessBroken(error) ?? {};
	}
}

/**
 * The picture in whose colours it is seen: the very same, unless it is premultiplied, or says by numbers that it is in others than sRGB. Then the
 * profile is not the file's own, and the header has none, but for greys, of whose 16 bits it has to be known.
 */
export async function inSaidColours(input: string | Uint8Array, header: Metadata): Promise<Readable> {
	const { numbers, isPremultiplied, description } = await saidColours(input, header);
	if (isPremultiplied) return await straight(input, header, numbers);
	const icc = numbers && profileFor(numbers, header);
	const copy = icc && withProfile(await bytesOf(input), header, icc, description);
	return copy ? { input: copy, header: profiled(header, numbers, icc) } : { input, header };
}

async function straight(
	input: string | Uint8Array,
	header: Metadata,
	numbers: ColourNumbers | undefined,
): Promise<Readable> {
	const shallow = { ...header, space: "srgb", depth: "uchar" } as const;
	const icc = numbers && profileFor(numbers, shallow);
	const png = await straightPng(input, header, icc ?? header.icc);
	return { input: png, header: numbers && icc ? profiled(shallow, numbers, icc) : shallow };
}

function withProfile(
	file: Uint8Array,
	header: Metadata,
	icc: Uint8Array,
	description: Description | undefined,
): Uint8Array | undefined {
	if (!description) return described(file, "png", { icc }, header);
	return withProperty(file, description, boxOf("colr", ascii("prof"), icc));
}

function profiled(header: Metadata, numbers: ColourNumbers, icc: Uint8Array): Header {
	if (isGrey(header)) return { ...header, icc: Buffer.from(icc) };
	// A table of colours is read too roughly where there are 8.
	return { ...header, icc: undefined, ...(isBright(numbers) && { pipeline: "rgb16" }) };
}

function isGrey({ space }: Pick<Metadata, "space">): boolean {
	return space === "b-w" || space === "grey16";
}

export async function bytesOf(input: string | Uint8Array): Promise<Uint8Array> {
	return typeof input === "string" ? await readFile(input) : input;
}

/** A page shows several sizes of a picture, and a table of colours takes longer to make than most of them. */
const KEPT_PROFILES = 4;
const keptProfiles = new LeastRecent<string, Uint8Array | undefined>(KEPT_PROFILES);

/** Undefined for what is no colour. */
function profileFor(numbers: ColourNumbers, header: Pick<Metadata, "space">): Uint8Array | undefined {
	const options: ProfileOptions = {
		isGrey: isGrey(header),
		isTakenForSrgb: header.space === "rgb16" || isBright(numbers),
	};
	const key = JSON.stringify([numbers, options]);
	const found = keptProfiles.get(key) ?? profileOf(numbers, options);
	keptProfiles.set(key, found);
	return found;
}
