import type { Extent } from "@svc/images/layout/extent";
import type { Layout } from "@svc/images/layout/geometry";
import { turnedBox, turnedExtent } from "@svc/images/layout/turn";
import type { Region } from "@svc/images/transform/analysis";
import type { Edges } from "../../edges.ts";
import { LOOK } from "../cost.ts";
import { type Frames, readFrames } from "../frames.ts";
import { decode } from "../source.ts";
import { framesOf, type RenderJob, type RenderStep } from "../step.ts";
import { turned } from "./lay-out.ts";

/** How much larger than the face's box the ellipse is that hides it. */
const GROWTH = 1.3;
/** What is left of a face: so many colours from its left to its right. */
const CELLS = 8;
/** The long side of the picture that these colours are taken from. */
const AFAR = 640;
/** Only the rim of the ellipse is mixed with the picture. */
const RIM = 0.94;
const UNIT: Extent = { width: 1, height: 1 };

/** An ellipse, in shares of the turned picture. */
interface Ellipse {
	readonly x: number;
	readonly y: number;
	readonly across: number;
	readonly down: number;
}

/** Means of red, green and blue, row by row. */
interface Grid {
	readonly rows: number;
	readonly colours: Float64Array;
}

/**
 * Hides every face under a few smoothed colours. They are those of the whole picture, whatever part of it is shown: with colours of the part
 * alone, many parts of one face would together tell what is under them.
 */
export const hiddenFaces = {
	of: { fx: LOOK },
	when: ({ transform }) => transform.fx === "blur-faces",
	run: async (picture, job) => {
		const { aids, layout, source, turn } = job;
		if (!aids.every_face) throw new Error("Faces that nobody has looked for cannot be hidden.");
		if (aids.every_face.length === 0) return picture;
		const frame = await framesOf(picture, job);
		const pixels = new Uint8Array(frame.pixels);
		const afar = await seenFromAfar(job);
		// The largest last: in a part of a face that counts as a face of its own the colours are finer.
		for (const face of aids.every_face.toSorted((one, other) => areaOf(one) - areaOf(other))) {
			const ellipse = around(turnedBox(face, UNIT, turn));
			hide({ ...frame, pixels }, ellipse, gridOf(afar, ellipse), placeOf(layout, turnedExtent(source, turn)));
		}
		return { frames: { ...frame, pixels } };
	},
} as const satisfies RenderStep;

function areaOf({ width, height }: Region): number {
	return width * height;
}

function around({ left, top, width, height }: Region): Ellipse {
	const [across, down] = [(width * GROWTH) / 2, (height * GROWTH) / 2];
	return { x: left + width / 2, y: top + height / 2, across, down };
}

async function seenFromAfar({ source, turn, timeoutSeconds }: RenderJob): Promise<Frames> {
	const scale = Math.min(1, AFAR / Math.max(source.width, source.height));
	const side = (length: number) => Math.max(1, Math.round(length * scale));
	const image = decode(source).resize({ width: side(source.width), height: side(source.height), fit: "fill" });
	return await readFrames(turned(image, turn), 1, timeoutSeconds);
}

function gridOf(afar: Frames, { x, y, across, down }: Ellipse): Grid {
	const ratio = (down * afar.height) / (across * afar.width);
	const rows = Math.min(2 * CELLS, Math.max(CELLS / 2, Math.round(CELLS * ratio)));
	const colours = new Float64Array(rows * CELLS * 3);
	for (let row = 0; row < rows; row++) {
		const [top, bottom] = spanOf(y - down, (2 * down) / rows, row, afar.height);
		for (let column = 0; column < CELLS; column++) {
			const [left, right] = spanOf(x - across, (2 * across) / CELLS, column, afar.width);
			colours.set(meanOf(afar, { left, right, top, bottom }), (row * CELLS + column) * 3);
		}
	}
	return { rows, colours };
}

