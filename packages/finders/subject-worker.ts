import { serve } from "./child-program.ts";
import { refined } from "./guided.ts";
import { type Model, openModel } from "./litert.ts";
import { type RawPicture, resized } from "./picture.ts";
import { withoutSpecks } from "./specks.ts";

/* The program of a child process, started by subject.ts. */

const MODEL = "u2netp.tflite";
/** Side of the model's input, a square in three colours. */
const SIDE = 320;
/** Side of its mask: the model's depth for all pixels is cut off, as it takes half of the time and the guided filter finds edges as well. */
const MASK_SIDE = 160;
/** Mean of each colour, and how far it spreads, in the pictures that the model has learnt from (ImageNet). */
const MEAN = [0.485, 0.456, 0.406] as const;
const DEVIATION = [0.229, 0.224, 0.225] as const;

/** The model is less sure than right: so much more does each of its numbers count. */
const GAIN = 2.25;
/** Where less belongs to the subject than this, one part of it ends. */
const FAINT = 0.1;

let opened: Promise<Model> | undefined;

/** How much of each pixel of the mask belongs to the subject, 0 to 1. */
async function subjectIn(picture: RawPicture): Promise<Float32Array> {
	opened ??= openModel(MODEL, [1, SIDE, SIDE, 3]);
	const model = await opened;
	const small = resized(picture, SIDE, SIDE);
	const brightest = small.reduce((most, value) => Math.max(most, value), 1);
	const input = small.map((value, index) => {
		const colour = index % 3;
		return (value / brightest - (MEAN[colour] ?? 0)) / (DEVIATION[colour] ?? 1);
	});
	const [values] = await model.run(input);
	if (values?.length !== MASK_SIDE ** 2) throw new Error("the model's mask has half of its input's sides");
	return values.map((value) => Math.min(1, value * GAIN));
}

await serve<RawPicture, Uint8Array>(async (picture) => {
	const found = await subjectIn(picture);
	const kept = withoutSpecks(
		Uint8Array.from(found, (value) => (value > FAINT ? 1 : 0)),
		MASK_SIDE,
	);
	const values = found.map((value, index) => (value > FAINT && kept[index] === 0 ? 0 : value));
	const small = resized(picture, MASK_SIDE, MASK_SIDE);
	return refined(picture, small, { values, width: MASK_SIDE, height: MASK_SIDE });
});
