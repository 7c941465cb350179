import { serve } from "./child-program.ts";
import { closeUp, doubtful, FACE_SIDE, type Face, faceInput, facesIn, includes } from "./face-decode.ts";
import { type Model, openModel } from "./litert.ts";
import type { RawPicture } from "./picture.ts";

/* The program of a child process, started by faces.ts. */

const MODEL = "@mediapipe/face_detection/face_detection_full_range.tflite";

let opened: Promise<Model> | undefined;

async function look(picture: RawPicture): Promise<Face[]> {
	opened ??= openModel(MODEL, [1, FACE_SIDE, FACE_SIDE, 3]);
	const model = await opened;
	const [boxes, scores] = await model.run(faceInput(picture));
	if (!boxes || !scores) throw new Error("the face model has two outputs");
	return facesIn(picture, boxes, scores);
}

async function confirmed(picture: RawPicture, face: Face): Promise<boolean> {
	if (!doubtful(face)) return true;
	const near = closeUp(picture, face);
	return includes(await look(near.picture), near.expected);
}

await serve<RawPicture, Face[]>(async (picture) => {
	const faces: Face[] = [];
	for (const face of await look(picture)) if (await confirmed(picture, face)) faces.push(face);
	return faces;
});
