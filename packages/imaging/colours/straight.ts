import type { Metadata } from "sharp";
import { described } from "../render/container.ts";
import { sharp } from "../sharp-settings.ts";

/** By the clock on the wall, so generous: the machine may be busy with others. */
const TIMEOUT_SECONDS = 60;

/** Colours that were stored as darker as they are more transparent, which neither JPEG nor PNG know. */
export function straighten(rgba: Uint8Array): void {
	for (let at = 0; at < rgba.length; at += 4) {
		const alpha = rgba[at + 3] ?? 0;
		if (alpha === 0 || alpha === 255) continue;
		for (let channel = at; channel < at + 3; channel++) {
			rgba[channel] = Math.min(255, Math.round(((rgba[channel] ?? 0) * 255) / alpha));
		}
	}
}

/** A premultiplied picture as a PNG of 8 bits that is not, upright, with this profile: its decoder passes the numbers on as they are stored. */
export async function straightPng(
	input: string | Uint8Array,
	header: Metadata,
	icc: Uint8Array | undefined,
): Promise<Uint8Array> {
	const { data, info } = await sharp(input, { limitInputPixels: false, failOn: "error", ignoreIcc: true })
		.toColourspace("srgb")
		.timeout({ seconds: TIMEOUT_SECONDS })
		.raw()
		.toBuffer({ resolveWithObject: true });
	const { width, height, channels } = info;
	if (channels === 4) straighten(data);
	const image = sharp(data, { raw: { width, height, channels }, limitInputPixels: false });
	const png = await image.png({ compressionLevel: 0, adaptiveFiltering: false }).toBuffer();
	return described(png, "png", { icc }, header);
}
