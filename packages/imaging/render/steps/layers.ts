import { OUTPUT_FORMATS } from "@svc/base/enumerations";
import type { Box, Extent } from "@svc/images/layout/extent";
import { layoutOf } from "@svc/images/layout/geometry";
import type { Master, RenderAids } from "@svc/images/ports";
import { overlayBox } from "@svc/images/transform/overlay";
import type { Transform } from "@svc/images/transform/transform";
import type { OverlayOptions, Sharp } from "sharp";
import { sharp } from "../../sharp-settings.ts";
import { joined, readFrames } from "../frames.ts";
import { decode, openSource } from "../source.ts";
import type { RenderJob } from "../step.ts";
import { laidOut } from "./lay-out.ts";

/* Other pictures that lie over a rendition. One that cannot be decoded here is left out, and every frame of an animation gets the same. */

/** A watermark is never wider than this share of the picture it lies on. */
const WIDEST_SHARE = 1 / 4;

export function hasLayers({ tile, overlay }: RenderAids): boolean {
	return tile !== undefined || overlay !== undefined;
}

/** The lowest first. */
export async function layersOver(job: RenderJob): Promise<readonly OverlayOptions[]> {
	const { tile, overlay } = job.aids;
	const layers = [tile && (await tileOver(tile, job)), overlay && (await overlayOver(overlay, job))];
	return layers.filter((layer) => layer !== undefined);
}

/** Repeated from the top left on: at its own size where that is not too wide, and never higher than the rendition. */
async function tileOver(tile: Master, job: RenderJob): Promise<OverlayOptions | undefined> {
	const { width, height } = job.layout.output;
	const box = { w: Math.max(1, Math.floor(width * WIDEST_SHARE)), h: height };
	const input = await scaledTo(tile, () => box, job.transform.tile_opacity ?? 1, job);
	return input && (await inEachFrame({ input, ...REPEATED }, job));
}

async function overlayOver(overlay: Master, job: RenderJob): Promise<OverlayOptions | undefined> {
	const { transform, layout } = job;
	let box: Box = { left: 0, top: 0, width: 1, height: 1 };
	const fitted = (own: Extent) => {
		box = overlayBox(own, layout.output, transform);
		return { w: box.width, h: box.height, fit: "squeeze" } as const;
	};
	const input = await scaledTo(overlay, fitted, transform.overlay_opacity ?? 1, job);
	return input && (await inEachFrame({ input, left: box.left, top: box.top }, job));
}

/** As PNG; undefined for what is no picture of pixels. */
async function scaledTo(
	layer: Master,
	sizing: (own: Extent) => Transform,
	opacity: number,
	{ timeoutSeconds }: RenderJob,
): Promise<Buffer | undefined> {
	if (!OUTPUT_FORMATS.some((format) => format === layer.format)) return undefined;
	const { blob, format } = layer;
	const source = await openSource(blob.path ?? (await blob.read()), {
		format,
		animated: false,
		ownColours: false,
		isExact: true,
	});
	const whole = layoutOf(source, sizing(source));
	const image = laidOut(decode(source), source, whole, { mirrored: false, degrees: 0 }).ensureAlpha();
	const seen = opacity === 1 ? image : await faded(image, opacity, timeoutSeconds);
	return await seen.timeout({ seconds: timeoutSeconds }).png().toBuffer();
}

async function faded(image: Sharp, opacity: number, timeoutSeconds: number): Promise<Sharp> {
	const frame = await readFrames(image, 1, timeoutSeconds);
	const { pixels } = frame;
	for (let at = 3; at < pixels.length; at += 4) pixels[at] = Math.round((pixels[at] ?? 0) * opacity);
	return joined(frame);
}

/** The frames of an animation lie one below the other, and what lies over them has to start anew in each. */
async function inEachFrame(layer: OverlayOptions, { source, layout }: RenderJob): Promise<OverlayOptions> {
	if (source.frames === 1) return layer;
	const { width, height } = layout.output;
	const clear = sharp({ create: { width, height, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } });
	return { input: await clear.composite([layer]).png().toBuffer(), ...REPEATED };
}

const REPEATED = { tile: true, gravity: "northwest" } as const;
