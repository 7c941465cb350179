import type { OutputFormat } from "@svc/base/enumerations";
import type { Extent, Plan } from "@svc/images/transform/geometry";
import { type Colour, DEFAULT_QUALITY, type Transform } from "@svc/images/transform/transform";
import type { OverlayOptions, Sharp } from "sharp";

/** Up to this a JPEG arrives before anybody could see it grow. */
const JPEG_BASELINE_PIXELS = 1_000_000;

/** What shows where the picture is transparent: nothing, a colour behind it, or a colour and no transparency at all. */
export type Ground =
	| { readonly kind: "none" }
	| { readonly kind: "tinted"; readonly colour: Colour }
	| { readonly kind: "opaque"; readonly colour: Colour };

const WHITE: Colour = { r: 255, g: 255, b: 255, alpha: 1 };
const CLEAR: Colour = { r: 0, g: 0, b: 0, alpha: 0 };

export function groundOf({ background, size }: Transform, output: OutputFormat): Ground {
	// A card is shown by others, on grounds that nobody knows.
	if (output === "jpg" || size === "social")
		return { kind: "opaque", colour: background ? onWhite(background) : WHITE };
	if (!background) return { kind: "none" };
	return { kind: background.alpha === 1 ? "opaque" : "tinted", colour: background };
}

/** Whether there are no bars. */
export function coversCanvas({ output, resize, keep }: Plan): boolean {
	const { width, height } = keep ?? resize;
	return width === output.width && height === output.height;
}

/** Puts the picture on the plan's canvas. Bars are transparent until the ground fills them. */
export function framed(image: Sharp, plan: Plan, ground: Ground): Sharp {
	if (coversCanvas(plan)) return image;
	const { offset, output, resize, keep } = plan;
	const { width, height } = keep ?? resize;
	const right = output.width - width - offset.left;
	const bottom = output.height - height - offset.top;
	// libvips flattens before it extends, so an opaque ground has to be the bars' own colour.
	const background = ground.kind === "opaque" ? ground.colour : CLEAR;
	return image.extend({ left: offset.left, top: offset.top, right, bottom, background });
}

/** Fills what is transparent, and then lays the tile over everything. */
export function grounded(image: Sharp, ground: Ground, tile?: OverlayOptions): Sharp {
	const layers = [...(ground.kind === "tinted" ? [behind(ground.colour)] : []), ...(tile ? [tile] : [])];
	const filled = ground.kind === "opaque" ? image.flatten({ background: ground.colour }) : image;
	return layers.length > 0 ? filled.composite(layers) : filled;
}

function behind({ r, g, b, alpha }: Colour): OverlayOptions {
	const input = { create: { width: 1, height: 1, channels: 4, background: { r, g, b, alpha } } } as const;
	return { input, tile: true, blend: "dest-over" };
}

export function isGrey({ r, g, b }: Colour): boolean {
	return r === g && g === b;
}

export interface Encoding {
	readonly format: OutputFormat;
	readonly quality: number | undefined;
	readonly size: Extent;
	/** Of an animation. */
	readonly delay: readonly number[] | undefined;
	readonly loop: number | undefined;
}

export function encoded(image: Sharp, { format, quality, size, delay, loop }: Encoding): Sharp {
	const lossy = { quality: quality ?? DEFAULT_QUALITY[format] ?? 100 };
	const animation = delay ? { delay: [...delay], loop: loop ?? 0 } : {};
	switch (format) {
		case "jpg":
			// mozjpeg saves a fifth of the bytes for nine times the time. Progressive shows a large picture early, and costs a small one
			// a sixth of its time for 3 % of its bytes. Tables of its own cost twice the encoding for 2 %; progressive always has them.
			return image.jpeg({
				...lossy,
				progressive: size.width * size.height > JPEG_BASELINE_PIXELS,
				optimiseCoding: false,
			});
		case "png":
			return image.png({ compressionLevel: 6 });
		case "webp":
			return image.webp({ ...lossy, effort: 2, ...animation });
		case "avif":
			// The next effort costs four times as much for a twentieth of the bytes, at the same likeness.
			return image.avif({ ...lossy, effort: 0, chromaSubsampling: "4:2:0" });
		case "gif":
			// Frames that have become equal are still the animation's frames.
			return image.gif({ effort: 1, keepDuplicateFrames: true, ...animation });
	}
}

function onWhite({ r, g, b, alpha }: Colour): Colour {
	const over = (channel: number) => Math.round(channel * alpha + 255 * (1 - alpha));
	return { r: over(r), g: over(g), b: over(b), alpha: 1 };
}
