import { readFileSync } from "node:fs";
import type { RawPicture } from "@svc/finders/picture";
import { ANALYSIS_SIDE } from "@svc/images/transform/analysis";
import sharp from "sharp";

/** The analysis picture of a file. */
export async function analysed(path: string): Promise<RawPicture> {
	const { data, info } = await sharp(path)
		.autoOrient()
		.flatten({ background: "#ffffff" })
		.resize(ANALYSIS_SIDE, ANALYSIS_SIDE, { fit: "inside", withoutEnlargement: true })
		.toColourspace("srgb")
		.raw()
		.toBuffer({ resolveWithObject: true });
	return { data, width: info.width, height: info.height };
}

/** Green, and red where `inBox` says so. */
export function boxed(width: number, height: number, inBox: (x: number, y: number) => boolean): RawPicture {
	const data = new Uint8Array(width * height * 3);
	for (let index = 0; index < width * height; index++) {
		const inside = inBox(index % width, Math.floor(index / width));
		data.set(inside ? [220, 40, 30] : [60, 110, 70], index * 3);
	}
	return { data, width, height };
}

/** In bytes; of the process's whole life or of this moment. */
export function memory(pid: number | undefined, which: "VmHWM" | "VmRSS"): number {
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	return Number(new RegExp(`${which}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
}
