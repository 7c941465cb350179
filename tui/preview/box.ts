import type { TransformOptions } from "@svc/sdk/transform";

/** Room for a picture, in cells. A cell is about twice as high as wide, and holds two pixels. */
export interface Box {
	readonly columns: number;
	readonly rows: number;
}

/** More cells than this show no more, and take longer to draw than a frame lasts. */
const LARGEST: Box = { columns: 80, rows: 40 };

/** As much of the room as a picture may take, at least one cell. */
export function boxWithin({ columns, rows }: Box): Box {
	const within = (most: number, given: number) => Math.max(1, Math.min(most, Math.floor(given)));
	return { columns: within(LARGEST.columns, columns), rows: within(LARGEST.rows, rows) };
}

/** What to ask the transform host for: a picture of exactly these cells, in the one format that is decoded here. */
export function previewTransform({ columns, rows }: Box): TransformOptions {
	return { w: columns, h: rows * 2, fit: "scale-down", format: "png" };
}
