import type { Edges } from "../../edges.ts";
import { type Frames, inChunks } from "../frames.ts";

/** The sides of the windows that are compared: a block of a JPEG. */
const WINDOW = 8;

/* The constants of SSIM for 8 bits (Wang et al. 2004): they keep quotients of nearly nothing from meaning something. */
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/** The brightness of each pixel, as JPEG encoders weigh it; what is transparent is seen on white. */
export async function lumaOf({ pixels, channels, width, height }: Frames): Promise<Float32Array> {
	const luma = new Float32Array(width * height);
	await inChunks(luma.length, (from, to) => {
		for (let index = from; index < to; index++) {
			const at = index * channels;
			const own = 0.299 * (pixels[at] ?? 0) + 0.587 * (pixels[at + 1] ?? 0) + 0.114 * (pixels[at + 2] ?? 0);
			const alpha = channels === 4 ? (pixels[at + 3] ?? 0) / 255 : 1;
			luma[index] = own * alpha + 255 * (1 - alpha);
		}
	});
	return luma;
}

/** The mean SSIM over windows of 8×8 pixels of two pictures of the same size: 1 where they are equal. The last windows may be smaller. */
export function likeness(one: Float32Array, other: Float32Array, width: number, height: number): number {
	let sum = 0;
	let windows = 0;
	for (let top = 0; top < height; top += WINDOW) {
		for (let left = 0; left < width; left += WINDOW) {
			sum += windowLikeness(one, other, width, {
				left,
				top,
				right: Math.min(left + WINDOW, width),
				bottom: Math.min(top + WINDOW, height),
			});
			windows++;
		}
	}
	return sum / windows;
}

function windowLikeness(one: Float32Array, other: Float32Array, width: number, window: Edges): number {
	const count = (window.right - window.left) * (window.bottom - window.top);
	let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0];
	for (let y = window.top; y < window.bottom; y++) {
		for (let at = y * width + window.left; at < y * width + window.right; at++) {
			const p = one[at] ?? 0;
			const q = other[at] ?? 0;
			a += p;
			b += q;
			aa += p * p;
			bb += q * q;
			ab += p * q;
		}
	}
	const [meanA, meanB] = [a / count, b / count];
	const [varianceA, varianceB] = [aa / count - meanA ** 2, bb / count - meanB ** 2];
	const covariance = ab / count - meanA * meanB;
	const light = (2 * meanA * meanB + C1) / (meanA ** 2 + meanB ** 2 + C1);
	return (light * (2 * covariance + C2)) / (varianceA + varianceB + C2);
}
