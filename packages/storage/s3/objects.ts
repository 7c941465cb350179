import { digestOfParts } from "@svc/base/crypto/digest";
import type { BlobPage, StoredBlob } from "@svc/base/ports";
import { streamOf } from "@svc/base/streams/streams";
import { S3Error } from "./errors.ts";
import type { S3Requests } from "./requests.ts";

/**
 * A stream asks for this much at a time: a slow reader then holds neither a connection nor a whole master in memory, and a part that
 * breaks off is asked for again without the reader noticing.
 */
const SEGMENT_BYTES = 4 * 1_024 ** 2;
/** Kept with every blob: tells the answer to our own put, when that was lost, from another blob under the same key. */
export const MARK = "x-amz-meta-put";
/** The store compares it with the bytes of a PUT, keeps it, and tells it with the object. */
const CHECKSUM = "x-amz-checksum-sha256";
const TELL_CHECKSUM = { "x-amz-checksum-mode": "ENABLED" };
/** The condition under which a key is written: nothing is there yet. */
export const ONCE = { "If-None-Match": "*" };

/** The header of a PUT. */
export function checksumOf(sha256: Uint8Array): Readonly<Record<string, string>> {
	return { [CHECKSUM]: Buffer.from(sha256).toString("base64") };
}

interface Head {
	readonly bytes: number;
	readonly mark: string | null;
	readonly etag: string | null;
	/** Hexadecimal; undefined for an object that was put without one, or where the store knows none. */
	readonly checksum: string | undefined;
}

/** Undefined where there is no such object. */
export async function headOf(requests: S3Requests, key: string): Promise<Head | undefined> {
	try {
		return await requests.send({ method: "HEAD", key, headers: TELL_CHECKSUM }, async ({ headers }) => {
			const length = headers.get("content-length");
			if (length === null) throw unlike("an object without its length");
			return {
				bytes: Number(length),
				mark: headers.get(MARK),
				etag: headers.get("etag"),
				checksum: checksumIn(headers.get(CHECKSUM)),
			};
		});
	} catch (cause) {
		if (cause instanceof S3Error && cause.status === 404) return undefined;
		throw cause;
	}
}

/** A value that is no SHA-256 in base64, such as one of an object in parts, is none. */
function checksumIn(header: string | null): string | undefined {
	return header !== null && /^[A-Za-z0-9+/]{43}=$/.test(header)
		? Buffer.from(header, "base64").toString("hex")
		: undefined;
}

/** A small text of our own; undefined where there is no such object. */
export async function textAt(requests: S3Requests, key: string): Promise<string | undefined> {
	try {
		return await requests.send({ method: "GET", key }, (response) => response.text());
	} catch (cause) {
		if (cause instanceof S3Error && cause.status === 404) return undefined;
		throw cause;
	}
}

/** Harmless when there is no such object. */
export async function removeFrom(requests: S3Requests, key: string): Promise<void> {
	try {
		await requests.send({ method: "DELETE", key }, drained);
	} catch (cause) {
		if (!(cause instanceof S3Error && cause.status === 404)) throw cause;
	}
}

export function storedObject(
	requests: S3Requests,
	key: string,
	{ bytes, etag, checksum }: Omit<Head, "mark">,
): StoredBlob {
	const stream: StoredBlob["stream"] = ({ first, last } = { first: 0, last: bytes - 1 }) => {
		const abort = new AbortController();
		return streamOf(segments(requests, key, { first, last }, abort.signal), () => abort.abort());
	};
	return {
		bytes,
		stamp: `${etag} ${bytes} ${checksum}`,
		checksum,
		path: undefined,
		read: () => requests.send({ method: "GET", key, coming: bytes }, (response) => wholeBody(response, bytes)),
		stream,
		digest: (between = async () => undefined) => digestOfParts(stream(), (part) => between(part.length)),
	};
}

async function* segments(
	requests: S3Requests,
	key: string,
	{ first, last }: { readonly first: number; readonly last: number },
	signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
	for (let start = first; start <= last; start += SEGMENT_BYTES) {
		const end = Math.min(last, start + SEGMENT_BYTES - 1);
		const bytes = end + 1 - start;
		const headers = { Range: `bytes=${start}-${end}` };
		yield await requests.send({ method: "GET", key, headers, coming: bytes, signal }, async (response) => {
			const range = response.headers.get("content-range") ?? "";
			if (!range.startsWith(`bytes ${start}-${end}/`))
				throw unlike(`the range "${range}" where ${start} to ${end} was asked for`);
			return await wholeBody(response, bytes);
		});
	}
}

/** @throws S3Error when it has another length: of a connection that broke off, or of an object that is not the one that was put */
export async function wholeBody(response: Response, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
	const body = new Uint8Array(await response.arrayBuffer());
	if (body.length !== bytes) throw unlike(`${body.length} bytes where ${bytes} were asked for`);
	return body;
}

function unlike(sent: string): S3Error {
	return new S3Error(`the object store sent ${sent}`, { passing: true });
}

/** Reads the body to its end, so that the connection can be used again. */
export async function drained(response: Response): Promise<void> {
	await response.arrayBuffer();
}

const PAGE_OBJECTS = 1_000;
/** Size of a page of objects with long names, for the time limit. */
const PAGE_BYTES = 1_000_000;

/** Fetches one page of ListObjectsV2. */
export async function listObjects(requests: S3Requests, prefix: string, after?: string): Promise<BlobPage> {
	const query = new URLSearchParams({ "list-type": "2", "max-keys": String(PAGE_OBJECTS), prefix });
	if (after !== undefined) query.set("continuation-token", after);
	return await requests.send({ method: "GET", key: "", query, coming: PAGE_BYTES }, async (response) =>
		pageIn(await response.text()),
	);
}

/** Keys come as they are written in XML: one that needs an escape is none of a blob. */
function pageIn(xml: string): BlobPage {
	if (!xml.includes("<ListBucketResult")) throw new S3Error("the object store sent no list", { passing: true });
	const blobs = Array.from(xml.matchAll(/<Contents>(.*?)<\/Contents>/gs), ([, entry = ""]) => ({
		key: textOf(entry, "Key"),
		bytes: Number(textOf(entry, "Size")),
		writtenMs: Date.parse(textOf(entry, "LastModified")),
	}));
	const next = textOf(xml, "IsTruncated") === "true" ? unescaped(textOf(xml, "NextContinuationToken")) : undefined;
	if (next === "") throw new S3Error("the object store sent a list that cannot be continued", { passing: true });
	return { blobs, next };
}

function textOf(xml: string, name: string): string {
	return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.trim() ?? "";
}

function unescaped(text: string): string {
	return text
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&quot;", '"')
		.replaceAll("&#34;", '"')
		.replaceAll("&amp;", "&");
}
