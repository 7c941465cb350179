import { Failure } from "@svc/base/failure";
import { cutOff } from "@svc/base/http/cut-off";
import { inTurns } from "@svc/base/http/pieces";
import type { BlobStore, Staged } from "@svc/base/ports";
import type { FileHints } from "@svc/images/ports";
import { unreadable } from "./body.ts";
import { boundaryOf, type FormPart, partsOf } from "./multipart.ts";
import { type PartHead, readHead, textOf } from "./part-head.ts";

/** A multipart body that has been read. The caller that gets it owns the staged file. */
export interface MultipartBody {
	readonly fields: Readonly<Record<string, string>>;
	readonly file: { readonly staged: Staged; readonly hints: FileHints } | undefined;
}

/** What a caller may send, and who they are. */
export interface FormBounds {
	readonly fileMaxBytes: number;
	/** Bytes of a body besides the file: the fields, the heads of the parts, and what is before, between and behind them. */
	readonly frameMaxBytes?: number;
	readonly partsMax?: number;
	/** Who they are, for the order of turns: a network. */
	readonly client: string;
}

const PARTS_MAX = 16;
const FIELD_MAX_BYTES = 512 * 1_024;
const FRAME_MAX_BYTES = 2_000_000;
/** An upload ends after this time, however slowly it comes. */
const UPLOAD_DEADLINE_MS = 10 * 60_000;

type Pieces = AsyncGenerator<Uint8Array, void>;

/** The state while the body is read. */
interface Receipt {
	readonly fields: Record<string, string>;
	readonly names: Set<string>;
	file: MultipartBody["file"];
	/** Of the part `file`, so far. */
	fileBytes: number;
}

/**
 * Reads a multipart body as it comes: the part `file` goes straight to the store's temporary file, everything else is bounded text. It is read up to its
 * first fault. What follows is dropped, at most as many bytes as the caller may send, so that an honest client gets to see the answer; with more than
 * that the connection ends.
 * @throws Failure bad_request for what is not multipart, validation_error for parts that are sent twice, too large or no text; nothing stays staged
 */
export async function readForm(
	request: Request,
	stage: BlobStore["stage"],
	{ fileMaxBytes, frameMaxBytes = FRAME_MAX_BYTES, partsMax = PARTS_MAX, client }: FormBounds,
): Promise<MultipartBody> {
	const most = fileMaxBytes + frameMaxBytes;
	refuseLength(request, fileMaxBytes, 2 * most);
	const boundary = boundaryOf(request);
	const deadline = AbortSignal.timeout(UPLOAD_DEADLINE_MS);
	const pieces: Pieces = inTurns(request.body ?? new Blob().stream(), client);
	// The names are the caller's: an ordinary object would lose a value under "__proto__".
	const receipt: Receipt = { fields: Object.create(null), names: new Set(), file: undefined, fileBytes: 0 };
	try {
		let count = 0;
		for await (const { head, content } of partsOf(bounded(pieces, receipt, frameMaxBytes, deadline), boundary)) {
			if (++count > partsMax) throw refused("body", `must have at most ${partsMax} parts`);
			await receive(receipt, readHead(head), content, stage, fileMaxBytes);
		}
		return { fields: receipt.fields, file: receipt.file };
	} catch (refusal) {
		await receipt.file?.staged.discard();
		if (!(await isDropped(pieces, most, deadline))) cutOff(request);
		throw refusal;
	} finally {
		pieces.return().catch(() => undefined);
	}
}

function refuseLength(request: Request, fileMaxBytes: number, most: number): void {
	if (Number(request.headers.get("content-length") ?? 0) <= most) return;
	cutOff(request);
	throw refused("file", `is larger than ${fileMaxBytes.toLocaleString("en")} bytes`);
}

function refused(name: string, fault: string): Failure {
	return new Failure("validation_error", { [name]: [fault] });
}

/** The pieces that are parsed. The body stays open when they end: what follows is still to be dropped. */
async function* bounded(pieces: Pieces, receipt: Receipt, frameMaxBytes: number, deadline: AbortSignal): Pieces {
	let bytes = 0;
	for (;;) {
		const { done, value: piece } = await nextBy(deadline, pieces).catch((cause: unknown) => {
			throw unreadable("The body is not a whole multipart form.", cause);
		});
		if (done) return;
		yield piece;
		bytes += piece.length;
		if (bytes - receipt.fileBytes > frameMaxBytes) {
			throw refused("body", `must have at most ${frameMaxBytes.toLocaleString("en")} bytes besides the file`);
		}
	}
}

/** The next piece, or a rejection at the deadline: a file that never goes on would hold its temporary file for ever. */
async function nextBy(deadline: AbortSignal, pieces: Pieces): Promise<IteratorResult<Uint8Array, void>> {
	deadline.throwIfAborted();
	const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array, void>>();
	const end = () => reject(deadline.reason);
	const leave = () => deadline.removeEventListener("abort", end);
	deadline.addEventListener("abort", end, { once: true });
	pieces.next().then(resolve, reject).finally(leave);
	return await promise;
}

/** Drops the rest of a body; false where it has more than `mostBytes`, or does not come in time. */
async function isDropped(pieces: Pieces, mostBytes: number, deadline: AbortSignal): Promise<boolean> {
	let left = mostBytes;
	while (left >= 0 && !deadline.aborted) {
		// A connection that has ended brings nothing more.
		const { done, value } = await nextBy(deadline, pieces).catch(() => ({ done: true as const, value: undefined }));
		if (done) return !deadline.aborted;
		left -= value.length;
	}
	return false;
}

async function receive(
	receipt: Receipt,
	head: PartHead,
	content: FormPart["content"],
	stage: BlobStore["stage"],
	fileMaxBytes: number,
): Promise<void> {
	const { name, filename, contentType, charset } = head;
	if (receipt.names.has(name)) throw refused(name, "is sent more than once");
	receipt.names.add(name);
	if (name === "file") {
		const staged = await stagedFrom(receipt, content, stage, fileMaxBytes);
		receipt.file = { staged, hints: { filename, contentType } };
		return;
	}
	if (head.isFile) throw refused(name, "must be text; only file takes a file");
	const text = textOf(await bytesOf(name, content), charset);
	if (text === undefined) throw refused(name, "must be valid UTF-8, or text in the charset that its part names");
	receipt.fields[name] = text;
}

async function bytesOf(name: string, content: FormPart["content"]): Promise<Uint8Array> {
	const pieces: Uint8Array[] = [];
	let bytes = 0;
	for await (const piece of content) {
		bytes += piece.length;
		if (bytes > FIELD_MAX_BYTES) throw refused(name, "is too large");
		pieces.push(piece);
	}
	return Buffer.concat(pieces);
}

/** What is wrong with the body is said before what the store then says of a file without its end. */
async function stagedFrom(
	receipt: Receipt,
	content: FormPart["content"],
	stage: BlobStore["stage"],
	maxBytes: number,
): Promise<Staged> {
	let fault: unknown;
	async function* told(): Pieces {
		try {
			for await (const piece of content) {
				receipt.fileBytes += piece.length;
				yield piece;
			}
		} catch (cause) {
			fault = cause;
			throw cause;
		}
	}
	try {
		return await stage(told(), maxBytes);
	} catch (cause) {
		if (fault !== undefined) throw fault;
		throw cause instanceof Failure ? cause : new Failure("upload_failed", undefined, { cause });
	}
}
