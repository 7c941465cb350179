import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Failure } from "@svc/base/failure";
import type { Staged } from "@svc/base/ports";
import type { Inspector, Stripped } from "@svc/images/ports";
import type { SeenFacts } from "@svc/images/transform/analysis";
import { wordsOf } from "../inspect/decoder-words.ts";
import { UNKNOWN_WORDS, undecodable } from "../inspect/judge.ts";
import { WorkerError, WorkerLost } from "./failures.ts";
import type { FreshCopies } from "./fresh-copies.ts";
import type { Work } from "./orders.ts";
import { TIME_LIMITS, type Workers } from "./pool/pool.ts";
import { UPLOAD } from "./price.ts";

// Once the whole body is here, a caller who hangs up changes nothing.
const { signal: NEVER_ABORTED } = new AbortController();

/** Where what is made goes on the way: the smaller copies that a received file is proven by, and the file as it is served without parameters. */
interface Copying {
	/** A path for new files, on the disk of the rendition cache. */
	readonly scratch: () => string;
	readonly fresh: FreshCopies;
	/** Whether the smallest size of each picture is made. */
	readonly smallest: boolean;
}

/**
 * Inspects received files in worker processes; what could not be decoded in `memoryBytes` is refused. Without `copying` no smaller copies
 * are made on the way.
 */
export function workerInspector(workers: Workers, memoryBytes: number, copying?: Copying): Inspector {
	return {
		async inspect(staged, hints, { formats, queued, ...rules }, share) {
			const { path, bytes } = staged;
			const sent = { ...rules, formats: [...formats], queued: [...(queued ?? [])] };
			const out = copying?.scratch();
			const limits = { rules: sent, mostBytes: memoryBytes };
			const file = { path, bytes, sha256: Buffer.from(staged.sha256).toString("hex") };
			const wanted = { out, smallest: copying?.smallest ?? false };
			const order = { kind: "inspect", file, hints, ...limits, ...wanted } as const;
			const wish = { lane: "ingest", price: UPLOAD, visitor: share, signal: NEVER_ABORTED } as const;
			try {
				const answer = await twice(() => workers.do<"inspect">(order, wish));
				keepFresh(copying, staged, answer);
				const { converted, format, width, height, queued, stripped } = answer;
				const facts = { format, width, height, queued, seen: seenOf(stripped) };
				if (!converted) return { ...facts, master: staged };
				await staged.discard();
				return { ...facts, master: { ...converted, discard: () => rm(converted.path, { force: true }) } };
			} catch (error) {
				if (error instanceof WorkerLost) await removeRemains(path);
				if (out !== undefined) await removeRemains(out);
				throw fault(error);
			}
		},
	};
}

/** Most pictures are JPEGs: after a restart none of a page has to be looked at again. */
function seenOf(stripped: Stripped | undefined): SeenFacts | undefined {
	if (!stripped) return undefined;
	const { format, overview, mends } = stripped;
	return { ...overview, ...(mends && format === "jpg" && { mends }) };
}

function keepFresh(
	copying: Copying | undefined,
	staged: Staged,
	{ converted, copies, stripped }: Work["inspect"]["answer"],
): void {
	copying?.fresh.add(staged.sha256, new Map(copies.map(({ factor, made }) => [factor, made])));
	if (stripped) copying?.fresh.addStripped((converted ?? staged).sha256, stripped);
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

/** What a worker wrote before it was lost, or before it found out that the file is damaged: names that begin with the path. */
async function removeRemains(path: string): Promise<void> {
	const names = await readdir(dirname(path)).catch(() => []);
	const remains = names.filter((name) => name.startsWith(`${basename(path)}.`));
	await Promise.all(remains.map((name) => rm(join(dirname(path), name), { force: true }).catch(() => undefined)));
}
