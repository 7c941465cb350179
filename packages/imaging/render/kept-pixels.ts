import { LeastRecent } from "@svc/base/pace/least-recent";
import type { Extent } from "@svc/images/layout/extent";
import type { Metadata, Sharp } from "sharp";
import { sharp } from "../sharp-settings.ts";

/** What a master of four megapixels has, and half of it for its copy. */
const MOST_KEPT_BYTES = 16 * 1_024 ** 2;
const MOST_KEPT_MAP_BYTES = 1_024 ** 2;
/** Red, green and blue. */
const KEPT_CHANNELS = 3;

/** All pixels of an upright picture in sRGB, three bytes each. */
export interface Pixels extends Extent {
	readonly data: Uint8Array;
}

/** Pictures that were read last: a page shows each of them in a few sizes. */
const REMEMBERED = 8;

/** What keeping the pixels of a picture takes; undefined where they are too many. */
export function keptBytes({ width, height }: Extent): number | undefined {
	const bytes = width * height * KEPT_CHANNELS;
	return bytes <= MOST_KEPT_BYTES ? bytes : undefined;
}

/** Whether a file is stored upright, in colours that are shown in sRGB: its pixels then are what any rendition is made of. */
export function isPlainJpeg({ format, space, orientation = 1 }: Metadata): boolean {
	return format === "jpeg" && space === "srgb" && orientation === 1;
}

/** Undefined for a picture that has other channels than red, green and blue. */
export async function allPixels(image: Sharp, timeoutSeconds: number): Promise<Pixels | undefined> {
	const { data, info } = await image
		.toColourspace("srgb")
		.timeout({ seconds: timeoutSeconds })
		.raw()
		.toBuffer({ resolveWithObject: true });
	const { width, height, channels } = info;
	return channels === KEPT_CHANNELS ? { data, width, height } : undefined;
}

export function ofPixels({ data, width, height }: Pixels): Sharp {
	return sharp(data, { raw: { width, height, channels: KEPT_CHANNELS } });
}

/**
 * The pixels of the files that a worker read last, for their next renditions: reading a JPEG is most of what a small one costs. They are dropped
 * when others need their room, and end with their worker, which goes to rest soon. A name stands for the same bytes at all times.
 */
export class KeptPixels {
	/** The least recently used first. */
	readonly #kept = new Map<string, Pixels>();
	readonly #read = new LeastRecent<string, true>(REMEMBERED);
	readonly #maps = new LeastRecent<string, Uint8Array>(REMEMBERED);

	/** To be called once for each rendition of a picture, whatever it is made of. Says whether there was one a moment ago. */
	isAgain(picture: string): boolean {
		const isAgain = this.#read.has(picture);
		this.#read.set(picture, true);
		return isAgain;
	}

	/** The gain map of that picture, where it was read a moment ago. */
	findMap(name: string): Uint8Array | undefined {
		return this.#maps.get(name);
	}

	keepMap(name: string, map: Uint8Array): void {
		if (map.length <= MOST_KEPT_MAP_BYTES) this.#maps.set(name, map);
	}

	find(name: string): Pixels | undefined {
		return this.#kept.get(name);
	}

	/** As the ones used last. @param pixels - no more than `keptBytes` allows */
	keep(name: string, pixels: Pixels): void {
		this.#kept.delete(name);
		this.#kept.set(name, pixels);
		let bytes = [...this.#kept.values()].reduce((sum, { data }) => sum + data.length, 0);
		for (const [oldest, { data }] of this.#kept) {
			if (bytes <= MOST_KEPT_BYTES) break;
			this.#kept.delete(oldest);
			bytes -= data.length;
		}
	}
}
