import { serve } from "./child-program.ts";
import { refined } from "./guided.ts";
import { type Model, openModel } from "./litert.ts";
import { type RawPicture, resized } from "./picture.ts";
import { withoutSpecks } from "./specks.ts";

/* The program of a child process, started by subject.ts. */

const MODEL = "u2netp.tflite";
/** Side of the model's input, a square in three colours, and of its output. */
const SIDE = 320;
/** Mean of each colour, and how far it spreads, in the pictures that the model has learnt from (ImageNet). */
const MEAN = [0.485, 0.456, 0.406] as const;
const DEVIATION = [0.229, 0.224, 0.225] as const;
/** The model has seven masks: one of each of its six depths, and this one, which is made of all of them. */
const OF_ALL = 3;

/** The model is less sure than right: so much more does each of its numbers count. */
const GAIN = 1.5;
/** Where less belongs to the subject than this, one part of it ends. */
const FAINT = 0.1;

let opened: Promise<Model> | undefined;

/** How much of each pixel of a small picture belongs to the subject, 0 to 1. */
async function subjectIn(small: Float32Array): Promise<Float32Array> {
	opened ??= openModel(MODEL, [1, SIDE, SIDE, 3]);
	const model = await opened;
	const brightest = small.reduce((most, value) => Math.max(most, value), 1);
	const input = small.map((value, index) => {
		const colour = index % 3;
		return (value / brightest - (MEAN[colour] ?? 0)) / (DEVIATION[colour] ?? 1);
	});
	const values = (await model.run(input))[OF_ALL];
	if (values?.length !== SIDE * SIDE) throw new Error("the model's masks have its input's size");
	return values.map((value) => Math.min(1, value * GAIN));
}

await serve<RawPicture, Uint8Array>(async (picture) => {
	const small = resized(picture, SIDE, SIDE);
	const found = await subjectIn(small);
	const kept = withoutSpecks(
		Uint8Array.from(found, (value) => (value > FAINT ? 1 : 0)),
		SIDE,
	);
	const values = found.map((value, index) => (value > FAINT && kept[index] === 0 ? 0 : value));
	return refined(picture, small, { values, width: SIDE, height: SIDE });
});
