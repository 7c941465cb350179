import sharp from "sharp";

export interface Tile {
	readonly bytes: Uint8Array;
	readonly caption: string;
}

const CELL = 240;
const GAP = 16;
const CAPTION = 30;

/** Pictures side by side with their captions, each shown inside a square cell on a checkered ground, as PNG. */
export async function sheet(tiles: readonly Tile[], perRow: number): Promise<Buffer> {
	const rows = Math.ceil(tiles.length / perRow);
	const layers = await Promise.all(tiles.map((tile, index) => cell(tile, index % perRow, Math.floor(index / perRow))));
	const width = GAP + Math.min(perRow, tiles.length) * (CELL + GAP);
	const height = GAP + rows * (CELL + CAPTION + GAP);
	const paper = sharp({ create: { width, height, channels: 3, background: "#ffffff" } });
	return paper.composite(layers.flat()).png().toBuffer();
}

async function cell({ bytes, caption }: Tile, column: number, row: number) {
	const left = GAP + column * (CELL + GAP);
	const top = GAP + row * (CELL + CAPTION + GAP);
	const text = caption.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
	const label = `<svg xmlns="http://www.w3.org/2000/svg" width="${CELL}" height="${CAPTION}"><text y="19" font-family="monospace" font-size="10.5" fill="#556">${text}</text></svg>`;
	const input = await sharp(bytes).resize(CELL, CELL, { fit: "inside", withoutEnlargement: true }).png().toBuffer();
	return [
		{ input: Buffer.from(CHECKERS), left, top },
		{ input, left, top },
		{ input: Buffer.from(label), left, top: top + CELL },
	];
}

// What is transparent shows its ground.
const CHECKERS = `<svg xmlns="http://www.w3.org/2000/svg" width="${CELL}" height="${CELL}"><defs><pattern id="c" width="16" height="16" patternUnits="userSpaceOnUse"><rect width="8" height="8" fill="#e4e6ea"/><rect x="8" y="8" width="8" height="8" fill="#e4e6ea"/></pattern></defs><rect width="100%" height="100%" fill="#f6f7f9"/><rect width="100%" height="100%" fill="url(#c)"/></svg>`;
