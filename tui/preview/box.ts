import type { TransformOptions } from "@svc/sdk/transform";

/** Room for a picture, in cells. A cell is about twice as high as wide, and holds two pixels. */
export interface Box {
	readonly columns: number;
	readonly rows: number;
}

/** The size of a cell in pixels. */
export interface CellSize {
	readonly width: number;
	readonly height: number;
}

/** More cells than this show no more beside text, and take longer to draw than a frame lasts. */
const LARGEST: Box = { columns: 80, rows: 40 };
/** The largest box of a picture that has the screen for itself. */
export const FULL_SCREEN: Box = { columns: 240, rows: 80 };
/** The size of half a block. */
export const HALF_BLOCK: CellSize = { width: 1, height: 2 };
/** A photograph of so many pixels is a file of less than a megabyte; larger ones make a terminal wait. */
const MAX_PIXELS = 300_000;

/** Fits a picture's box into the room, with at least one cell. */
export function boxWithin({ columns, rows }: Box, largest: Box = LARGEST): Box {
	const within = (most: number, given: number) => Math.max(1, Math.min(most, Math.floor(given)));
	return { columns: within(largest.columns, columns), rows: within(largest.rows, rows) };
}

/** Pixels that fill so many cells, as far as a picture may have them. */
export function pixelsOf(room: Box, cell: CellSize): CellSize {
	const by = coarseness(room, cell);
	return { width: Math.floor((room.columns * cell.width) / by), height: Math.floor((room.rows * cell.height) / by) };
}

/** The factor by which the pixels of so many cells have to be reduced. */
function coarseness({ columns, rows }: Box, cell: CellSize): number {
	return Math.max(1, Math.sqrt((columns * cell.width * rows * cell.height) / MAX_PIXELS));
}

/** The whole cells that a picture takes up: as large as it is, or all that there is room for where it was made smaller for that. */
export function cellsOf(picture: CellSize, cell: CellSize, room: Box): Box {
	const asked = pixelsOf(room, cell);
	const fills = picture.width >= asked.width || picture.height >= asked.height;
	const by = fills ? coarseness(room, cell) : 1;
	const cells = (side: "width" | "height") => Math.round((picture[side] * by) / cell[side]);
	return boxWithin({ columns: cells("width"), rows: cells("height") }, room);
}

/** What to ask the transform host for: a picture of exactly these cells, in the one format that is decoded here. */
export function previewTransform(box: Box, cell: CellSize = HALF_BLOCK): TransformOptions {
	const { width, height } = pixelsOf(box, cell);
	return { w: width, h: height, fit: "scale-down", format: "png" };
}
