import type { Extent } from "@svc/images/layout/extent";
import { bothTurns, turnedExtent, turnOfOrientation } from "@svc/images/layout/turn";
import type { Master } from "@svc/images/ports";
import { hasGainMap } from "@svc/images/transform/mends";
import { coversCanvas } from "@svc/images/transform/plainest";
import { keepsLight } from "@svc/images/transform/transform";
import type { Sharp } from "sharp";
import { type CarriedGainMap, carriedGainMap } from "../metadata/carried-gain-map.ts";
import { findGainMap } from "../metadata/gain-map.ts";
import { withDescriptions } from "../metadata/gain-map-xmp.ts";
import { sharp } from "../sharp-settings.ts";
import type { Descriptions } from "./container.ts";
import type { KeptPixels } from "./kept-pixels.ts";
import { samePart } from "./part.ts";
import type { RenderJob } from "./step.ts";

/** Phones write a quarter of the picture's sides or half of them, programs up to all of them; a larger one is not decoded. */
const MAX_PIXELS = 50_000_000;
/** Steps of a smooth map show as bands of light. */
const QUALITY = 85;

/**
 * The map of a rendition that shows the high dynamic range which its master is known to have: that of the master, cut, turned and resized along with
 * the picture. Undefined for one that is broken, or that says what cannot be followed: the picture is shown without it.
 * @param proven awaited before the master is read; a throw ends the work
 */
export async function gainMapFor(
	job: RenderJob,
	master: Master,
	kept: KeptPixels,
	proven: () => Promise<void>,
): Promise<CarriedGainMap | undefined> {
	if (!isBright(job, master)) return undefined;
	const map = await findMap(master, kept, proven);
	try {
		return map && carriedGainMap(map, await laidOutAlong(map, job));
	} catch {
		// What follows a picture was never proven to be one.
		return undefined;
	}
}

function isBright({ source, transform, aids, layout }: RenderJob, { format }: Master): boolean {
	return (
		hasGainMap(aids.mends) === true && source.frames === 1 && keepsLight(transform, format) && coversCanvas(layout)
	);
}

/** No copy has it. Of a master that was read a moment ago it is there still. */
async function findMap(
	{ blob }: Master,
	kept: KeptPixels,
	proven: () => Promise<void>,
): Promise<Uint8Array | undefined> {
	const known = blob.sha256 && kept.findMap(blob.sha256);
	if (known) return known;
	await proven();
	const map = findGainMap(await blob.read())?.bytes;
	if (map && blob.sha256) kept.keepMap(blob.sha256, map);
	return map;
}

/** Undefined where they cannot say it. */
export function announcing(descriptions: Descriptions | undefined, map: CarriedGainMap): Descriptions | undefined {
	if (map.announcement.length === 0) return descriptions ?? {};
	const xmp = withDescriptions(descriptions?.xmp, map.announcement);
	return xmp && { ...descriptions, xmp };
}

async function laidOutAlong(map: Uint8Array, job: RenderJob): Promise<Uint8Array> {
	const { source, layout, turn, timeoutSeconds: seconds } = job;
	const options = {
		failOn: "warning",
		limitInputPixels: Math.min(MAX_PIXELS, source.width * source.height),
		// Its values are no colours, whatever its profile says about those of the picture that it makes.
		ignoreIcc: true,
	} as const;
	const { width, height, space } = await sharp(map, options).metadata();
	const whole = turnedExtent(source, turn);
	const view = {
		image: sharp(map, options),
		size: { width, height },
		turn: bothTurns(turnOfOrientation(source.metadata.orientation), turn),
	};
	const kept = layout.keep ?? layout.resize;
	const wanted = smaller(kept, turnedExtent(view.size, view.turn), whole);
	const written = (image: Sharp) =>
		image
			.toColourspace(space === "b-w" ? "b-w" : "srgb")
			.timeout({ seconds })
			.jpeg({ quality: QUALITY, chromaSubsampling: "4:4:4" })
			.toBuffer();
	if (!layout.read && !layout.keep) return await written(samePart(view, whole, layout, wanted));
	// To the nearest pixel of the rendition, which is finer than one of the map.
	const { data, info } = await samePart(view, whole, layout, kept)
		.timeout({ seconds })
		.raw()
		.toBuffer({ resolveWithObject: true });
	const raw = { width: info.width, height: info.height, channels: info.channels };
	return await written(sharp(data, { raw }).resize({ ...wanted, fit: "fill" }));
}

/** As much smaller than the rendition as the map is smaller than the picture. */
function smaller(rendition: Extent, map: Extent, picture: Extent): Extent {
	const along = (side: "width" | "height") =>
		Math.max(1, Math.round(rendition[side] * Math.min(1, map[side] / picture[side])));
	return { width: along("width"), height: along("height") };
}
