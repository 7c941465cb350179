import type { ImageFormat, OutputFormat } from "@svc/base/enumerations";
import { boundsOf } from "../layout/bounds.ts";
import type { Shape } from "../layout/extent.ts";
import { layoutOf } from "../layout/geometry.ts";
import { isAnimatable, isStill, outputFormat, type Transform } from "./transform.ts";

/** The formats that `format=auto` may give because a request accepts them. */
export const AUTOMATIC = ["avif", "webp"] as const satisfies readonly OutputFormat[];
export type Automatic = (typeof AUTOMATIC)[number];

/** Larger ones would take too much of a processor. */
const MOST_AVIF_PIXELS = 2_000_000;

/** A master, as far as the choice of a format goes. */
export interface Chosen extends Shape {
	readonly format: ImageFormat;
}

/**
 * The transform with the format that `format=auto` stands for. `accepted` are those that the request names, the best first. Without a match
 * it is as if no format were asked for, but a JPEG does not lose transparency that is made here.
 */
export function withAutomaticFormat(transform: Transform, master: Chosen, accepted: readonly Automatic[]): Transform {
	const format = accepted.find((one) => (one === "avif" ? isCheap(transform, master) : true));
	if (format) return { ...transform, format };
	return clears(transform) && outputFormat(transform, master.format) === "jpg"
		? { ...transform, format: "png" }
		: transform;
}

function isCheap(transform: Transform, master: Chosen): boolean {
	// Each frame of an animation would cost as much, and `lossless` is a WebP's alone.
	const moves = isAnimatable(master.format) && master.frames !== 1 && !isStill(transform);
	if (transform.lossless || moves) return false;
	const { output } = layoutOf(master, transform, boundsOf("avif", 1, transform));
	return output.width * output.height <= MOST_AVIF_PIXELS;
}

/** Whether the rendition itself makes something transparent. */
function clears({ segment, background, size, radius }: Transform): boolean {
	return radius !== undefined || (segment !== undefined && background?.alpha !== 1 && size !== "social");
}
