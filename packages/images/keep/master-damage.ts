import { createHash } from "node:crypto";
import { digestIfReadable } from "@svc/base/crypto/digest";
import type { DamageKind, ImageFormat } from "@svc/base/enumerations";
import type { BlobDigest, StoredBlob } from "@svc/base/ports";

/* What is wrong with the stored bytes of a master, and how closely one looks. */

/** What the database tells of a master. */
export interface MasterRecord extends BlobDigest {
	readonly pk: number;
	readonly imageId: string;
	readonly appId: string;
	readonly blobKey: string;
	readonly format: ImageFormat;
	readonly width: number;
	readonly height: number;
	readonly createdMs: number;
	/** Whether something else was sent, which became this. */
	readonly isConverted: boolean;
	/** The damage that was found before, and not mended since. */
	readonly known: DamageKind | null;
}

export interface Damage {
	readonly kind: DamageKind;
	/** What is there instead; undefined where nothing is, or nothing that can be read. */
	readonly found: { readonly bytes: number; readonly sha256?: string } | undefined;
}

/**
 * How closely a master is looked at: its length; also the checksum that a store keeps, where it keeps one; that checksum, or else the bytes;
 * the bytes.
 */
export type Depth = "size" | "checksum" | "stored" | "all";

const HASHED_AT_ONCE = 1_048_576;

/** How the stored bytes differ from what the database tells of them; undefined where they do not. */
export async function compare(
	{ bytes, sha256 }: MasterRecord,
	blob: StoredBlob | undefined,
	depth: Depth,
	between?: (bytes: number) => Promise<void>,
): Promise<Damage | undefined> {
	if (blob === undefined) return { kind: "missing", found: undefined };
	if (blob.bytes !== bytes) return { kind: "size", found: { bytes: blob.bytes } };
	if (!looksAtBytes(depth, blob)) return undefined;
	const kept = depth !== "all" && blob.checksum !== undefined;
	const found = kept ? { bytes, sha256: blob.checksum } : await digestIfReadable(blob.digest(between));
	if (found === undefined) return { kind: "digest", found };
	if (found.bytes !== bytes) return { kind: "size", found };
	return found.sha256 === sha256 ? undefined : { kind: "digest", found };
}

export function looksAtBytes(depth: Depth, blob: StoredBlob | undefined): boolean {
	return depth === "checksum" ? blob?.checksum !== undefined : depth !== "size";
}

/** The same bytes; where they cannot be read, `why` says what the reader is told. */
export function explained(
	bytes: ReadableStream<Uint8Array<ArrayBuffer>>,
	why: (cause: unknown) => Promise<unknown>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
	const reader = bytes.getReader();
	return new ReadableStream(
		{
			async pull(controller) {
				try {
					const { done, value } = await reader.read();
					if (done) controller.close();
					else controller.enqueue(value);
				} catch (cause) {
					controller.error(await why(cause));
				}
			},
			cancel: (reason) => reader.cancel(reason),
		},
		{ highWaterMark: 0 },
	);
}

/** The same bytes; who reads them to the end is told there whether they were right. */
export function compared(
	bytes: ReadableStream<Uint8Array<ArrayBuffer>>,
	judge: (found: BlobDigest) => Promise<void>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
	const hash = createHash("sha256");
	let read = 0;
	return bytes.pipeThrough(
		new TransformStream({
			transform(part, controller) {
				hash.update(part);
				read += part.length;
				controller.enqueue(part);
			},
			flush: () => judge({ bytes: read, sha256: hash.digest("hex") }),
		}),
	);
}

/** Lets requests be served in between. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
	const hash = createHash("sha256");
	for (let start = 0; start < bytes.length; start += HASHED_AT_ONCE) {
		hash.update(bytes.subarray(start, start + HASHED_AT_ONCE));
		await new Promise((resolve) => setImmediate(resolve));
	}
	return hash.digest("hex");
}
