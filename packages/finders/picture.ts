import type { Box } from "@svc/images/layout/extent";
import { ANALYSIS_SIDE } from "@svc/images/transform/analysis";

/** The pixels are upright, three bytes each (sRGB), in rows without padding. */
export interface RawPicture {
	readonly data: Uint8Array;
	readonly width: number;
	readonly height: number;
}

/** @throws RangeError: what a finder takes, and so its memory and time, is bounded here and nowhere else. */
export function checkPicture({ data, width, height }: RawPicture): void {
	const sides = [width, height];
	if (!sides.every((side) => Number.isInteger(side) && side >= 1 && side <= ANALYSIS_SIDE))
		throw new RangeError(`a picture has sides of 1 to ${ANALYSIS_SIDE} pixels, not ${width} by ${height}`);
	if (data.length !== width * height * 3)
		throw new RangeError(`${width} by ${height} pixels are ${width * height * 3} bytes, not ${data.length}`);
}

/** A copy of the pixels inside of `box`, which lies inside of the picture. */
export function part({ data, width }: RawPicture, box: Box): RawPicture {
	const cut = new Uint8Array(box.width * box.height * 3);
	for (let y = 0; y < box.height; y++) {
		const from = ((box.top + y) * width + box.left) * 3;
		cut.set(data.subarray(from, from + box.width * 3), y * box.width * 3);
	}
	return { data: cut, width: box.width, height: box.height };
}

/** Resized with a triangle filter that widens as it shrinks; values stay 0 to 255. Three numbers per pixel, as in the source. */
export function resized({ data, width, height }: RawPicture, toWidth: number, toHeight: number): Float32Array {
	const wide = Float32Array.from(data);
	const narrow = new Float32Array(toWidth * height * 3);
	const across = taps(width, toWidth);
	let at = 0;
	for (let y = 0; y < height; y++)
		for (const { first, weights } of across) {
			const from = (y * width + first) * 3;
			for (let channel = 0; channel < 3; channel++) narrow[at++] = weighed(wide, from + channel, 3, weights);
		}
	const row = toWidth * 3;
	const result = new Float32Array(row * toHeight);
	at = 0;
	for (const { first, weights } of taps(height, toHeight))
		for (let x = 0; x < row; x++) result[at++] = weighed(narrow, first * row + x, row, weights);
	return result;
}

interface Tap {
	readonly first: number;
	readonly weights: Float32Array;
}

function weighed(values: Float32Array, from: number, step: number, weights: Float32Array): number {
	let sum = 0;
	for (let tap = 0; tap < weights.length; tap++) sum += (values[from + tap * step] ?? 0) * (weights[tap] ?? 0);
	return sum;
}

/** Finds for each pixel of the result the pixels of the source that it is made of. */
function taps(from: number, to: number): Tap[] {
	const scale = from / to;
	const reach = Math.max(1, scale);
	return Array.from({ length: to }, (_, index) => {
		const centre = (index + 0.5) * scale - 0.5;
		const first = Math.max(0, Math.ceil(centre - reach));
		const last = Math.min(from - 1, Math.floor(centre + reach));
		const weights = Float32Array.from({ length: last - first + 1 }, (_, tap) =>
			Math.max(0, 1 - Math.abs(first + tap - centre) / reach),
		);
		const sum = weights.reduce((total, weight) => total + weight, 0);
		return { first, weights: weights.map((weight) => weight / sum) };
	});
}

/** Numbers from 0 to 1, one per pixel. */
export interface Coverage {
	readonly values: Float32Array;
	readonly width: number;
	readonly height: number;
}

export interface SamplePosition {
	readonly first: number;
	readonly second: number;
	/** Weight of the second pixel. */
	readonly weight: number;
}

/** Maps the pixels of a side to positions between those of another. */
export function positions(from: number, to: number): SamplePosition[] {
	return Array.from({ length: to }, (_, index) => {
		const at = Math.min(from - 1, Math.max(0, ((index + 0.5) * from) / to - 0.5));
		const first = Math.floor(at);
		return { first, second: Math.min(from - 1, first + 1), weight: at - first };
	});
}

export function between(values: Float32Array, width: number, x: SamplePosition, y: SamplePosition): number {
	const top = y.first * width;
	const bottom = y.second * width;
	const above = (values[top + x.first] ?? 0) * (1 - x.weight) + (values[top + x.second] ?? 0) * x.weight;
	const below = (values[bottom + x.first] ?? 0) * (1 - x.weight) + (values[bottom + x.second] ?? 0) * x.weight;
	return above * (1 - y.weight) + below * y.weight;
}

/** Sixteen levels of 0 to 255: a soft edge needs no more, and a mask packs into half the bytes. */
export function level(value: number): number {
	return Math.round(Math.min(1, Math.max(0, value)) * 15) * 17;
}

/** Whole pixels; right and bottom are outside. Numbers and not an object, as one is asked for at every pixel. */
type WindowMean = (left: number, top: number, right: number, bottom: number) => number;

/** The mean of any window of a picture in four reads (an integral image). */
function windowMeans(values: Float32Array, width: number, height: number): WindowMean {
	const row = width + 1;
	const sums = new Float64Array(row * (height + 1));
	for (let y = 0; y < height; y++) {
		let sum = 0;
		for (let x = 0; x < width; x++) {
			sum += values[y * width + x] ?? 0;
			sums[(y + 1) * row + x + 1] = (sums[y * row + x + 1] ?? 0) + sum;
		}
	}
	const at = (x: number, y: number) => sums[y * row + x] ?? 0;
	return (left, top, right, bottom) =>
		(at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top)) / ((right - left) * (bottom - top));
}

/** The mean of the square of `2 · radius + 1` pixels around every pixel; at the edges of what lies inside. */
export function boxBlurred(values: Float32Array, width: number, height: number, radius: number): Float32Array {
	const mean = windowMeans(values, width, height);
	const result = new Float32Array(values.length);
	for (let y = 0; y < height; y++) {
		const top = Math.max(0, y - radius);
		const bottom = Math.min(height, y + radius + 1);
		for (let x = 0; x < width; x++) {
			const left = Math.max(0, x - radius);
			const right = Math.min(width, x + radius + 1);
			result[y * width + x] = mean(left, top, right, bottom);
		}
	}
	return result;
}
