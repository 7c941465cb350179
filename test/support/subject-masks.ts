import { existsSync } from "node:fs";
import { join } from "node:path";
import { corpusDir } from "./corpus.ts";
import type { SubjectPicture } from "./subject-pictures.ts";

/* Hand-drawn masks as pixels, and how well a found one agrees with them. */

/** The file's path; undefined where it is neither in the corpus nor in `SVC_TEST_SUBJECTS`. */
export function subjectFile({ file }: SubjectPicture): string | undefined {
	const folders = [corpusDir, process.env.SVC_TEST_SUBJECTS].filter((folder) => folder !== undefined);
	return folders.map((folder) => join(folder, file)).find((path) => existsSync(path));
}

type Point = readonly [x: number, y: number];

/** Whether each pixel belongs to the subject (1) or not (0): its centre lies inside of a ring. */
export function drawn({ subject }: SubjectPicture, width: number, height: number): Uint8Array {
	const mask = new Uint8Array(width * height);
	for (const ring of subject) {
		const points = ring.split(" ").map((point): Point => {
			const [x = 0, y = 0] = point.split(",").map(Number);
			return [(x / 100) * width, (y / 100) * height];
		});
		fill(mask, width, height, points);
	}
	return mask;
}

function fill(mask: Uint8Array, width: number, height: number, ring: readonly Point[]): void {
	for (let y = 0; y < height; y++) {
		const crossings = crossed(ring, y + 0.5);
		for (let pair = 0; pair + 1 < crossings.length; pair += 2) {
			const from = Math.ceil((crossings[pair] ?? 0) - 0.5);
			const to = Math.ceil((crossings[pair + 1] ?? 0) - 0.5);
			mask.fill(1, y * width + Math.max(0, from), y * width + Math.min(width, Math.max(0, to)));
		}
	}
}

/** Where the ring crosses a row, from left to right. */
function crossed(ring: readonly Point[], y: number): number[] {
	const places: number[] = [];
	for (const [index, [x1, y1]] of ring.entries()) {
		const [x2, y2] = ring[(index + 1) % ring.length] ?? [x1, y1];
		if (y1 > y !== y2 > y) places.push(x1 + ((y - y1) / (y2 - y1)) * (x2 - x1));
	}
	return places.sort((one, other) => one - other);
}

/** The share of what either says is the subject on which both agree: 1 is the same, 0 nothing in common. Values of `alpha` are 0 to 255. */
export function overlap(alpha: Uint8Array, mask: Uint8Array): number {
	let both = 0;
	let either = 0;
	for (const [index, value] of alpha.entries()) {
		const found = value >= 128;
		const meant = mask[index] === 1;
		if (found && meant) both++;
		if (found || meant) either++;
	}
	return either === 0 ? 1 : both / either;
}
