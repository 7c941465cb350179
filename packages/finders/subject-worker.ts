import { serve } from "./child-program.ts";
import { grabCut, withoutSpecks } from "./grab-cut.ts";
import { refined } from "./guided.ts";
import { type Model, openModel } from "./litert.ts";
import { type RawPicture, resized } from "./picture.ts";
import { seedOf } from "./subject-seed.ts";

/* The program of a child process, started by subject.ts. */

const MODEL = "@mediapipe/selfie_segmentation/selfie_segmentation.tflite";
/** Side of the model's input, a square in three colours, and of its output. */
const MODEL_SIDE = 256;
/** The time of a cut grows faster than its pixels; the edges come from the picture afterwards. */
const CUT_SIDE = 320;

let opened: Promise<Model> | undefined;

/** How sure the model is, for each pixel of a small picture, that it belongs to a person. */
async function personIn(picture: RawPicture, width: number, height: number): Promise<Float32Array> {
	opened ??= openModel(MODEL, [1, MODEL_SIDE, MODEL_SIDE, 3]);
	const model = await opened;
	const input = resized(picture, MODEL_SIDE, MODEL_SIDE).map((value) => value / 255);
	const [sure] = await model.run(input);
	if (!sure) throw new Error("the segmentation model has one output");
	return Float32Array.from({ length: width * height }, (_, index) => {
		const x = Math.floor((((index % width) + 0.5) * MODEL_SIDE) / width);
		const y = Math.floor(((Math.floor(index / width) + 0.5) * MODEL_SIDE) / height);
		return sure[y * MODEL_SIDE + x] ?? 0;
	});
}

await serve<RawPicture, Uint8Array | undefined>(async (picture) => {
	const scale = Math.min(1, CUT_SIDE / Math.max(picture.width, picture.height));
	const width = Math.max(1, Math.round(picture.width * scale));
	const height = Math.max(1, Math.round(picture.height * scale));
	const small = resized(picture, width, height);
	const { known, belief } = seedOf(await personIn(picture, width, height), small, width, height);
	const inside = await grabCut(small, known, width, height);
	if (!inside) return undefined;
	const kept = withoutSpecks(inside, width);
	const values = belief.map((value, index) => value * (kept[index] ?? 0));
	return refined(picture, small, { values, width, height });
});
