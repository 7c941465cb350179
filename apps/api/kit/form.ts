import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { cutOff } from "@svc/base/cut-off";
import { Failure } from "@svc/base/failure";
import { inTurns } from "@svc/base/pieces";
import type { BlobStore, Staged } from "@svc/base/ports";
import type { FileHints } from "@svc/images/ports";
import { unreadable } from "./body.ts";
import { boundaryOf } from "./multipart-frame.ts";

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
	/** Who they are, for the order of turns: a network. */
	readonly client: string;
}

const PARTS_MAX = 16;
const FIELD_MAX_BYTES = 512 * 1_024;
const FRAME_MAX_BYTES = 2_000_000;
/** An upload ends after this time, however slowly it comes. */
const UPLOAD_DEADLINE_MS = 10 * 60_000;

type Faults = Record<string, string[]>;
type Pieces = AsyncGenerator<Uint8Array, void>;

/** The state while the body is read. */
interface Receipt {
	readonly fields: Record<string, string>;
	readonly faults: Faults;
	readonly names: Set<string>;
	file:
		| { readonly stream: BusboyFileStream; readonly staging: Promise<Staged | Failure>; readonly hints: FileHints }
		| undefined;
	/** The store takes no more of the file. */
	isFileRefused: boolean;
}

/** Ends the work of the parser where the receipt says why. */
const REFUSED = new Error("the form is refused");

/**
 * Reads a multipart body as it comes: the part `file` goes straight to the store's temporary file, everything else is bounded text. It is read up to its
 * first fault. What follows is dropped, at most as many bytes as the caller may send, so that an honest client gets to see the answer; with more than
 * that the connection ends.
 * @throws Failure bad_request for what is not multipart, validation_error for parts that are sent twice or too large; nothing stays staged
 */
export async function readForm(
	request: Request,
	stage: BlobStore["stage"],
	{ fileMaxBytes, frameMaxBytes = FRAME_MAX_BYTES, client }: FormBounds,
): Promise<MultipartBody> {
	const receipt: Receipt = {
		...{ fields: byName(), faults: byName(), names: new Set() },
		...{ file: undefined, isFileRefused: false },
	};
	const most = fileMaxBytes + frameMaxBytes;
	refuseLength(request, fileMaxBytes, 2 * most);
	const boundary = boundaryOf(request);
	const deadline = AbortSignal.timeout(UPLOAD_DEADLINE_MS);
	const pieces: Pieces = inTurns(request.body ?? new Blob().stream(), client);
	let parseFault: unknown;
	try {
		const parser = openParser(boundary, receipt, stage, fileMaxBytes);
		await parsed(parser, judged(pieces, receipt, frameMaxBytes), deadline);
	} catch (cause) {
		parseFault = cause;
		// A file that will never end would wait for its next byte, and hold its temporary file, for ever.
		receipt.file?.stream.destroy(cause instanceof Error ? cause : undefined);
	}
	try {
		return await settle(receipt, parseFault);
	} catch (refusal) {
		if (!(await isDropped(pieces, most, deadline))) cutOff(request);
		throw refusal;
	} finally {
		pieces.return().catch(() => undefined);
	}
}

/**
 * Waits until the parser is through with all pieces. Where the form ends while its last piece is in hand, the parser says so at once, and not again when
 * it is told that no more comes: a pipeline alone would wait for that for ever.
 */
async function parsed(parser: InstanceType<typeof Busboy>, pieces: Pieces, signal: AbortSignal): Promise<void> {
	const taken = Promise.withResolvers<void>();
	const through = once(parser, "finish");
	async function* told(): Pieces {
		yield* pieces;
		taken.resolve();
	}
	try {
		await Promise.race([pipeline(told(), parser, { signal }), Promise.all([through, taken.promise])]);
	} finally {
		parser.destroy();
	}
}

/** The names are the caller's: an ordinary object would lose a value under "__proto__". */
function byName<T>(): Record<string, T> {
	return Object.create(null) as Record<string, T>;
}

function refuseLength(request: Request, fileMaxBytes: number, most: number): void {
	if (Number(request.headers.get("content-length") ?? 0) <= most) return;
	cutOff(request);
	throw new Failure("validation_error", { file: [`is larger than ${fileMaxBytes.toLocaleString("en")} bytes`] });
}

