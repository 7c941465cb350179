import type { InferenceSession } from "onnxruntime-node";
import { serve } from "./child-program.ts";
import { between, type Coverage, level, positions, type RawPicture, resized } from "./picture.ts";

/* The program of a child process, started by subject.ts with the path of an operator's model. */

/** Mean of each colour, as the models for this task have been trained (ImageNet). */
const MEAN = [0.485, 0.456, 0.406] as const;
const DEVIATION = [0.229, 0.224, 0.225] as const;
/** The side used where the model takes any size. */
const USUAL_SIDE = 320;

interface Opened {
	readonly runtime: typeof import("onnxruntime-node");
	readonly session: InferenceSession;
	readonly width: number;
	readonly height: number;
}

let opened: Promise<Opened> | undefined;

async function open(path: string): Promise<Opened> {
	const runtime = await import("onnxruntime-node");
	const session = await runtime.InferenceSession.create(path, {
		executionProviders: ["cpu"],
		intraOpNumThreads: 1,
		enableCpuMemArena: false,
	});
	const [input] = session.inputMetadata;
	const [, colours, height, width] = input?.shape ?? [];
	if (session.inputNames.length !== 1 || input?.type !== "float32" || colours !== 3)
		throw new Error("the model must take one picture: float32, [1, 3, height, width]");
	return { runtime, session, width: sideOf(width), height: sideOf(height) };
}

function sideOf(length: number | string | undefined): number {
	return typeof length === "number" && length > 0 ? length : USUAL_SIDE;
}

/** Orders the numbers colour by colour. */
function planes(pixels: Float32Array): Float32Array {
	const count = pixels.length / 3;
	return Float32Array.from(pixels, (_, index) => {
		const colour = Math.floor(index / count);
		const value = (pixels[(index % count) * 3 + colour] ?? 0) / 255;
		return (value - (MEAN[colour] ?? 0)) / (DEVIATION[colour] ?? 1);
	});
}

async function coverageOf(picture: RawPicture): Promise<Coverage> {
	opened ??= open(process.argv[2] ?? "");
	const { runtime, session, width, height } = await opened;
	const input = new runtime.Tensor("float32", planes(resized(picture, width, height)), [1, 3, height, width]);
	const outputs = await session.run({ [session.inputNames[0] ?? ""]: input });
	const output = outputs[session.outputNames[0] ?? ""];
	const [rows = 0, columns = 0] = output?.dims.slice(-2) ?? [];
	if (!(output?.data instanceof Float32Array) || output.data.length !== rows * columns)
		throw new Error("the model must give one mask first: float32, [1, 1, height, width]");
	return { values: shares(output.data), width: columns, height: rows };
}

/** Some models end before the function that makes shares of their numbers. */
function shares(values: Float32Array): Float32Array {
	const done = values.every((value) => value >= -0.01 && value <= 1.01);
	return done ? values : values.map((value) => 1 / (1 + Math.exp(-value)));
}

await serve<RawPicture, Uint8Array>(async (picture) => {
	const { values, width, height } = await coverageOf(picture);
	const alpha = new Uint8Array(picture.width * picture.height);
	const across = positions(width, picture.width);
	let at = 0;
	for (const y of positions(height, picture.height))
		for (const x of across) alpha[at++] = level(between(values, width, x, y));
	return alpha;
});
