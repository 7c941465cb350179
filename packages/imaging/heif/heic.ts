import { readFile } from "node:fs/promises";
import type { Extent } from "@svc/images/layout/extent";
import { findHeifNumbers } from "../colours/heif-numbers.ts";
import { DISPLAY_P3, isSrgb, SRGB_CURVE } from "../colours/numbers.ts";
import { profileOf } from "../colours/profile.ts";
import { toneMap } from "../colours/tone-map.ts";
import { type ToneTable, toneTable } from "../colours/tone-table.ts";
import type { HeicMaster } from "./heic-master.ts";
import { underKnownBrand } from "./heif-brands.ts";

interface HeicTask {
	readonly path: string;
	readonly maxPixels: number;
}

/**
 * Makes the master of a HEIC from its primary picture, strictly decoded and upright. In this process, which its owner has to end after a refusal
 * that does not blame the file: WebAssembly may be in no state to go on. What it takes to decode HEVC is loaded with the first picture that needs it.
 * @throws Refusal when it is not whole, not HEVC or too large
 */
export async function convertHeic({ path, maxPixels }: HeicTask): Promise<HeicMaster & Extent> {
	const { decodeHeic, ready } = await import("./libheif.ts");
	const { heicMaster } = await import("./heic-master.ts");
	const { sharp } = await import("../sharp-settings.ts");
	await ready;
	const file = await readFile(path);
	const { icc: own, ...descriptions } = await sharp(await underKnownBrand(file, "heic")).metadata();
	const { icc = own, shown } = own ? {} : await coloursOf(file);
	const picture = decodeHeic(file, maxPixels, shown);
	const { width, height } = picture;
	return { ...(await heicMaster(picture, { ...descriptions, icc })), width, height };
}

/** The profile that a master is to have for what numbers say; of what holds more light than that can, what is shown, in Display P3. */
async function coloursOf(file: Uint8Array): Promise<{ icc?: Uint8Array | undefined; shown?: ToneTable | undefined }> {
	const numbers = await findHeifNumbers(file);
	if (!numbers || isSrgb(numbers)) return {};
	const mapped = toneMap(numbers, DISPLAY_P3);
	if (!mapped) return { icc: profileOf(numbers) };
	return { icc: profileOf({ primaries: DISPLAY_P3, transfer: SRGB_CURVE }), shown: toneTable(mapped) };
}
