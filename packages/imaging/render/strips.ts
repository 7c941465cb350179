/* libvips resizes a picture in strips of rows, and where each row lies in the picture is added up from the first row of its strip. */

/** Of a file that is read from its top to its bottom. */
const STRIP_OF_FILE = 10;
const STRIP_OF_PIXELS = 16;
/** Places between two rows that it tells apart. */
const PLACES = 64;

/**
 * Whether `from` rows become the same `to` rows, fewer of them, however the strips lie. At few sizes a row lies in the middle between two places, and what is
 * lost in adding up decides.
 */
export function isSteady(from: number, to: number): boolean {
	const step = from / to;
	const offset = (to * step - from - 1) / 2;
	for (let row = 0; row < to; row++) {
		const place = (strip: number) => placeOf(row, row - (row % strip), step, offset);
		if (place(STRIP_OF_FILE) !== place(STRIP_OF_PIXELS)) return false;
	}
	return true;
}

function placeOf(row: number, first: number, step: number, offset: number): number {
	let at = (first + 0.5) * step - 0.5 - offset;
	for (let next = first; next < row; next++) at += step;
	// As it rounds: twice as many places, and then the nearer one.
	return Math.floor((Math.trunc(at * 2 * PLACES) + 1) / 2);
}
