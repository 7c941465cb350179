import cv from "@techstark/opencv-js";
import { colourModel } from "./colour-model.ts";

/** Labels of a pixel that are known before the cut; the numbers are OpenCV's. */
export const SURELY_NOT = 0;
export const SURELY = 1;
export const PROBABLY_NOT = 2;
export const PROBABLY = 3;

const ROUNDS = 3;
/** Each side is described by five colours, and so few pixels say nothing about them. */
const FEWEST = 64;

let ready: Promise<void> | undefined;

/**
 * Cuts along the picture's edges so that either side has its own colours (Rother, Kolmogorov and Blake, "GrabCut", 2004). `pixels` are
 * three numbers each, and `known` one of the above for every pixel. Returns 1 for what is inside, or undefined when there is too little
 * of either side to learn from.
 */
export async function grabCut(
	pixels: Float32Array,
	known: Uint8Array,
	width: number,
	height: number,
): Promise<Uint8Array | undefined> {
	const inside = known.reduce((count, value) => count + (value & 1), 0);
	if (inside < FEWEST || known.length - inside < FEWEST) return undefined;
	ready ??= started();
	await ready;
	const colours = Uint8Array.from(pixels, Math.round);
	const model = (side: 0 | 1) =>
		cv.matFromArray(1, 65, cv.CV_64FC1, [...colourModel(colours, (index) => ((known[index] ?? 0) & 1) === side)]);
	const image = new cv.Mat(height, width, cv.CV_8UC3);
	const mask = new cv.Mat(height, width, cv.CV_8UC1);
	const background = model(0);
	const foreground = model(1);
	try {
		image.data.set(colours);
		mask.data.set(known);
		cv.grabCut(image, mask, new cv.Rect(0, 0, 1, 1), background, foreground, ROUNDS, cv.GC_EVAL);
		return Uint8Array.from(mask.data, (value: number) => value & 1);
	} finally {
		for (const matrix of [image, mask, background, foreground]) matrix.delete();
	}
}

/** The module has a `then` that resolves to itself, so awaiting it would never end. */
function started(): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	if (cv.Mat === undefined) cv.onRuntimeInitialized = resolve;
	else resolve();
	return promise;
}

/** Specks of the same colours as the subject: parts smaller than this share of the largest are left out. */
const SPECK = 0.08;

/** A cut without its specks; 1 is inside. */
export function withoutSpecks(inside: Uint8Array, width: number): Uint8Array {
	const labels = new Int32Array(inside.length);
	const sizes = [0];
	for (let start = 0; start < inside.length; start++) {
		if (inside[start] !== 1 || labels[start] !== 0) continue;
		sizes.push(flood(inside, labels, width, start, sizes.length));
	}
	const least = Math.max(...sizes) * SPECK;
	return inside.map((value, index) => (value === 1 && (sizes[labels[index] ?? 0] ?? 0) >= least ? 1 : 0));
}

/** Labels one connected part and returns its size. */
function flood(inside: Uint8Array, labels: Int32Array, width: number, start: number, label: number): number {
	const open = [start];
	labels[start] = label;
	let size = 0;
	for (let at = open.pop(); at !== undefined; at = open.pop()) {
		size++;
		for (const next of neighbours(at, width)) {
			if (inside[next] !== 1 || labels[next] !== 0) continue;
			labels[next] = label;
			open.push(next);
		}
	}
	return size;
}

/** The neighbour above or below may lie outside of the picture, where its value is undefined. */
function neighbours(at: number, width: number): number[] {
	const next = [at - width, at + width];
	if (at % width > 0) next.push(at - 1);
	if (at % width < width - 1) next.push(at + 1);
	return next;
}
