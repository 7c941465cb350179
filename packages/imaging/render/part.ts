import type { Extent } from "@svc/images/layout/extent";
import type { Layout } from "@svc/images/layout/geometry";
import { inverse, type Turn, turnedBox, turnedExtent } from "@svc/images/layout/turn";
import type { Sharp } from "sharp";
import { turned } from "./steps/lay-out.ts";

/** How far around a place, in pixels, the enlargement of a picture looks. */
const MARGIN = 3;
/** Fewer pixels than this say nothing, and enlarging them would take forever. */
const FEWEST = 0.25;

/** Another picture of what a picture shows. */
interface View {
	readonly image: Sharp;
	/** As it is stored. */
	readonly size: Extent;
	/** Makes of it what the layout sees. */
	readonly turn: Turn;
}

/**
 * The part of a view that a layout keeps of its picture, `wanted` pixels large: turned and resized like it, to the nearest of these pixels.
 * @param whole the size of the picture that the layout sees
 */
export function samePart({ image, size, turn }: View, whole: Extent, layout: Layout, wanted: Extent): Sharp {
	const view = turnedExtent(size, turn);
	const read = layout.read ?? { left: 0, top: 0, ...whole };
	const keep = layout.keep ?? { left: 0, top: 0, ...layout.resize };
	const along = (side: "width" | "height", start: "left" | "top") => {
		const unit = (read[side] / layout.resize[side]) * (view[side] / whole[side]);
		const from = (read[start] * view[side]) / whole[side] + keep[start] * unit;
		return stretch(from, keep[side] * unit, view[side], wanted[side]);
	};
	const across = along("width", "left");
	const down = along("height", "top");
	const part = { left: across.first, top: down.first, width: across.count, height: down.count };
	const enlarged = turnedExtent({ width: across.enlarged, height: down.enlarged }, turn);
	// It is turned after it has been cut, as the picture itself is. A decoder can read all of it at a smaller size.
	const isWhole = part.width === view.width && part.height === view.height;
	const cut = isWhole ? image : image.extract(turnedBox(part, view, inverse(turn)));
	return turned(cut.resize({ ...enlarged, fit: "fill", kernel: "cubic" }), turn).extract({
		left: across.skipped,
		top: down.skipped,
		width: wanted.width,
		height: wanted.height,
	});
}

/** Which whole pixels of `length` cover a stretch that becomes `wanted` pixels, and where in their enlargement it begins. */
function stretch(from: number, share: number, length: number, wanted: number) {
	const first = Math.max(0, Math.floor(from) - MARGIN);
	const count = Math.min(length, Math.ceil(from + share) + MARGIN) - first;
	const scale = wanted / Math.max(FEWEST, share);
	const enlarged = Math.max(wanted, Math.round(count * scale));
	return { first, count, enlarged, skipped: Math.min(Math.round((from - first) * scale), enlarged - wanted) };
}
