import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Failure } from "@svc/base/failure";
import type { Log, Staged } from "@svc/base/ports";
import type { Inspector } from "@svc/images/ports";
import { HEIC_REFUSAL } from "../inspect/heic.ts";
import { judged, type Suspect } from "../inspect/judge.ts";
import { WorkerError, WorkerLost } from "./failures.ts";
import type { Workers } from "./pool.ts";
import { UPLOAD } from "./price.ts";

const { signal: NEVER_ABORTED } = new AbortController();

interface InspectorOptions {
	readonly workers: Workers;
	readonly log: Pick<Log, "warn">;
}

/** Inspects received files in worker processes. */
export function workerInspector({ workers, log }: InspectorOptions): Inspector {
	return {
		async inspect(staged, hints, { formats, queued, ...rules }) {
			const { path, bytes } = staged;
			const sent = { ...rules, formats: [...formats], queued: [...(queued ?? [])] };
			const order = { kind: "inspect", file: { path, bytes }, hints, rules: sent } as const;
			const wish = { lane: "ingest", price: UPLOAD, signal: NEVER_ABORTED } as const;
			try {
				const { converted, ...facts } = await twice({ path, kind: "HEIC", log }, () =>
					workers.do<"inspect">(order, wish),
				);
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

/** Words of a decoder that are not known are heard in another process, too, before they count. */
async function twice<T>(suspect: Suspect, inspect: () => Promise<T>): Promise<T> {
	let first: unknown;
	try {
		return await inspect();
	} catch (error) {
		if (!isRefusal(error)) throw error;
		first = error;
	}
	return await inspect().catch((second: unknown) => {
		throw isRefusal(second) ? judged(suspect, first, second) : second;
	});
}

function isRefusal(error: unknown): boolean {
	return error instanceof WorkerError && error.name === HEIC_REFUSAL;
}

/** A file that takes too much processor time is refused; whatever else a worker is lost by may pass. */
function fault(error: unknown): unknown {
	if (!(error instanceof WorkerLost) || error.reason !== "cpu") return error;
	return new Failure("validation_error", { file: ["takes too long to decode"] }, { cause: error });
}

/** What a worker wrote beside the received file before it was lost. */
async function removeRemains({ path }: Staged): Promise<void> {
	const names = await readdir(dirname(path)).catch(() => []);
	const remains = names.filter((name) => name.startsWith(`${basename(path)}.`));
	await Promise.all(remains.map((name) => rm(join(dirname(path), name), { force: true }).catch(() => undefined)));
}
