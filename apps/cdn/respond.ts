import { openAsBlob } from "node:fs";
import { Failure, type FailureCode } from "@svc/base/failure";
import { isExpected } from "@svc/base/http/conditions";
import { errorBody } from "@svc/base/http/envelope";
import type { StoredBlob } from "@svc/base/ports";
import { printableFilename } from "@svc/base/text";
import type { Image } from "@svc/images/images";
import { ageHeaders, type Caching, tagHeaders } from "./ages.ts";
import { type ByteRange, parseRange } from "./range.ts";
import { RETRY_SECONDS } from "./renditions/analysis.ts";
import type { Rendition } from "./renditions/rendition.ts";

/** How long an answer is fresh where the database cannot be asked; it may be back in a moment, and know of a delete. */
const STALE_SECONDS = 5;

/** On every answer: stored bytes come from strangers, and must neither run as a page nor be kept from being embedded. */
const COMMON = {
	"X-Content-Type-Options": "nosniff",
	"Content-Security-Policy": "default-src 'none'; sandbox",
	"Cross-Origin-Resource-Policy": "cross-origin",
	"Access-Control-Allow-Origin": "*",
	"Access-Control-Expose-Headers": "*",
	"Timing-Allow-Origin": "*",
};

/**
 * An SVG that is opened by itself is a document, whose author's own styles make it look as it should. It still runs nothing and loads
 * nothing: what it brings along lies in it.
 */
const DOCUMENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox";

/** Any other ending is a part of the name: what is called `report.exe` does not become one. */
const IMAGE_ENDING = /\.(?:jpe?g|png|webp|avif|gif|svg|bmp|ico|hei[cf]|tiff?)$/i;

const ALLOWED = "GET, HEAD, OPTIONS";

const STATUSES: Partial<Record<FailureCode, number>> = {
	not_found: 404,
	forbidden: 403,
	bad_request: 405,
	media_failed: 422,
	rate_limited: 429,
};

/** How long anybody may repeat that a form cannot be made, without asking. */
const IMPOSSIBLE = { "Cache-Control": "public, max-age=60" };

/** Bytes to be sent, wherever they are stored. */
export interface SentContent {
	readonly bytes: number;
	/** True where the same rendition may have other bytes in a minute: it goes out whole, and without its validator. */
	readonly provisional?: boolean;
	body(range?: ByteRange): BodyInit;
}

export function blobContent(blob: Blob): SentContent {
	return { bytes: blob.size, body: (range) => (range ? blob.slice(range.first, range.last + 1) : blob) };
}

/** Below this a file is read at once: sent by the runtime while it is read it takes several packets for its headers alone. */
const READ_WHOLE_BYTES = 262_144;

/** A file on this machine goes out as a blob that the server sends by itself, with its length; anything else is piped through. */
export async function storedContent(stored: Pick<StoredBlob, "bytes" | "path" | "stream">): Promise<SentContent> {
	if (stored.path === undefined) return { bytes: stored.bytes, body: (range) => stored.stream(range) };
	const blob = await openAsBlob(stored.path);
	if (blob.size !== stored.bytes) throw new Error("A stored blob has changed its length.");
	return blobContent(blob.size > READ_WHOLE_BYTES ? blob : new Blob([await blob.arrayBuffer()]));
}

/** What is answered about, and when. */
export interface Subject {
	readonly image: Image;
	readonly rendition: Rendition;
	readonly caching: Caching;
	readonly nowMs: number;
	/** True where nobody can be asked now whether the image is still there. */
	readonly stale: boolean;
	/** True where there may be another version of it in a moment. */
	readonly isBrief?: boolean | undefined;
	/** When the signature of the address ends, in seconds since 1970. */
	readonly exp?: number | undefined;
	/** Names in the address that mean nothing here, with commas between them. */
	readonly ignored?: string | undefined;
}

/** The headers sent with the bytes, and without them with a 304. */
function validators(subject: Subject): Record<string, string> {
	return {
		...COMMON,
		ETag: subject.rendition.etag,
		...ageHeaders(subject, subject.stale ? STALE_SECONDS : subject.isBrief ? RETRY_SECONDS : undefined),
		...tagHeaders(subject),
		...(subject.rendition.spec.varies && { Vary: "Accept" }),
		...(subject.ignored !== undefined && { "X-Svc-Ignored": subject.ignored }),
	};
}

export function notModified(subject: Subject): Response {
	return new Response(null, { status: 304, headers: validators(subject) });
}

/** The image is not, or no longer, the version that the caller expects. */
export function preconditionFailed(): Response {
	return new Response(null, { status: 412, headers: { ...COMMON, "Cache-Control": "no-store" } });
}

