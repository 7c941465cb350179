import { programPath } from "@svc/base/processes/programs";
import { type Finder, openChild } from "./child.ts";
import type { Face } from "./face-decode.ts";
import type { FaceTask } from "./face-worker.ts";
import { checkPicture, type RawPicture } from "./picture.ts";

/** Finds the faces of a picture, surest first, 32 at most; none is an answer, too. */
interface FaceFinder extends Finder<readonly Face[]> {
	/** Finds all that may be a face, small ones as well, some of them twice: for who wants none to be seen. */
	findEvery(picture: RawPicture, signal?: AbortSignal): Promise<readonly Face[]>;
}

/** A portrait takes 30 ms, a crowd half a second and so does starting; the rest is for a busy machine. */
const TIMEOUT_MS = 10_000;
const KEPT_BYTES = 256 * 1024 * 1024;

/** `timeoutMs` is shorter in tests only. */
export function openFaceFinder(timeoutMs = TIMEOUT_MS): FaceFinder {
	const program = programPath("./face-worker.ts", import.meta.url);
	const child = openChild<FaceTask, readonly Face[]>(program, [], { timeoutMs, keptBytes: KEPT_BYTES });
	const find = async (picture: RawPicture, every: boolean, signal?: AbortSignal) => {
		checkPicture(picture);
		const { data, width, height } = picture;
		return await child.ask({ data, width, height, every }, signal);
	};
	return {
		find: (picture, signal) => find(picture, false, signal),
		findEvery: (picture, signal) => find(picture, true, signal),
		close: child.close,
		get pid() {
			return child.pid;
		},
	};
}
