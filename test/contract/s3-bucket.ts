import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type S3BlobsOptions, s3Blobs } from "@svc/storage/s3/s3";
import { type FakeS3, fakeS3 } from "../support/s3.ts";
import { inChunks } from "./bytes.ts";

export const MIB = 1_024 ** 2;
export const PACE = { tries: 4, answerMs: 500, wholeMs: 5_000, bytesPerMs: 100_000, waitMs: 5 };

export interface OpenBucket {
	/** Where its blob stores receive files. */
	readonly dir: string;
	readonly s3: FakeS3;
	/** What they logged. */
	readonly warned: unknown[];
	open(overrides?: Partial<S3BlobsOptions>): ReturnType<typeof s3Blobs>;
	put(key: string, bytes: Uint8Array, store?: ReturnType<typeof s3Blobs>): Promise<void>;
	stored(
		key: string,
		store?: ReturnType<typeof s3Blobs>,
	): Promise<NonNullable<Awaited<ReturnType<ReturnType<typeof s3Blobs>["find"]>>>>;
	/** How many requests of this method came. */
	count(method: string): number;
	close(): Promise<void>;
}

/** A bucket of its own, and blob stores on it that lose patience soon. */
export async function openBucket(): Promise<OpenBucket> {
	const dir = await mkdtemp(join(tmpdir(), "svc-s3-"));
	const s3 = await fakeS3();
	const warned: unknown[] = [];
	const log = { warn: (message: string, facts: unknown) => warned.push([message, facts]) };
	const open: OpenBucket["open"] = (overrides = {}) => s3Blobs({ ...s3.bucket, dir, log, pace: PACE, ...overrides });
	return {
		dir,
		s3,
		warned,
		open,
		async put(key, bytes, store = open()) {
			await store.put(key, await store.stage(inChunks(bytes, 65_536), 200 * MIB));
		},
		async stored(key, store = open()) {
			const blob = await store.find(key);
			if (!blob) throw new Error(`there is no blob ${key}`);
			return blob;
		},
		count: (method) => s3.seen.filter((one) => one.method === method).length,
		async close() {
			await s3.close();
			await rm(dir, { recursive: true });
		},
	};
}

export async function errorOf(work: Promise<unknown>): Promise<Error> {
	const error = await work.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (!(error instanceof Error)) throw new Error("expected an error", { cause: error });
	return error;
}

/** Everything that is told about an error, to its last cause. */
export function told(error: unknown): string {
	return error instanceof Error ? `${error.message} ${error.stack} ${told(error.cause)}` : JSON.stringify(error ?? "");
}
