import { readFile } from "node:fs/promises";
import type { Extent } from "@svc/images/transform/extent";
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
	const descriptions = await sharp(await underKnownBrand(file, "heic")).metadata();
	const picture = decodeHeic(file, maxPixels);
	const { width, height } = picture;
	return { ...(await heicMaster(picture, descriptions)), width, height };
}
