import { Failure } from "@svc/base/failure";
import { cutOff } from "@svc/base/http/cut-off";
import { Faults } from "@svc/base/http/faults";
import { shareTurn } from "@svc/base/pace/turns";
import * as v from "valibot";
import type { Call } from "../call-types.ts";
import { JSON_BOUNDS, type JsonBounds, refuseLaborious } from "./json-bounds.ts";

/** A body of more bytes than this waits for a turn of the event loop that has room for it. */
const LONG_BYTES = 64 * 1_024;

/** The media type without its parameters, in lower case; empty when none was sent. */
export function mediaType(request: Request): string {
	return (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/**
 * Reads a JSON object, bounded in bytes, depth, names and items before anything is made of it.
 * @throws Failure bad_request
 */
export async function readJson(request: Request, bounds = JSON_BOUNDS): Promise<Record<string, unknown>> {
	const text = new TextDecoder("utf-8", { fatal: true });
	let sent: unknown;
	try {
		const bytes = await readBytes(request, bounds.maxBytes);
		await turnFor(bytes);
		refuseLaborious(bytes, bounds);
		await turnFor(bytes);
		sent = JSON.parse(text.decode(bytes));
	} catch (cause) {
		if (cause instanceof Failure) throw cause;
		throw unreadable("The body is not valid JSON.", cause);
	}
	if (typeof sent !== "object" || sent === null || Array.isArray(sent))
		throw unreadable("The body must be a JSON object.");
	return sent as Record<string, unknown>;
}

/** Nobody waits for more than one long body at once. */
async function turnFor(bytes: Uint8Array): Promise<void> {
	if (bytes.length > LONG_BYTES) await shareTurn();
}

/**
 * Reads the body of an endpoint that takes JSON and nothing else; a client that does not say what it sends means JSON.
 * @throws Failure bad_request
 */
export function requireJson(request: Request, bounds?: JsonBounds): Promise<Record<string, unknown>> {
	if (!["", "application/json"].includes(mediaType(request))) throw unreadable("Send application/json.");
	return readJson(request, bounds);
}

export function unreadable(message: string, cause?: unknown): Failure {
	return new Failure("bad_request", undefined, { message, cause });
}

/** A body as text, exactly as it was sent. @throws Failure bad_request when it is longer or no UTF-8 */
export async function readText(request: Request, maxBytes: number): Promise<string> {
	const bytes = await readBytes(request, maxBytes);
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch (cause) {
		throw unreadable("The body is no text.", cause);
	}
}

/** @throws Failure bad_request as soon as more than `maxBytes` have come */
async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of request.body ?? new Blob().stream()) {
		bytes += chunk.length;
		if (bytes > maxBytes) {
			cutOff(request);
			throw unreadable(`A JSON body must be at most ${maxBytes.toLocaleString("en")} bytes.`);
		}
		chunks.push(chunk);
	}
	const whole = new Uint8Array(bytes);
	let offset = 0;
	for (const chunk of chunks) {
		whole.set(chunk, offset);
		offset += chunk.length;
	}
	return whole;
}

/**
 * The fields of a JSON body, each decoded by its own schema. An optional field that was not sent is left out.
 * @throws Failure validation_error with all faults at once, unknown fields among them; bad_request for what is no JSON object
 */
export async function readInput<Entries extends v.ObjectEntries>(
	{ request }: Pick<Call, "request">,
	entries: Entries,
	bounds?: JsonBounds,
): Promise<v.InferOutput<v.ObjectSchema<Entries, undefined>>> {
	const sent = await readFields(request, bounds);
	const faults = new Faults();
	for (const name of Object.keys(sent)) {
		if (!Object.hasOwn(entries, name)) faults.add(name, ["is not a field of this call"]);
	}
	const parsed = v.safeParse(v.object(entries), sent);
	if (parsed.success && !faults.some) return parsed.output;
	for (const [field, issues] of Map.groupBy(parsed.issues ?? [], fieldOf)) faults.add(field, issues.map(messageOf));
	throw faults.failure();
}

const read = new WeakMap<Request, Promise<Record<string, unknown>>>();

/** A body can be read once, and a call under an Idempotency-Key asks for it twice. */
function readFields(request: Request, bounds: JsonBounds | undefined): Promise<Record<string, unknown>> {
	const known = read.get(request);
	if (known) return known;
	const reading = request.body === null ? Promise.resolve({}) : requireJson(request, bounds);
	read.set(request, reading);
	return reading;
}

function fieldOf({ path }: v.BaseIssue<unknown>): string {
	return String(path?.[0]?.key ?? "body");
}

function messageOf({ input, received, message }: v.BaseIssue<unknown>): string {
	// The library's own sentence for a field that is not there speaks of types, not of what to do.
	return input === undefined && received === "undefined" ? "is required" : message;
}
