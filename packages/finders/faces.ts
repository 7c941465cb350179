import { type Finder, openFinder } from "./child.ts";
import type { Face } from "./face-decode.ts";

/** Finds the faces of a picture, surest first, 32 at most; none is an answer, too. */
type FaceFinder = Finder<readonly Face[]>;

/** A portrait takes 30 ms, a crowd half a second and so does starting; the rest is for a busy machine. */
const TIMEOUT_MS = 10_000;
const KEPT_BYTES = 256 * 1024 * 1024;

/** `timeoutMs` is shorter in tests only. */
export function openFaceFinder(timeoutMs = TIMEOUT_MS): FaceFinder {
	return openFinder("./face-worker.ts", [], { timeoutMs, keptBytes: KEPT_BYTES });
}
