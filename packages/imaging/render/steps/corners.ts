import type { Extent } from "@svc/images/layout/extent";
import { densityOf } from "@svc/images/transform/beside";
import type { Colour } from "@svc/images/transform/colours/css-colours";
import type { Transform } from "@svc/images/transform/transform";
import { type Frames, joined } from "../frames.ts";
import { eachFrame, framesOf, type RenderStep } from "../step.ts";

/** Rounds the corners of what is finished. */
export const corners = {
	of: { radius: { bytes: 8, ms: 5, decodes: true } },
	run: async (picture, job) => {
		// A JPEG has no transparency, so its corners get the colour that lies behind all that is transparent.
		const fill = job.format === "jpg" && job.backdrop.kind !== "none" ? job.backdrop.colour : undefined;
		const frames = await framesOf(picture, job);
		const ready = fill || frames.channels === 4 ? frames : await framesOf({ image: joined(frames).ensureAlpha() }, job);
		return await eachFrame({ frames: ready }, job, async (frame) => {
			const radius = radiusOf(job.transform, frame);
			for (const corner of CORNERS) round(frame, radius, corner, fill);
			return frame;
		});
	},
} as const satisfies RenderStep;

const CORNERS = [
	{ right: false, bottom: false },
	{ right: true, bottom: false },
	{ right: false, bottom: true },
	{ right: true, bottom: true },
] as const;

/** At most half of the short side. */
function radiusOf({ radius = 0, ...transform }: Transform, { width, height }: Extent): number {
	const most = Math.min(width, height) / 2;
	return radius === "max" ? most : Math.min(most, Math.round(radius * densityOf(transform)));
}

/** Takes away, or covers, what lies outside of the arc; a pixel that it crosses by its share. */
function round(
	frame: Frames,
	radius: number,
	{ right, bottom }: (typeof CORNERS)[number],
	fill: Colour | undefined,
): void {
	const { pixels, width, height, channels } = frame;
	const reach = Math.ceil(radius);
	for (let down = 0; down < reach; down++) {
		for (let across = 0; across < reach; across++) {
			const share = Math.min(1, Math.max(0, radius - Math.hypot(radius - across - 0.5, radius - down - 0.5) + 0.5));
			if (share === 1) break;
			const x = right ? width - 1 - across : across;
			const y = bottom ? height - 1 - down : down;
			cover(pixels, (y * width + x) * channels, share, fill);
		}
	}
}

function cover(pixels: Uint8Array, at: number, share: number, fill: Colour | undefined): void {
	if (!fill) {
		pixels[at + 3] = Math.round((pixels[at + 3] ?? 0) * share);
		return;
	}
	const mixed = (channel: number, own = 0) => Math.round(own * share + channel * (1 - share));
	pixels[at] = mixed(fill.r, pixels[at]);
	pixels[at + 1] = mixed(fill.g, pixels[at + 1]);
	pixels[at + 2] = mixed(fill.b, pixels[at + 2]);
}
