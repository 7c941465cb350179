import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Failure } from "@svc/base/failure";
import type { BlobStore, Log, Staged, StoredBlob } from "@svc/base/ports";
import { foldersUnder } from "../folders.ts";
import { checkKey, taken } from "../keys.ts";
import { discard, onDisk, stagingIn } from "../staging.ts";
import { S3Error } from "./errors.ts";
import { fileStream } from "./file-stream.ts";
import { checksumOf, drained, headOf, listObjects, MARK, ONCE, removeFrom, storedObject } from "./objects.ts";
import { probeBucket, verifyBucket } from "./probe.ts";
import { type Bucket, type Pace, type S3Requests, s3Requests } from "./requests.ts";

/** How long the store is waited for where a person, or a start, waits. Who puts something also asks once what became of it. */
export const S3_PACE: Pace = { tries: 5, answerMs: 10_000, wholeMs: 25_000, bytesPerMs: 1_000, waitMs: 100 };
/** Who looks at a picture does not wait for long. */
const READ_PACE: Pace = { ...S3_PACE, answerMs: 5_000, wholeMs: 5_000 };
/** A readiness check is answered before this is over: what it finds out is whether the store works at all, not how fast it is. */
const PROBE_PACE: Pace = { ...S3_PACE, tries: 2 };
const RETRY_SECONDS = 2;
const AWAY = "The store of the pictures did not answer in time; try again.";

export interface S3BlobsOptions extends Bucket {
	/** Where files are received before they are put. Owned by one process at a time. */
	readonly dir: string;
	/** Below this much free space nothing is staged any more. */
	readonly freeFloorBytes?: number;
	readonly log: Pick<Log, "warn">;
	/** Tests shorten the waits. */
	readonly pace?: Partial<Pace>;
}

interface S3BlobStore extends BlobStore {
	/**
	 * Whether the bucket keeps the promises of a blob store, tried for real.
	 * @throws Error saying what is wrong with it, without secrets
	 */
	verify(): Promise<void>;
}

/** Blobs as objects `<key>` of one bucket; received on this machine's disk first, so that size and hash are known before a PUT. */
export function s3Blobs({ dir, freeFloorBytes = 0, log, pace, ...bucket }: S3BlobsOptions): S3BlobStore {
	const root = resolve(dir);
	const staging = stagingIn({ root, folders: foldersUnder(root), freeFloorBytes });
	const requests = s3Requests(bucket, { ...S3_PACE, ...pace }, log);
	/** Until `verify` has found out otherwise. */
	let checksums = true;
	const probing = s3Requests(bucket, { ...PROBE_PACE, ...pace }, log);
	const reading = answeredLater(s3Requests(bucket, { ...READ_PACE, ...pace }, log), log);

	/** Resolves once the store has acknowledged the blob: durable by its own promise. */
	async function put(key: string, staged: Staged): Promise<void> {
		checkKey(key);
		await onDisk(() => checkWhole(staged));
		const mark = randomUUID();
		try {
			await send(key, staged, { ...ONCE, [MARK]: mark });
		} catch (cause) {
			if (!(await isOurs(key, mark, cause))) throw notPut(cause);
		}
		await discard(staged.path);
	}

	/** An object changes at once, and a try that is repeated puts the same bytes. */
	async function replace(key: string, staged: Staged): Promise<void> {
		checkKey(key);
		await onDisk(() => checkWhole(staged));
		await send(key, staged, { [MARK]: randomUUID() });
		await discard(staged.path);
	}

	async function send(key: string, { path, bytes, sha256 }: Staged, headers: Readonly<Record<string, string>>) {
		const upload = { open: () => fileStream(path), bytes, sha256 };
		const all = { ...headers, ...(checksums && checksumOf(sha256)) };
		await requests.send({ method: "PUT", key, upload, headers: all }, drained);
	}

	/** Whether a put that failed by what is known has happened after all: its answer, or that of an earlier try, may have been lost. */
	async function isOurs(key: string, mark: string, cause: unknown): Promise<boolean> {
		const exists = cause instanceof S3Error && cause.status === 412;
		if (!exists && !(cause instanceof S3Error && cause.passing)) return false;
		const found = await headOf(reading, key).catch(() => undefined);
		if (found?.mark === mark) return true;
		if (exists && found) throw taken(key);
		return false;
	}

	async function find(key: string): Promise<StoredBlob | undefined> {
		checkKey(key);
		const found = await headOf(reading, key);
		return found && storedObject(reading, key, found);
	}

	function expected(key: string, bytes: number): StoredBlob {
		checkKey(key);
		return storedObject(reading, key, { bytes, etag: null, checksum: undefined });
	}

	async function remove(key: string): Promise<void> {
		checkKey(key);
		await removeFrom(requests, key);
	}

	async function probe(): Promise<void> {
		await staging.probe();
		await probeBucket(probing);
	}

	const list = (prefix: string, after?: string) => listObjects(requests, prefix, after);

	async function verify(): Promise<void> {
		({ checksums } = await verifyBucket(requests));
	}

	return { ...staging, local: false, put, replace, find, expected, remove, list, probe, verify };
}

/** The same requests; where the store is away, whoever reads is told when to come back. */
function answeredLater(requests: S3Requests, log: Pick<Log, "warn">): S3Requests {
	return {
		async send(request, receive) {
			try {
				return await requests.send(request, receive);
			} catch (cause) {
				if (!(cause instanceof S3Error && cause.away)) throw cause;
				log.warn("the object store was waited for in vain", { why: cause.message });
				throw new Failure("server_error", undefined, { ...later(cause), message: AWAY });
			}
		},
	};
}

function notPut(cause: unknown): Failure {
	return new Failure("upload_failed", undefined, cause instanceof S3Error && cause.away ? later(cause) : { cause });
}

function later(cause: unknown) {
	return { cause, timedOut: true, retryAfterSeconds: RETRY_SECONDS };
}

/** A staged file that was swept or cut short meanwhile would only be found out by the store, again with every try. */
async function checkWhole({ path, bytes }: Staged): Promise<void> {
	const { size } = await stat(path);
	if (size !== bytes) throw new Error(`${path} has ${size} bytes where ${bytes} were received`);
}
