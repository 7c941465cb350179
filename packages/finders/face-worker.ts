import { serve } from "./child-program.ts";
import {
	closeUp,
	doubtful,
	FACE_SIDE,
	type Face,
	faceInput,
	facesIn,
	includes,
	inWhole,
	partsOf,
} from "./face-decode.ts";
import { type Model, openModel } from "./litert.ts";
import { part, type RawPicture } from "./picture.ts";

/* The program of a child process, started by faces.ts. */

const MODEL = "face_detection_full_range.tflite";

let opened: Promise<Model> | undefined;

/** What is asked: a picture, and whether all that may be faces is wanted. */
export interface FaceTask extends RawPicture {
	readonly every?: boolean;
}

async function look(picture: RawPicture, every = false): Promise<Face[]> {
	opened ??= openModel(MODEL, [1, FACE_SIDE, FACE_SIDE, 3]);
	const model = await opened;
	const [boxes, scores] = await model.run(faceInput(picture));
	if (!boxes || !scores) throw new Error("the face model has two outputs");
	return facesIn(picture, boxes, scores, every);
}

async function confirmed(picture: RawPicture, face: Face): Promise<boolean> {
	if (!doubtful(face)) return true;
	const near = closeUp(picture, face);
	return includes(await look(near.picture), near.expected);
}

async function every(picture: RawPicture): Promise<Face[]> {
	const faces = await look(picture, true);
	for (const box of partsOf(picture)) {
		// From very near the model takes leaves and buttons for faces.
		const isNear = box.width < picture.width / 2;
		for (const face of await look(part(picture, box), !isNear)) faces.push(inWhole(face, box, picture));
	}
	return faces;
}

await serve<FaceTask, Face[]>(async ({ every: all, ...picture }) => {
	if (all) return await every(picture);
	const faces: Face[] = [];
	for (const face of await look(picture)) if (await confirmed(picture, face)) faces.push(face);
	return faces;
});
