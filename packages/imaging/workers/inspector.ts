import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Failure } from "@svc/base/failure";
import type { Staged } from "@svc/base/ports";
import type { Inspector } from "@svc/images/ports";
import { wordsOf } from "../inspect/decoder-words.ts";
import { UNKNOWN_WORDS, undecodable } from "../inspect/judge.ts";
import { WorkerError, WorkerLost } from "./failures.ts";
import { TIME_LIMITS, type Workers } from "./pool.ts";
import { UPLOAD } from "./price.ts";

// Once the whole body is here, a caller who hangs up changes nothing.
const { signal: NEVER_ABORTED } = new AbortController();

/** Inspects received files in worker processes; what could not be decoded in `memoryBytes` is refused. */
export function workerInspector(workers: Workers, memoryBytes: number): Inspector {
	return {
		async inspect(staged, hints, { formats, queued, ...rules }, share) {
			const { path, bytes } = staged;
			const sent = { ...rules, formats: [...formats], queued: [...(queued ?? [])] };
			const order = { kind: "inspect", file: { path, bytes }, hints, rules: sent, mostBytes: memoryBytes } as const;
			const wish = { lane: "ingest", price: UPLOAD, visitor: share, signal: NEVER_ABORTED } as const;
			try {
				const { converted, ...facts } = await twice(() => workers.do<"inspect">(order, wish));
				if (!converted) return { ...facts, master: staged };
				await staged.discard();
				return { ...facts, master: { ...converted, discard: () => rm(converted.path, { force: true }) } };
			} catch (error) {
				if (error instanceof WorkerLost) await removeRemains(staged);
				throw fault(error);
			}
		},
	};
}

/** Words of a decoder that are not known count when another process hears them as well. */
async function twice<T>(inspect: () => Promise<T>): Promise<T> {
	let first: WorkerError;
	try {
		return await inspect();
	} catch (error) {
		if (!isUnknown(error)) throw error;
		first = error;
	}
	return await inspect().catch((second: unknown) => {
		const isSame = isUnknown(second) && wordsOf(second.cause) === wordsOf(first.cause);
		throw isSame ? undecodable(second.message, second.cause) : second;
	});
}

function isUnknown(error: unknown): error is WorkerError {
	return error instanceof WorkerError && error.name === UNKNOWN_WORDS;
}

/** A file that takes too much processor time is refused; whatever else a worker is lost by may pass. */
function fault(error: unknown): unknown {
	if (!(error instanceof WorkerLost) || error.reason !== "cpu") return error;
	const seconds = TIME_LIMITS.cpuMs / 1_000;
	const message = `takes more than ${seconds} seconds of processor time to decode`;
	return new Failure("validation_error", { file: [message] }, { cause: error });
}

/** What a worker wrote beside the received file before it was lost. */
async function removeRemains({ path }: Staged): Promise<void> {
	const names = await readdir(dirname(path)).catch(() => []);
	const remains = names.filter((name) => name.startsWith(`${basename(path)}.`));
	await Promise.all(remains.map((name) => rm(join(dirname(path), name), { force: true }).catch(() => undefined)));
}