/** The whole pixels of a cell, at least one; those of a cell outside of the picture are the nearest ones in it. */
function spanOf(from: number, step: number, index: number, length: number): [from: number, to: number] {
	const first = Math.min(length - 1, Math.max(0, Math.floor((from + step * index) * length)));
	const end = Math.ceil((from + step * (index + 1)) * length);
	return [first, Math.min(length, Math.max(first + 1, end))];
}

/** What cannot be seen does not count. */
function meanOf({ pixels, width, channels }: Frames, { left, right, top, bottom }: Edges): readonly number[] {
	const sums = [0, 0, 0];
	let total = 0;
	for (let y = top; y < bottom; y++) {
		for (let x = left; x < right; x++) {
			const at = (y * width + x) * channels;
			const alpha = channels === 4 ? (pixels[at + 3] ?? 0) : 255;
			total += alpha;
			for (let channel = 0; channel < 3; channel++)
				sums[channel] = (sums[channel] ?? 0) + (pixels[at + channel] ?? 0) * alpha;
		}
	}
	return sums.map((sum) => (total === 0 ? 0 : sum / total));
}

/** Where the pixels of a rendition lie, in shares of the turned picture: the first one's edge, and the length of one. */
interface Place {
	readonly x: { readonly from: number; readonly step: number };
	readonly y: { readonly from: number; readonly step: number };
}

function placeOf({ read, resize, keep }: Layout, whole: Extent): Place {
	const along = (start: "left" | "top", length: "width" | "height") => {
		const all = read?.[length] ?? whole[length];
		const step = all / resize[length] / whole[length];
		return { from: (read?.[start] ?? 0) / whole[length] + (keep?.[start] ?? 0) * step, step };
	};
	return { x: along("left", "width"), y: along("top", "height") };
}

/** Changes the pixels that lie in the ellipse. */
function hide(frame: Frames, ellipse: Ellipse, grid: Grid, { x, y }: Place): void {
	const [left, right] = within(ellipse.x, ellipse.across, x, frame.width);
	const [top, bottom] = within(ellipse.y, ellipse.down, y, frame.height);
	for (let row = top; row < bottom; row++) {
		const down = (y.from + (row + 0.5) * y.step - ellipse.y) / ellipse.down;
		for (let column = left; column < right; column++) {
			const across = (x.from + (column + 0.5) * x.step - ellipse.x) / ellipse.across;
			const distance = Math.hypot(across, down);
			if (distance < 1) paint(frame, (row * frame.width + column) * frame.channels, grid, { across, down, distance });
		}
	}
}

function within(middle: number, reach: number, { from, step }: Place["x"], length: number): [from: number, to: number] {
	const pixel = (share: number) => Math.min(length, Math.max(0, share));
	return [pixel(Math.floor((middle - reach - from) / step)), pixel(Math.ceil((middle + reach - from) / step))];
}

interface Spot {
	/** From -1 to 1, from the left of the ellipse to its right. */
	readonly across: number;
	readonly down: number;
	readonly distance: number;
}

function paint({ pixels }: Frames, at: number, { rows, colours }: Grid, { across, down, distance }: Spot): void {
	const weight = Math.min(1, (1 - distance) / (1 - RIM));
	const [column, right, x] = between(across, CELLS);
	const [row, below, y] = between(down, rows);
	const cell = (inRow: number, inColumn: number, channel: number) =>
		colours[(inRow * CELLS + inColumn) * 3 + channel] ?? 0;
	for (let channel = 0; channel < 3; channel++) {
		const above = cell(row, column, channel) * (1 - x) + cell(row, right, channel) * x;
		const under = cell(below, column, channel) * (1 - x) + cell(below, right, channel) * x;
		const colour = above * (1 - y) + under * y;
		pixels[at + channel] = Math.round(colour * weight + (pixels[at + channel] ?? 0) * (1 - weight));
	}
}

/** The two cells whose middles lie around a place, and the weight of the second. */
function between(place: number, cells: number): [first: number, second: number, weight: number] {
	const at = Math.min(cells - 1, Math.max(0, ((place + 1) / 2) * cells - 0.5));
	const first = Math.floor(at);
	return [first, Math.min(cells - 1, first + 1), at - first];
}
