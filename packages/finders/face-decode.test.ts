import { expect, test } from "bun:test";
import { closeUp, FACE_SIDE, type Face, faceInput, facesIn, includes } from "./face-decode.ts";

const CELLS = 48;

/** What the model says when it sees these faces: middle, size (pixels of its square) and the number that becomes the score. */
function outputs(...seen: readonly { x: number; y: number; size: number; raw: number }[]) {
	const boxes = new Float32Array(CELLS * CELLS * 16);
	const scores = new Float32Array(CELLS * CELLS).fill(-20);
	for (const { x, y, size, raw } of seen) {
		const column = Math.floor((x / FACE_SIDE) * CELLS);
		const row = Math.floor((y / FACE_SIDE) * CELLS);
		const middle = [((column + 0.5) / CELLS) * FACE_SIDE, ((row + 0.5) / CELLS) * FACE_SIDE] as const;
		boxes.set([x - middle[0], y - middle[1], size, size], (row * CELLS + column) * 16);
		scores[row * CELLS + column] = raw;
	}
	return [boxes, scores] as const;
}

function rounded(face: Face | undefined): number[] {
	return [face?.left, face?.top, face?.width, face?.height].map(
		(share) => Math.round((share ?? Number.NaN) * 1000) / 1000,
	);
}

test("a wide picture lies in the middle of the model's square, between black bars", () => {
	const input = faceInput({ data: new Uint8Array(64 * 32 * 3).fill(255), width: 64, height: 32 });
	const at = (y: number) => input[(y * FACE_SIDE + 96) * 3];
	expect([at(0), at(47), at(48), at(143), at(144)].map((value) => Math.round(value ?? 0))).toEqual([-1, -1, 1, 1, -1]);
});

test("a face is told in shares of the picture, without the bars", () => {
	const [face] = facesIn({ width: 640, height: 320 }, ...outputs({ x: 96, y: 96, size: 48, raw: 3 }));
	expect(rounded(face)).toEqual([0.375, 0.25, 0.25, 0.5]);
	expect(face?.score).toBeCloseTo(0.953, 3);
});

test("a face that stands out of the picture is cut at its edge, and one outside of it is none", () => {
	const [face] = facesIn({ width: 640, height: 640 }, ...outputs({ x: 6, y: 96, size: 48, raw: 3 }));
	expect(rounded(face)).toEqual([0, 0.375, 0.156, 0.25]);
	expect(facesIn({ width: 640, height: 320 }, ...outputs({ x: 96, y: 20, size: 24, raw: 3 }))).toEqual([]);
});

test("neighbours that see the same face are one face, and what is unlikely is none", () => {
	const seen = outputs(
		{ x: 50, y: 50, size: 30, raw: 2 },
		{ x: 54, y: 50, size: 30, raw: 2 },
		{ x: 150, y: 50, size: 30, raw: 4 },
		{ x: 100, y: 150, size: 30, raw: -0.01 },
	);
	const faces = facesIn({ width: 192, height: 192 }, ...seen);
	expect(faces.map(rounded)).toEqual([
		[0.703, 0.182, 0.156, 0.156],
		[0.193, 0.182, 0.156, 0.156],
	]);
});

test("no more than 32 faces of a crowd", () => {
	const crowd = Array.from({ length: 100 }, (_, index) => ({
		x: 10 + (index % 10) * 18,
		y: 10 + Math.floor(index / 10) * 18,
		size: 10,
		raw: 2,
	}));
	expect(facesIn({ width: 192, height: 192 }, ...outputs(...crowd))).toHaveLength(32);
});

test("a close-up shows the surroundings, as far as there are any, and where the face is in them", () => {
	const data = Uint8Array.from({ length: 100 * 50 * 3 }, (_, index) => Math.floor(index / 3) % 100);
	const face = { left: 0.8, top: 0.4, width: 0.1, height: 0.2, score: 0.6 };
	const { picture, expected } = closeUp({ data, width: 100, height: 50 }, face);
	expect([picture.width, picture.height, picture.data[0]]).toEqual([35, 40, 65]);
	expect(rounded(expected)).toEqual([0.429, 0.375, 0.286, 0.25]);
	expect(includes([{ ...expected, left: 0.45 }], expected)).toBe(true);
	expect(includes([{ ...expected, left: 0 }], expected)).toBe(false);
});
