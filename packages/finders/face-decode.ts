import type { Box } from "@svc/images/layout/extent";
import { part, type RawPicture, resized } from "./picture.ts";

/** Shares of the picture's width and height; the box lies inside of the picture. */
export interface Face {
	readonly left: number;
	readonly top: number;
	readonly width: number;
	readonly height: number;
	/** The score is 0.5 to 1, or 0.3 where every face is wanted. */
	readonly score: number;
}

/** Side of the model's only input: a square in three colours. */
export const FACE_SIDE = 192;
/** Cells on a side; there is one anchor in the middle of every cell. */
const CELLS = 48;
/** A box and six points, of which only the box is used. */
const VALUES = 16;
const MIN_SCORE = 0.5;
/** Where a face that is missed is worse than one too many. */
const ANY_SCORE = 0.3;
/** Two boxes that share more of their union than this are one face. */
const SAME_FACE = 0.3;
/** In a crowd the surest faces are enough to frame it. */
const MAX_FACES = 32;
/** Below this score the model also takes a fox's face or a numeral for a face, until it sees them from nearer. */
const SURE_SCORE = 0.75;
/** How many parts lie along each side, and what share of it each has. */
const PARTS = [
	{ along: 2, share: 0.6 },
	{ along: 4, share: 0.34 },
] as const;
/** A close-up is so many times as wide as the face: the model wants to see the head and shoulders, too. */
const CLOSE_UP = 4;

/** The place of the picture in the model's square. */
interface Placement {
	readonly left: number;
	readonly top: number;
	readonly width: number;
	readonly height: number;
}

function placement({ width, height }: Pick<RawPicture, "width" | "height">): Placement {
	const scale = FACE_SIDE / Math.max(width, height);
	const inner = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
	return {
		...inner,
		left: Math.floor((FACE_SIDE - inner.width) / 2),
		top: Math.floor((FACE_SIDE - inner.height) / 2),
	};
}

/** The whole picture in the middle of a black square, from −1 to 1. */
export function faceInput(picture: RawPicture): Float32Array {
	const { left, top, width, height } = placement(picture);
	const pixels = resized(picture, width, height).map((value) => value / 127.5 - 1);
	const input = new Float32Array(FACE_SIDE * FACE_SIDE * 3).fill(-1);
	for (let y = 0; y < height; y++)
		input.set(pixels.subarray(y * width * 3, (y + 1) * width * 3), ((top + y) * FACE_SIDE + left) * 3);
	return input;
}

/** True for a face that should be looked at again, in its close-up. */
export function doubtful({ score }: Face): boolean {
	return score < SURE_SCORE;
}

/** The surroundings of a face, and where in them it should be found again. */
export function closeUp(picture: RawPicture, face: Face): { readonly picture: RawPicture; readonly expected: Face } {
	const side = CLOSE_UP * Math.max(face.width * picture.width, face.height * picture.height);
	const [left, right] = span((face.left + face.width / 2) * picture.width, side, picture.width);
	const [top, bottom] = span((face.top + face.height / 2) * picture.height, side, picture.height);
	const width = right - left;
	const height = bottom - top;
	const expected = {
		left: (face.left * picture.width - left) / width,
		top: (face.top * picture.height - top) / height,
		width: (face.width * picture.width) / width,
		height: (face.height * picture.height) / height,
		score: face.score,
	};
	return { picture: part(picture, { left, top, width, height }), expected };
}

/** Whole pixels around a centre, at least one and none of them outside. */
function span(centre: number, length: number, all: number): [from: number, to: number] {
	const from = Math.min(all - 1, Math.max(0, Math.round(centre - length / 2)));
	return [from, Math.max(from + 1, Math.min(all, Math.round(centre + length / 2)))];
}

/** The parts of a picture in which small faces are looked for as well. They overlap, so that no face is cut in all of them. */
export function partsOf({ width, height }: Pick<RawPicture, "width" | "height">): readonly Box[] {
	return PARTS.flatMap(({ along, share }) => {
		const size = { width: Math.ceil(width * share), height: Math.ceil(height * share) };
		const starts = (length: number) =>
			Array.from({ length: along }, (_, index) => Math.floor((length * index) / (along - 1)));
		const lefts = starts(width - size.width);
		return starts(height - size.height).flatMap((top) => lefts.map((left) => ({ left, top, ...size })));
	});
}

/** A face of a part, in shares of the whole. */
export function inWhole(face: Face, part: Box, { width, height }: Pick<RawPicture, "width" | "height">): Face {
	return {
		left: (part.left + face.left * part.width) / width,
		top: (part.top + face.top * part.height) / height,
		width: (face.width * part.width) / width,
		height: (face.height * part.height) / height,
		score: face.score,
	};
}

export function includes(faces: readonly Face[], expected: Face): boolean {
	return faces.some((face) => overlap(face, expected) > SAME_FACE);
}

/** Decodes the model's two outputs, in their order. The best face comes first. */
export function facesIn(
	picture: Pick<RawPicture, "width" | "height">,
	boxes: Float32Array,
	scores: Float32Array,
	every = false,
): Face[] {
	const place = placement(picture);
	const candidates: Face[] = [];
	scores.forEach((raw, cell) => {
		const score = 1 / (1 + Math.exp(-raw));
		if (score >= (every ? ANY_SCORE : MIN_SCORE))
			candidates.push(faceAt(cell, boxes.subarray(cell * VALUES), score, place));
	});
	const faces = merged(candidates)
		.map(clipped)
		.filter(({ width, height }) => width > 0 && height > 0);
	return every ? faces : faces.slice(0, MAX_FACES);
}

function faceAt(cell: number, values: Float32Array, score: number, place: Placement): Face {
	const [x = 0, y = 0, width = 0, height = 0] = values;
	const centreX = x + (((cell % CELLS) + 0.5) / CELLS) * FACE_SIDE;
	const centreY = y + ((Math.floor(cell / CELLS) + 0.5) / CELLS) * FACE_SIDE;
	return {
		left: (centreX - width / 2 - place.left) / place.width,
		top: (centreY - height / 2 - place.top) / place.height,
		width: width / place.width,
		height: height / place.height,
		score,
	};
}

/** Neighbouring cells see the same face: their boxes, weighed by score, make a steadier one than the best alone. */
function merged(candidates: readonly Face[]): Face[] {
	let left = candidates.toSorted((a, b) => b.score - a.score);
	const faces: Face[] = [];
	for (let best = left[0]; best !== undefined; best = left[0]) {
		const face = best;
		const same = left.filter((other) => other === face || overlap(face, other) > SAME_FACE);
		faces.push({ ...mean(same), score: face.score });
		left = left.filter((other) => !same.includes(other));
	}
	return faces;
}

function mean(faces: readonly Face[]): Omit<Face, "score"> {
	const total = faces.reduce((sum, { score }) => sum + score, 0);
	const of = (side: "left" | "top" | "width" | "height") =>
		faces.reduce((sum, face) => sum + face[side] * face.score, 0) / total;
	return { left: of("left"), top: of("top"), width: of("width"), height: of("height") };
}

function overlap(a: Face, b: Face): number {
	const across = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
	const down = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
	const common = Math.max(0, across) * Math.max(0, down);
	return common / (a.width * a.height + b.width * b.height - common);
}

function clipped(face: Face): Face {
	const left = Math.max(0, face.left);
	const top = Math.max(0, face.top);
	const width = Math.min(1, face.left + face.width) - left;
	const height = Math.min(1, face.top + face.height) - top;
	return { left, top, width, height, score: face.score };
}