/** The pieces that the parser gets. The body stays open when they end: what follows is still to be dropped. */
async function* judged(pieces: Pieces, receipt: Receipt, frameMaxBytes: number): Pieces {
	let bytes = 0;
	for (;;) {
		const { done, value: piece } = await pieces.next();
		if (done) return;
		yield piece;
		bytes += piece.length;
		if (bytes - (receipt.file?.stream.bytesRead ?? 0) > frameMaxBytes) {
			refuse(receipt, "body", `must have at most ${frameMaxBytes.toLocaleString("en")} bytes besides the file`);
		}
		if (isRefused(receipt)) throw REFUSED;
	}
}

function refuse({ faults }: Receipt, name: string, fault: string): void {
	faults[name] = [fault];
}

function isRefused({ faults, isFileRefused }: Receipt): boolean {
	return isFileRefused || Object.keys(faults).length > 0;
}

/** Drops the rest of a body; false where it has more than `mostBytes`, or does not come in time. */
async function isDropped(pieces: Pieces, mostBytes: number, deadline: AbortSignal): Promise<boolean> {
	let left = mostBytes;
	while (left >= 0 && !deadline.aborted) {
		// A connection that has ended brings nothing more.
		const { done, value } = await pieces.next().catch(() => ({ done: true as const, value: undefined }));
		if (done) return true;
		left -= value.length;
	}
	return false;
}

function openParser(
	boundary: string,
	receipt: Receipt,
	stage: BlobStore["stage"],
	fileMaxBytes: number,
): InstanceType<typeof Busboy> {
	const parser = new Busboy({
		headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
		// With it each piece is worked off before the next is written: what is thrown then always ends the pipeline.
		highWaterMark: 1,
		limits: { parts: PARTS_MAX, fieldSize: FIELD_MAX_BYTES, fieldNameSize: 200 },
		isPartAFile: (name, _type, filename) => name === "file" || filename !== undefined,
	});
	parser.on("field", (name, value, nameTruncated, valueTruncated) => {
		if (!isFirst(receipt, name)) return;
		if (nameTruncated || valueTruncated) refuse(receipt, name, "is too large");
		else receipt.fields[name] = value;
	});
	parser.on("file", (name, stream, filename, _encoding, contentType) => {
		// The parser also emits its own failure on the part; without a listener that would end the process, even for a part that is not read.
		stream.on("error", () => undefined);
		if (!isFirst(receipt, name) || name !== "file") {
			if (name && name !== "file") refuse(receipt, name, "must be text; only file takes a file");
			stream.resume();
			return;
		}
		const staging = stageThenDrain(receipt, stream, stage, fileMaxBytes);
		receipt.file = {
			stream,
			staging,
			hints: { filename: filename || undefined, contentType: contentType || undefined },
		};
	});
	// A part costs the parser microseconds, however little is in it, and its limit alone would not end its work on the piece that it has.
	parser.on("partsLimit", () => {
		refuse(receipt, "body", `must have at most ${PARTS_MAX} parts`);
		throw REFUSED;
	});
	return parser;
}

/** The parser gives no name for a part without one, whatever its types say. */
function isFirst(receipt: Receipt, name: string | undefined): boolean {
	if (!name) {
		refuse(receipt, "body", "has a part without a name");
		return false;
	}
	if (receipt.names.has(name)) refuse(receipt, name, "is sent more than once");
	const first = !receipt.names.has(name);
	receipt.names.add(name);
	return first;
}

/** The parser waits for whoever reads the file, also of one that is refused. Resolves with the failure, so that none goes unhandled. */
async function stageThenDrain(
	receipt: Receipt,
	stream: BusboyFileStream,
	stage: BlobStore["stage"],
	maxBytes: number,
): Promise<Staged | Failure> {
	try {
		return await stage(stream.iterator({ destroyOnReturn: false }), maxBytes);
	} catch (cause) {
		receipt.isFileRefused = true;
		stream.resume();
		return cause instanceof Failure ? cause : new Failure("upload_failed", undefined, { cause });
	}
}

async function settle(receipt: Receipt, parseFault: unknown): Promise<MultipartBody> {
	const staged = await receipt.file?.staging;
	const failure = failureOf(receipt, staged, parseFault);
	if (failure) {
		if (staged && !(staged instanceof Failure)) await staged.discard();
		throw failure;
	}
	const file =
		receipt.file && staged && !(staged instanceof Failure) ? { staged, hints: receipt.file.hints } : undefined;
	return { fields: receipt.fields, file };
}

function failureOf(receipt: Receipt, staged: Staged | Failure | undefined, parseFault: unknown): Failure | undefined {
	if (Object.keys(receipt.faults).length > 0) return new Failure("validation_error", receipt.faults);
	if (parseFault !== undefined && parseFault !== REFUSED)
		return unreadable("The body is not a whole multipart form.", parseFault);
	return staged instanceof Failure ? staged : undefined;
}
