import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { BlobStore, Staged } from "@svc/base/ports";

/** Twenty megabytes take two seconds; what takes much longer is made to. */
const TIMEOUT_MS = 15_000;
const PROGRAM = fileURLToPath(new URL("./copy-worker.ts", import.meta.url));

type Copy = Pick<Staged, "path" | "discard">;

/**
 * A sequential JPEG of the same pixels as the progressive one at `path`; undefined when there is none: decoding the original
 * shows whether it is damaged or only unusual. `timeoutMs` is shorter in tests only.
 */
export async function sequentialCopy(
	path: string,
	stage: BlobStore["stage"],
	timeoutMs = TIMEOUT_MS,
): Promise<Copy | undefined> {
	// The original was accepted although the disk is almost full, and it may yet be decoded without a copy.
	const copy = await stage(nothing(), 0).catch(() => undefined);
	if (!copy || (await isWritten(path, copy.path, timeoutMs))) return copy;
	await copy.discard();
	return undefined;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/**
 * A process for each copy: it starts within milliseconds, and neither a hang nor its memory stays. It works on hostile input, so it sees
 * none of the service's secrets: not through its environment, and not through a `.env` file beside its working directory.
 */
function isWritten(from: string, to: string, timeoutMs: number): Promise<boolean> {
	return new Promise((resolve) => {
		const child = spawn(process.execPath, [PROGRAM, from, to], {
			env: { MALLOC_ARENA_MAX: "2" },
			cwd: dirname(PROGRAM),
			stdio: ["ignore", "ignore", "inherit"],
			timeout: timeoutMs,
			killSignal: "SIGKILL",
		});
		child.once("exit", (code) => resolve(code === 0));
		child.once("error", () => resolve(false));
	});
}
