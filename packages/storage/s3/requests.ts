import { setTimeout } from "node:timers/promises";
import type { Log } from "@svc/base/ports";
import { AwsV4Signer } from "aws4fetch";
import { refusalOf, S3Error, silenceOf } from "./errors.ts";
import { FETCH_DECLARES_LENGTH, sizedPut } from "./sized-put.ts";

/** SHA-256 of nothing, for requests without a body. */
const EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

export interface Bucket {
	/** An origin. Plain http is spoken only where it is written so: redirects, which could lead there, are not followed. */
	readonly endpoint: string;
	readonly bucket: string;
	readonly region: string;
	readonly accessKeyId: string;
	readonly secretAccessKey: string;
	/** Of a key that somebody has for a time. */
	readonly sessionToken?: string;
}

/** How long to wait for a store, and how often to ask again. */
export interface Pace {
	readonly tries: number;
	/** Milliseconds for one try, without the time for the bytes that it moves. */
	readonly answerMs: number;
	/** Milliseconds for all tries of a request together, counted in the same way. */
	readonly wholeMs: number;
	/** What moves more slowly than this counts as hanging. */
	readonly bytesPerMs: number;
	/** Milliseconds before the second try; doubles from try to try. */
	readonly waitMs: number;
}

interface Upload {
	/** Called for each try. A stream, for Bun reads a blob into memory before it sends it over TLS. */
	open(): ReadableStream<Uint8Array>;
	readonly bytes: number;
	readonly sha256: Uint8Array;
}

interface S3Request {
	readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
	/** Checked by the caller: nothing in it needs an escape in an address. */
	readonly key: string;
	readonly query?: URLSearchParams;
	readonly headers?: Readonly<Record<string, string>>;
	readonly upload?: Upload;
	/** How many bytes are expected. */
	readonly coming?: number;
	/** Ends the request, and all tries of it. */
	readonly signal?: AbortSignal;
}

export interface S3Requests {
	/**
	 * Sends a request until it is fulfilled, refused for good, or out of tries. `receive` reads an answer of status 2xx, within the same
	 * time limit; what it throws counts as no answer.
	 * @throws S3Error
	 */
	send<T>(request: S3Request, receive: (response: Response) => Promise<T>): Promise<T>;
}

/**
 * Requests to one bucket, by path (`endpoint/bucket/key`), which every store understands. Bun's own S3 client is not used: it waits
 * for a silent endpoint for ever, takes a 503 for final and cannot make a PUT conditional.
 */
export function s3Requests(bucket: Bucket, pace: Pace, log: Pick<Log, "warn">): S3Requests {
	const keys = new Map<string, ArrayBuffer>();

	async function headersOf(url: string, { method, headers, upload }: S3Request): Promise<Headers> {
		const hash = upload ? Buffer.from(upload.sha256).toString("hex") : EMPTY_HASH;
		const signer = new AwsV4Signer({
			...bucket,
			service: "s3",
			url,
			method,
			// Signed with the rest, so a store keeps no other bytes than these.
			headers: { ...headers, "x-amz-content-sha256": hash },
			cache: keys,
		});
		const signed = new Headers((await signer.sign()).headers);
		// Unsigned, for proxies rewrite it. A compressed answer would not have the length that was asked for.
		signed.set("Accept-Encoding", "identity");
		if (upload) {
			signed.set("Content-Type", "application/octet-stream");
			// A store takes no body without a declared length.
			signed.set("Content-Length", String(upload.bytes));
		}
		return signed;
	}

	async function once<T>(request: S3Request, limitMs: number, receive: (response: Response) => Promise<T>): Promise<T> {
		const { method, key, query, upload, signal } = request;
		const what = `${method} ${key}`;
		const url = `${bucket.endpoint}/${bucket.bucket}/${key}${query ? `?${query}` : ""}`;
		const limit = AbortSignal.timeout(limitMs);
		const until = signal ? AbortSignal.any([signal, limit]) : limit;
		try {
			const response = await ask(url, { method, headers: await headersOf(url, request), signal: until }, upload);
			if (!response.ok) throw await refusalOf(what, response);
			return await receive(response);
		} catch (cause) {
			signal?.throwIfAborted();
			throw cause instanceof S3Error ? cause : silenceOf(what, cause);
		}
	}

	function movingMs({ upload, coming = 0 }: S3Request): number {
		return Math.ceil((upload?.bytes ?? coming) / pace.bytesPerMs);
	}

	/** Undefined when there is to be no other try. A store that refuses at once is asked often, one that says nothing is not. */
	function waitAfter(cause: unknown, tries: number, leftMs: number): number | undefined {
		if (!(cause instanceof S3Error && cause.passing) || tries >= pace.tries) return undefined;
		const waitMs = jittered(pace.waitMs * 2 ** (tries - 1));
		if (waitMs >= leftMs) return undefined;
		log.warn("a request to the object store is tried again", { tries, waitMs, why: cause.message });
		return waitMs;
	}

	return {
		async send(request, receive) {
			const startedMs = performance.now();
			const limitMs = pace.answerMs + movingMs(request);
			const endMs = startedMs + pace.wholeMs + movingMs(request);
			const lastStartMs = Math.min(startedMs + 2 * limitMs, endMs);
			for (let tries = 1; ; tries++) {
				try {
					return await once(request, Math.ceil(Math.max(1, Math.min(limitMs, endMs - performance.now()))), receive);
				} catch (cause) {
					const waitMs = waitAfter(cause, tries, lastStartMs - performance.now());
					if (waitMs === undefined) throw cause;
					await setTimeout(waitMs);
				}
			}
		},
	};
}

function ask(
	url: string,
	asked: Omit<Parameters<typeof sizedPut>[1], "body">,
	upload: Upload | undefined,
): Promise<Response> {
	if (!upload) return fetch(url, { ...asked, redirect: "manual" });
	const put = { ...asked, body: upload.open() };
	if (!FETCH_DECLARES_LENGTH) return sizedPut(url, put);
	// Bun knows no `duplex`; the standard wants it where a body is a stream.
	return fetch(url, { ...put, duplex: "half", redirect: "manual" } as RequestInit);
}

/** Waits between half and all of the time: clients that were refused together do not come back together. */
function jittered(milliseconds: number): number {
	return Math.ceil(milliseconds * (0.5 + Math.random() / 2));
}
