import { between, boxBlurred, type Coverage, level, positions, type RawPicture } from "./picture.ts";

const RADIUS = 2;
/** How faint an edge may be and still be followed. */
const EPSILON = 1e-3;
/** Cut off at both ends, so that what is nearly inside or outside is wholly so. */
const FOG = 0.2;

/**
 * A small coverage enlarged to the picture, its edges moved to the edges that the picture has there (He and Sun, "Fast guided filter",
 * 2015). `small` are the pixels of the picture at the coverage's size. Returns 0 to 255.
 */
export function refined(picture: RawPicture, small: Float32Array, coverage: Coverage): Uint8Array {
	const { slope, offset } = lines(lightness(small), coverage);
	const guide = lightness(picture.data);
	const alpha = new Uint8Array(guide.length);
	const across = positions(coverage.width, picture.width);
	let at = 0;
	for (const y of positions(coverage.height, picture.height))
		for (const x of across) {
			const value = between(slope, coverage.width, x, y) * (guide[at] ?? 0) + between(offset, coverage.width, x, y);
			alpha[at++] = level((value - FOG) / (1 - 2 * FOG));
		}
	return alpha;
}

/** In every neighbourhood the coverage is a straight line of the lightness; its slope and offset, smoothed. */
function lines(guide: Float32Array, { values, width, height }: Coverage) {
	const blurred = (numbers: Float32Array) => boxBlurred(numbers, width, height, RADIUS);
	const guideMean = blurred(guide);
	const coverMean = blurred(values);
	const productMean = blurred(guide.map((value, index) => value * (values[index] ?? 0)));
	const squareMean = blurred(guide.map((value) => value * value));
	const slope = guideMean.map((mean, index) => {
		const variance = (squareMean[index] ?? 0) - mean * mean;
		return ((productMean[index] ?? 0) - mean * (coverMean[index] ?? 0)) / (variance + EPSILON);
	});
	const offset = coverMean.map((mean, index) => mean - (slope[index] ?? 0) * (guideMean[index] ?? 0));
	return { slope: blurred(slope), offset: blurred(offset) };
}

/** Lightness from 0 to 1. */
function lightness(pixels: ArrayLike<number>): Float32Array {
	return Float32Array.from({ length: pixels.length / 3 }, (_, index) => {
		const at = index * 3;
		return (0.299 * (pixels[at] ?? 0) + 0.587 * (pixels[at + 1] ?? 0) + 0.114 * (pixels[at + 2] ?? 0)) / 255;
	});
}
