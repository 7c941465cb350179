import { setTimeout as pause } from "node:timers/promises";
import { SOURCE_FORMATS } from "@svc/base/enumerations";
import { Failure, JobFailure } from "@svc/base/failure";
import { type JobRun, JobStopped, requireLease } from "@svc/jobs/jobs";
import type { Image } from "../images.ts";
import type { FileHints, FileRules, Inspected } from "../ports.ts";
import type { Images } from "../room.ts";
import { uploadShare } from "./create-image.ts";
import { dropBlob, newImageSlot, putMaster } from "./image-slot.ts";
import type { Processed } from "./processing-store.ts";

/* Images that were answered as `processing` become `ready` or `failed`. The process may end after any step. */

/** The result of a job, which operators read. */
export interface ProcessedResult {
	/** "gone": there is nothing left to process. */
	readonly status: "ready" | "failed" | "gone";
	/** Why the file is refused. */
	readonly reason?: string;
}

/** For faults of ours, which mostly pass: with the waits between the tries, several minutes. */
const TRIES = 6;
/** A file that crashes the process must not do so for ever. */
const TRIES_CUT_OFF = 3;
/** The file was accepted when it was received: the formats that this deployment takes by now do not matter. */
const ACCEPTED: FileRules = { maxBytes: Number.MAX_SAFE_INTEGER, formats: new Set(SOURCE_FORMATS) };
const NO_HINTS: FileHints = { filename: undefined, contentType: undefined };

/** @throws JobFailure once the image has failed for faults of ours; whatever else it throws is worth another try. */
export async function processImage(room: Images, run: JobRun<"image.process">): Promise<ProcessedResult> {
	const image = await room.processing.find(run.job.payload.imageId, room.clock.now());
	// An earlier try has finished it, or it was deleted or has expired.
	if (!image) return { status: "gone" };
	const { attempts, cutOff } = run.job;
	if (cutOff && attempts > TRIES_CUT_OFF) {
		return await giveUp(room, run, image, new Error("the process ended in the middle of the try before this one"));
	}
	try {
		return await settle(room, run, image);
	} catch (cause) {
		if (cause instanceof JobStopped) throw cause;
		if (isRefusal(cause)) return await fail(room, run, image, cause.details?.file?.join("; ") ?? cause.message);
		if (attempts < TRIES) throw cause;
		return await giveUp(room, run, image, cause);
	}
}

/** The file causes the failure, and would cause it again. */
function isRefusal(cause: unknown): cause is Failure {
	return cause instanceof Failure && cause.code === "validation_error";
}

async function settle(room: Images, run: JobRun, image: Image): Promise<ProcessedResult> {
	const blob = await room.masters.find(image.blobKey);
	if (!blob) throw new Error(`The blob of ${image.id} is missing.`);
	// The inspector gets a copy among the received files: it uses up its file, and the sweep removes what a crash leaves there.
	const copy = await room.blobs.stage(blob.stream(), blob.bytes);
	const leftovers = [copy];
	const share = uploadShare(image.appPk, image.storagePk);
	try {
		const inspected = await inTurn(run, () => room.inspector.inspect(copy, NO_HINTS, ACCEPTED, share));
		leftovers.push(inspected.master);
		await run.yieldToRequests();
		return await finish(room, run, image, inspected, inspected.master === copy);
	} finally {
		for (const staged of leftovers) await staged.discard();
	}
}

/** A refusal by the line is no failure and no try: an image that was answered as accepted has all the time it needs. */
async function inTurn<T>(run: JobRun, work: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await work();
		} catch (cause) {
			if (!(cause instanceof Failure) || cause.retryAfterSeconds === undefined) throw cause;
			const waitMs = cause.retryAfterSeconds * 1_000;
			await pause(waitMs);
			await run.yieldToRequests();
		}
	}
}

async function finish(
	room: Images,
	run: JobRun,
	image: Image,
	{ master, format, width, height, seen }: Inspected,
	unchanged: boolean,
): Promise<ProcessedResult> {
	const now = room.clock.now();
	const { blobKey } = newImageSlot(image.id);
	const stored = unchanged ? undefined : { blobKey, bytes: master.bytes, sha256: master.sha256 };
	const processed: Processed = { format, width, height, master: stored, seen };
	if (!unchanged) {
		await room.store.claimBlob(blobKey, now);
		await putMaster(room, blobKey, master);
	}
	const refusal = await room.processing.finish(run.job.lease, image, processed, now);
	if (refusal && !unchanged) await dropBlob(room, blobKey);
	const cause = requireLease(refusal);
	if (cause === "fenced") throw new Error("the sweep had marked the new master dead: this job slept for too long");
	if (cause === "gone") return { status: "gone" };
	const { bytes } = master;
	room.shrunkMasters.want({ ...image, status: "ready", format, width, height, bytes, ...(!unchanged && { blobKey }) });
	return { status: "ready" };
}

async function fail(room: Images, run: JobRun, image: Image, reason: string): Promise<ProcessedResult> {
	const refusal = requireLease(await room.processing.fail(run.job.lease, image, room.clock.now()));
	return refusal ? { status: "gone" } : { status: "failed", reason };
}

/** The image fails first: a failed job is not tried again by itself. */
async function giveUp(room: Images, run: JobRun, image: Image, cause: unknown): Promise<never> {
	await fail(room, run, image, "");
	throw new JobFailure(`The image could not be processed in ${run.job.attempts} tries.`, { cause });
}