/** Whole, or the one range that was asked for; a HEAD gets the headers of the whole. */
export function contentResponse(request: Request, subject: Subject, content: SentContent): Response {
	const { image, rendition } = subject;
	// What may have other bytes in a minute is no version that anybody could have expected.
	if (content.provisional && !isExpected(request.headers.get("if-match"), undefined)) return preconditionFailed();
	const headers = validators(subject);
	headers["Content-Type"] = rendition.spec.contentType;
	if (rendition.spec.format === "svg" && !rendition.spec.tells) headers["Content-Security-Policy"] = DOCUMENT_POLICY;
	headers["Content-Disposition"] = disposition(image, rendition);
	headers["Accept-Ranges"] = "bytes";
	headers["Content-Length"] = String(content.bytes);
	if (content.provisional) {
		delete headers.ETag;
		headers["Accept-Ranges"] = "none";
		Object.assign(headers, ageHeaders(subject, RETRY_SECONDS));
	}
	if (request.method === "HEAD") return new Response(null, { headers });
	const range = content.provisional ? undefined : wantedRange(request, rendition, content.bytes);
	if (range === undefined) return new Response(content.body(), { headers });
	if (range === "unsatisfiable") return unsatisfiable(content.bytes);
	headers["Content-Range"] = `bytes ${range.first}-${range.last}/${content.bytes}`;
	headers["Content-Length"] = String(range.last - range.first + 1);
	return new Response(content.body(range), { status: 206, headers });
}

/** If-Range with anything but this very version asks for the whole: a part of another one would spoil what the client has. */
function wantedRange(request: Request, rendition: Rendition, bytes: number) {
	const header = request.headers.get("range");
	if (!header) return undefined;
	const version = request.headers.get("if-range");
	return version === null || version.trim() === rendition.etag ? parseRange(header, bytes) : undefined;
}

function unsatisfiable(bytes: number): Response {
	const failure = Failure.saying("bad_request", `This file has ${bytes} bytes; the range lies outside.`);
	return envelope(failure, 416, { "Content-Range": `bytes */${bytes}` });
}

/**
 * Header for saving the file (RFC 6266). Uploaded names are told to nobody: people upload `sick-note.pdf.jpg`. The name that the address
 * gives gets the ending of the format that is sent.
 */
function disposition({ id }: Image, { spec }: Rendition): string {
	if (spec.tells) return `inline; filename="${id}.json"`;
	if (spec.download === undefined) return `inline; filename="${id}.${spec.format}"`;
	const stem = printableFilename(spec.download).replace(IMAGE_ENDING, "") || id;
	const name = `${stem}.${spec.format}`;
	// Quotes and backslashes would need escapes that clients read differently; a percent sign is taken for an escape by some.
	const plain = name.replace(/[^ -~]|["\\%]/g, "_");
	if (plain === name) return `attachment; filename="${plain}"`;
	return `attachment; filename="${plain}"; filename*=UTF-8''${encodeExtended(name)}`;
}

/** RFC 8187: percent-encoded UTF-8, a little more of it than encodeURIComponent encodes. */
function encodeExtended(text: string): string {
	return encodeURIComponent(text.toWellFormed()).replace(
		/['()*]/g,
		(sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
	);
}

/** A browser asks before it sends a header of its own; everything that makes sense here is allowed. */
export function preflight(): Response {
	return new Response(null, {
		status: 204,
		headers: {
			...COMMON,
			Allow: ALLOWED,
			"Access-Control-Allow-Methods": ALLOWED,
			"Access-Control-Allow-Headers": "*",
			"Access-Control-Max-Age": "86400",
		},
	});
}

export function methodNotAllowed(): Response {
	const failure = Failure.saying("bad_request", "An image can only be fetched: GET or HEAD.");
	return envelope(failure, 405, { Allow: ALLOWED });
}

const NOT_FOUND = new Failure("not_found");
const FORBIDDEN = Failure.saying(
	"forbidden",
	"This App does not serve its images in this form: the address needs a preset of the App, or a valid signature.",
);

/** The same answer for every cause, so that a caller does not learn whether an image ever existed. */
export function notFound(request: Request): Response {
	return failed(request, NOT_FOUND);
}

/** Whoever asks the images for a path of the API has taken one address for the other. */
export function notTheApi(request: Request, api: string): Response {
	return failed(request, Failure.saying("not_found", `This address serves images alone. The API is at ${api}/v1.`));
}

/** The same answer whether there is such an image or not. */
export function forbidden(request: Request): Response {
	return failed(request, FORBIDDEN);
}

const ELSEWHERE = Failure.saying("forbidden", "This App lets only pages of its own show its images.");

/** The same answer whether there is such an image or not. */
export function elsewhere(request: Request): Response {
	return failed(request, ELSEWHERE);
}

export function failed(request: Request, failure: Failure): Response {
	const status = STATUSES[failure.code] ?? (failure.timedOut ? 503 : 500);
	const { retryAfterSeconds } = failure;
	const response = envelope(failure, status, {
		...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
		...(failure.code === "media_failed" && IMPOSSIBLE),
	});
	return request.method === "HEAD" ? new Response(null, response) : response;
}

function envelope(failure: Failure, status: number, more: Record<string, string>): Response {
	const body = JSON.stringify(errorBody(failure));
	return new Response(body, {
		status,
		headers: {
			...COMMON,
			"Content-Type": "application/json; charset=utf-8",
			"Content-Length": String(Buffer.byteLength(body)),
			"Cache-Control": "no-store",
			...more,
		},
	});
}
