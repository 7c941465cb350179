import { accessSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { Mask } from "@svc/images/transform/analysis";
import { type Finder, FinderFailure, openFinder } from "./child.ts";

/**
 * Finds what a picture is about; undefined when that is hardly anything (below 1 % of the area) or nearly all of it (above 95 %).
 */
export interface SubjectFinder extends Finder<SubjectMask | undefined> {
	/** Tells what it finds from what another model, or another version of it, would find. */
	readonly model: string;
}

interface SubjectOptions {
	/** An operator's own model: an ONNX file that takes one picture and gives one mask. Needs onnxruntime-node. */
	readonly modelPath?: string;
	/** Tests shorten it. */
	readonly timeoutMs?: number;
}

const SMALLEST_SHARE = 0.01;
const LARGEST_SHARE = 0.95;

/** Raised whenever the built-in models come to find other subjects. */
const OWN_MODEL = "built-in 3";

/** A picture takes about half a second of a core, and starting another; the rest is for a busy machine. */
const OWN = { program: "./subject-worker.ts", timeoutMs: 15_000, keptBytes: 512 * 1024 * 1024 };
/** The largest models in use take half a minute on one core, and a gigabyte. */
const ONNX = { program: "./onnx-worker.ts", timeoutMs: 60_000, keptBytes: 2048 * 1024 * 1024 };

/** @throws FinderFailure `unavailable` when there is a `modelPath`, and either that file or what runs it is missing. */
export function openSubjectFinder({ modelPath, timeoutMs }: SubjectOptions = {}): SubjectFinder {
	const { program, ...limits } = modelPath === undefined ? OWN : ONNX;
	const file = modelPath === undefined ? undefined : checkedModel(modelPath);
	const finder = openFinder<Uint8Array | undefined>(program, file ? [file.path] : [], {
		...limits,
		...(timeoutMs !== undefined && { timeoutMs }),
	});
	return {
		find: async (picture, signal) => {
			const alpha = await finder.find(picture, signal);
			const mask = alpha && maskOf(alpha, picture.width, picture.height);
			return mask && mask.share >= SMALLEST_SHARE && mask.share <= LARGEST_SHARE ? mask : undefined;
		},
		close: finder.close,
		get pid() {
			return finder.pid;
		},
		model: file?.identity ?? OWN_MODEL,
	};
}

/** Checked when the service starts rather than with the first picture. */
function checkedModel(modelPath: string): { readonly path: string; readonly identity: string } {
	const path = resolve(modelPath);
	const identity = identityOf(path);
	try {
		createRequire(import.meta.url).resolve("onnxruntime-node");
	} catch (error) {
		throw new FinderFailure(
			"unavailable",
			"a model of your own needs onnxruntime-node; add it with `bun add onnxruntime-node`",
			{
				cause: error,
			},
		);
	}
	return { path, identity };
}

/** The file is not read: it may be a gigabyte. If a copy counts as another file, the only cost is that subjects are found again. */
function identityOf(path: string): string {
	try {
		accessSync(path, constants.R_OK);
		const { size, mtimeMs } = statSync(path);
		return `${path} ${size} ${mtimeMs}`;
	} catch (error) {
		throw new FinderFailure("unavailable", `${path} cannot be read`, { cause: error });
	}
}

/** The mask has the size of the analysis picture. */
export interface SubjectMask extends Mask {
	/** The subject's share of the area, 0 to 1. */
	readonly share: number;
}

export function maskOf(alpha: Uint8Array, width: number, height: number): SubjectMask {
	const sum = alpha.reduce((total, value) => total + value, 0);
	return { width, height, alpha, share: sum / (255 * alpha.length) };
}
