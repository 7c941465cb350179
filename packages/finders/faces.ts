import { fileURLToPath } from "node:url";
import { openChild } from "./child.ts";
import type { Face } from "./face-decode.ts";
import { checkPicture, type RawPicture } from "./picture.ts";

export interface FaceFinder {
	/**
	 * The faces of a picture, surest first, 32 at most; none is an answer, too.
	 * @throws FinderFailure when there is no answer. RangeError for something that is not an analysis picture. The signal's reason when
	 * it aborts before the picture's turn.
	 */
	find(picture: RawPicture, signal?: AbortSignal): Promise<readonly Face[]>;
	/** Ends the process, and the finder with it. */
	close(): void;
	/** Of the process, while there is one. */
	readonly pid: number | undefined;
}

/** A portrait takes 30 ms, a crowd half a second and so does starting; the rest is for a busy machine. */
const TIMEOUT_MS = 10_000;
const KEPT_BYTES = 256 * 1024 * 1024;

const PROGRAM = fileURLToPath(new URL("./face-worker.ts", import.meta.url));

/** `timeoutMs` is shorter in tests only. */
export function openFaceFinder(timeoutMs = TIMEOUT_MS): FaceFinder {
	const child = openChild<RawPicture, Face[]>(PROGRAM, [], { timeoutMs, keptBytes: KEPT_BYTES });
	return {
		find: async (picture, signal) => {
			checkPicture(picture);
			const { data, width, height } = picture;
			return child.ask({ data, width, height }, signal);
		},
		close: child.close,
		get pid() {
			return child.pid;
		},
	};
}
