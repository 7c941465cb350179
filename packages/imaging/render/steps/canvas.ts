import type { Layout } from "@svc/images/layout/geometry";
import type { Colour } from "@svc/images/transform/colours/css-colours";
import { coversCanvas } from "@svc/images/transform/plainest";
import type { OverlayOptions, Sharp } from "sharp";
import type { Backdrop } from "../backdrop.ts";
import { FREE } from "../cost.ts";
import { joined, readFrames } from "../frames.ts";
import { eachFrame, framesOf, imageOf, type RenderStep } from "../step.ts";
import { hasLayers, layersOver } from "./layers.ts";

const CLEAR: Colour = { r: 0, g: 0, b: 0, alpha: 0 };

/** Makes RGB of a grey picture where a colour is to come, which libvips would turn into a grey as well. */
export const colours = {
	of: { background: FREE, tile: FREE, overlay: FREE },
	when: ({ source, aids, backdrop }) => {
		const isGrey = source.metadata.space === "b-w" || source.metadata.space === "grey16";
		return isGrey && (hasLayers(aids) || (backdrop.kind !== "none" && !isGreyColour(backdrop.colour)));
	},
	run: async (picture, job) => ({ frames: await framesOf(picture, job) }),
} as const satisfies RenderStep;

/** Puts the picture on the layout's canvas. Bars are transparent until the backdrop fills them. */
export const canvas = {
	of: { fit: FREE },
	when: ({ layout }) => !coversCanvas(layout),
	run: (picture, job) => {
		const { layout, backdrop, timeoutSeconds } = job;
		const isStrip = "frames" in picture && picture.frames.count > 1;
		if (!isStrip) return { image: extended(imageOf(picture), layout, backdrop) };
		// Decoded frames lie one below the other, and each needs bars of its own.
		return eachFrame(picture, job, (frame) => readFrames(extended(joined(frame), layout, backdrop), 1, timeoutSeconds));
	},
} as const satisfies RenderStep;

/** Fills what is transparent, and then lays the other pictures over everything. */
export const overBackdrop = {
	of: {
		background: { bytes: 8, ms: 10, decodes: false },
		tile: { bytes: 12, ms: 30, decodes: false },
		tile_opacity: FREE,
		overlay: { bytes: 24, ms: 60, decodes: false },
		overlay_at: FREE,
		overlay_w: FREE,
		overlay_opacity: FREE,
	},
	when: ({ aids, backdrop }) => hasLayers(aids) || backdrop.kind !== "none",
	run: async (picture, job) => {
		const { source, transform, layout, backdrop } = job;
		if (!hasLayers(job.aids)) return { image: layered(imageOf(picture), backdrop) };
		const covered = layered(imageOf(picture), backdrop, await layersOver(job));
		// Laying one picture over another gives it an alpha channel, which costs bytes and time where it says nothing.
		const isSolid = !source.metadata.hasAlpha && !transform.segment && coversCanvas(layout);
		return { image: backdrop.kind === "opaque" || isSolid ? covered.removeAlpha() : covered };
	},
} as const satisfies RenderStep;

function extended(image: Sharp, { offset, output, resize, keep }: Layout, backdrop: Backdrop): Sharp {
	const { width, height } = keep ?? resize;
	const right = output.width - width - offset.left;
	const bottom = output.height - height - offset.top;
	// libvips flattens before it extends, so an opaque backdrop has to be the bars' own colour.
	const background = backdrop.kind === "opaque" ? backdrop.colour : CLEAR;
	return image.extend({ left: offset.left, top: offset.top, right, bottom, background });
}

function layered(image: Sharp, backdrop: Backdrop, over: readonly OverlayOptions[] = []): Sharp {
	const layers = [...(backdrop.kind === "tinted" ? [behind(backdrop.colour)] : []), ...over];
	const filled = backdrop.kind === "opaque" ? image.flatten({ background: backdrop.colour }) : image;
	return layers.length > 0 ? filled.composite(layers) : filled;
}

function behind({ r, g, b, alpha }: Colour): OverlayOptions {
	const input = { create: { width: 1, height: 1, channels: 4, background: { r, g, b, alpha } } } as const;
	return { input, tile: true, blend: "dest-over" };
}

function isGreyColour({ r, g, b }: Colour): boolean {
	return r === g && g === b;
}
