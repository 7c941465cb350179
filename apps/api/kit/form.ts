import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { Failure } from "@svc/base/failure";
import { inTurns } from "@svc/base/pieces";
import type { BlobStore, Staged } from "@svc/base/ports";
import type { FileHints } from "@svc/images/ports";
import { unreadable } from "./body.ts";

/** A multipart body that has been read. The caller that gets it owns the staged file. */
export interface MultipartBody {
	readonly fields: Readonly<Record<string, string>>;
	readonly file: { readonly staged: Staged; readonly hints: FileHints } | undefined;
}

const PARTS_MAX = 16;
const FIELD_MAX_BYTES = 512 * 1_024;
/** Bytes of a body besides the file: the fields, and the frame around them. */
const FRAME_MAX_BYTES = 2_000_000;
/** Past the bound the rest is read and dropped up to this many bytes, so that an honest client gets to see the answer. */
const DRAIN_MAX_BYTES = 16_000_000;
/** An upload ends after this time, however slowly it comes. */
const UPLOAD_DEADLINE_MS = 10 * 60_000;

type Faults = Record<string, string[]>;

/** The state while the body is read. */
interface Receipt {
	readonly fields: Record<string, string>;
	readonly faults: Faults;
	readonly names: Set<string>;
	file:
		| { readonly stream: BusboyFileStream; readonly staging: Promise<Staged | Failure>; readonly hints: FileHints }
		| undefined;
}

/**
 * Reads a multipart body as it comes: the part `file` goes straight to the store's temporary file, everything else is bounded text.
 * @throws Failure bad_request for what is not multipart, validation_error for parts that are sent twice or too large; nothing stays staged
 */
export async function readForm(
	request: Request,
	stage: BlobStore["stage"],
	fileMaxBytes: number,
): Promise<MultipartBody> {
	const receipt: Receipt = { fields: byName(), faults: byName(), names: new Set(), file: undefined };
	refuseLength(request, fileMaxBytes);
	let parseFault: unknown;
	try {
		const parser = openParser(request, receipt, stage, fileMaxBytes);
		const body = inTurns(request.body ?? new Blob().stream());
		await pipeline(bounded(body, fileMaxBytes + FRAME_MAX_BYTES + DRAIN_MAX_BYTES), parser, {
			signal: AbortSignal.timeout(UPLOAD_DEADLINE_MS),
		});
	} catch (cause) {
		parseFault = cause;
		// A file that will never end would wait for its next byte, and hold its temporary file, for ever.
		receipt.file?.stream.destroy(cause instanceof Error ? cause : undefined);
	}
	return settle(receipt, parseFault);
}

/** The names are the caller's: an ordinary object would lose a value under "__proto__". */
function byName<T>(): Record<string, T> {
	return Object.create(null) as Record<string, T>;
}

function refuseLength(request: Request, fileMaxBytes: number): void {
	const length = Number(request.headers.get("content-length") ?? 0);
	if (length > fileMaxBytes + FRAME_MAX_BYTES + DRAIN_MAX_BYTES) {
		throw new Failure("validation_error", { file: [`is larger than ${fileMaxBytes.toLocaleString("en")} bytes`] });
	}
}

function openParser(
	request: Request,
	receipt: Receipt,
	stage: BlobStore["stage"],
	fileMaxBytes: number,
): InstanceType<typeof Busboy> {
	const parser = new Busboy({
		headers: { "content-type": request.headers.get("content-type") ?? "" },
		limits: { parts: PARTS_MAX, fields: PARTS_MAX, files: PARTS_MAX, fieldSize: FIELD_MAX_BYTES, fieldNameSize: 200 },
		isPartAFile: (name, _type, filename) => name === "file" || filename !== undefined,
	});
	parser.on("field", (name, value, nameTruncated, valueTruncated) => {
		if (!once(receipt, name)) return;
		if (nameTruncated || valueTruncated) receipt.faults[name] = ["is too large"];
		else receipt.fields[name] = value;
	});
	parser.on("file", (name, stream, filename, _encoding, contentType) => {
		// The parser also emits its own failure on the part; without a listener that would end the process, even for a part that is not read.
		stream.on("error", () => undefined);
		if (!once(receipt, name) || name !== "file") {
			if (name && name !== "file") receipt.faults[name] = ["must be text; only file takes a file"];
			stream.resume();
			return;
		}
		const staging = stageThenDrain(stream, stage, fileMaxBytes);
		receipt.file = {
			stream,
			staging,
			hints: { filename: filename || undefined, contentType: contentType || undefined },
		};
	});
	for (const event of ["partsLimit", "fieldsLimit", "filesLimit"] as const) {
		parser.on(event, () => {
			receipt.faults.body = [`must have at most ${PARTS_MAX} parts`];
		});
	}
	return parser;
}

/** The parser gives no name for a part without one, whatever its types say. */
function once(receipt: Receipt, name: string | undefined): boolean {
	if (!name) {
		receipt.faults.body = ["has a part without a name"];
		return false;
	}
	if (receipt.names.has(name)) receipt.faults[name] = ["is sent more than once"];
	const first = !receipt.names.has(name);
	receipt.names.add(name);
	return first;
}

/** A refused file is read to its end all the same: the parser waits for it. Resolves with the failure, so that none goes unhandled. */
async function stageThenDrain(
	stream: BusboyFileStream,
	stage: BlobStore["stage"],
	maxBytes: number,
): Promise<Staged | Failure> {
	try {
		return await stage(stream.iterator({ destroyOnReturn: false }), maxBytes);
	} catch (cause) {
		stream.resume();
		return cause instanceof Failure ? cause : new Failure("upload_failed", undefined, { cause });
	}
}

async function* bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		if (bytes > maxBytes) throw new Failure("validation_error", { file: ["is too large"] });
		yield chunk;
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
	if (parseFault instanceof Failure) return parseFault;
	if (parseFault !== undefined) return unreadable("The body is not a whole multipart form.", parseFault);
	if (staged instanceof Failure) return staged;
	return Object.keys(receipt.faults).length > 0 ? new Failure("validation_error", receipt.faults) : undefined;
}
