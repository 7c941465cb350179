import { createRequire } from "node:module";
import type Opened from "sharp";
import type { Metadata, Sharp, SharpInput, SharpOptions } from "sharp";

const require = createRequire(import.meta.url);

let opened: typeof Opened | undefined;

/**
 * Opens libvips in this process, unless it is open. Workers do so before their first order; the service reads what steps cost in the modules that
 * use it, and never opens it.
 */
export function openSharp(): typeof Opened {
	opened ??= settled(require("sharp"));
	return opened;
}

/** The only way to sharp in this process: its settings belong to the process, not to a call, so they are made once, before its first use. */
export function sharp(input?: SharpInput | SharpInput[] | SharpOptions, options?: SharpOptions): Sharp {
	return openSharp()(input as SharpInput, options);
}

function settled(sharp: typeof Opened): typeof Opened {
	// One thread per picture: the queue in front already fills the cores, and more threads only cost memory.
	sharp.concurrency(1);
	// Every rendition is asked for once and then cached on disk; libvips' own cache would only hold pixels that are not asked for again.
	sharp.cache(false);
	// libvips chooses a loader by looking at the bytes, so a file that lies about itself could reach any of about twenty parsers.
	// All are closed, then those of the accepted formats opened: a loader that a later libvips brings along stays closed.
	sharp.block({ operation: ["VipsForeignLoad"] });
	sharp.unblock({
		operation: [
			"VipsForeignLoadJpeg",
			"VipsForeignLoadPng",
			"VipsForeignLoadWebp",
			"VipsForeignLoadNsgif",
			"VipsForeignLoadHeif",
		],
	});
	return sharp;
}

/** What 16 bits a sample become before anything else. */
const EIGHT_BITS: ReadonlyMap<string | undefined, string> = new Map([
	["rgb16", "srgb"],
	["grey16", "b-w"],
]);

/** What a file says about itself, and what has to be known of the file that is read in its place. */
export interface Header extends Metadata {
	/** In how many bits its colours are converted, whatever it has. */
	readonly pipeline?: "rgb16";
}

/**
 * Has a file read in the colours that its profile says, whatever its depth. Of 16 bits a sample, sharp takes colours to Display P3 and
 * leaves them there, and does not look at the profile of greys; from 8 bits it takes both to sRGB.
 */
export function inProfile(image: Sharp, { space, icc, pipeline }: Pick<Header, "space" | "icc" | "pipeline">): Sharp {
	const way = pipeline ?? (icc && EIGHT_BITS.get(space));
	return way === undefined ? image : image.pipelineColourspace(way);
}
