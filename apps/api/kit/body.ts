import { cutOff } from "@svc/base/cut-off";
import { Failure } from "@svc/base/failure";
import type { Call } from "./call.ts";

/** Of a call that says nothing else. */
const JSON_MAX_BYTES = 512 * 1_024;
const JSON_MAX_DEPTH = 32;

/** The media type without its parameters, in lower case; empty when none was sent. */
export function mediaType(request: Request): string {
	return (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/**
 * Reads a JSON object, bounded in bytes and depth before anything is made of it.
 * @throws Failure bad_request
 */
export async function readJson(request: Request, maxBytes = JSON_MAX_BYTES): Promise<Record<string, unknown>> {
	const text = new TextDecoder("utf-8", { fatal: true });
	let sent: unknown;
	try {
		sent = JSON.parse(refuseDeep(text.decode(await readBytes(request, maxBytes))));
	} catch (cause) {
		if (cause instanceof Failure) throw cause;
		throw unreadable("The body is not valid JSON.", cause);
	}
	if (typeof sent !== "object" || sent === null || Array.isArray(sent))
		throw unreadable("The body must be a JSON object.");
	return sent as Record<string, unknown>;
}

/**
 * Reads the body of an endpoint that takes JSON and nothing else; a client that does not say what it sends means JSON.
 * @throws Failure bad_request
 */
export function requireJson(request: Request, maxBytes?: number): Promise<Record<string, unknown>> {
	if (!["", "application/json"].includes(mediaType(request))) throw unreadable("Send application/json.");
	return readJson(request, maxBytes);
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

const LEVELS: Readonly<Record<string, number>> = { "[": 1, "{": 1, "]": -1, "}": -1 };

/**
 * Counts brackets outside strings, so that a body made of nothing else never reaches the recursive parser. Looks at each letter once:
 * an expression would search a string without an end again from each of its quotes.
 */
function refuseDeep(text: string): string {
	let depth = 0;
	for (let place = 0; place < text.length; place++) {
		const letter = text.charAt(place);
		if (letter === '"') place = endOfString(text, place);
		else depth += LEVELS[letter] ?? 0;
		if (depth > JSON_MAX_DEPTH) throw unreadable(`A JSON body must be at most ${JSON_MAX_DEPTH} levels deep.`);
	}
	return text;
}

/** The place of the closing quote; past the text where there is none. */
function endOfString(text: string, start: number): number {
	let place = start + 1;
	while (place < text.length && text.charAt(place) !== '"') place += text.charAt(place) === "\\" ? 2 : 1;
	return place;
}

import * as v from "valibot";

/**
 * The fields of a JSON body, each decoded by its own schema. An optional field that was not sent is left out.
 * @throws Failure validation_error with all faults at once, unknown fields among them; bad_request for what is no JSON object
 */
export async function readInput<Entries extends v.ObjectEntries>(
	{ request }: Pick<Call, "request">,
	entries: Entries,
	maxBytes?: number,
): Promise<v.InferOutput<v.ObjectSchema<Entries, undefined>>> {
	const sent = await readFields(request, maxBytes);
	const faults: (readonly [string, readonly string[]])[] = [];
	for (const name of Object.keys(sent)) {
		if (!Object.hasOwn(entries, name)) faults.push([name.slice(0, 100), ["is not a field of this call"]]);
	}
	const parsed = v.safeParse(v.object(entries), sent);
	if (parsed.success && faults.length === 0) return parsed.output;
	// Built from entries: assigning a fault to the name "__proto__" would lose it.
	throw new Failure("validation_error", Object.fromEntries([...faults, ...faultsOf(parsed.issues ?? [])]));
}

const read = new WeakMap<Request, Promise<Record<string, unknown>>>();

/** A body can be read once, and a call under an Idempotency-Key asks for it twice. */
function readFields(request: Request, maxBytes: number | undefined): Promise<Record<string, unknown>> {
	const known = read.get(request);
	if (known) return known;
	const reading = request.body === null ? Promise.resolve({}) : requireJson(request, maxBytes);
	read.set(request, reading);
	return reading;
}

function faultsOf(issues: readonly v.BaseIssue<unknown>[]): readonly (readonly [string, readonly string[]])[] {
	const byField = new Map<string, string[]>();
	for (const issue of issues) {
		const field = String(issue.path?.[0]?.key ?? "body");
		// The library's own sentence for a field that is not there speaks of types, not of what to do.
		const missing = issue.input === undefined && issue.received === "undefined";
		byField.set(field, [...(byField.get(field) ?? []), missing ? "is required" : issue.message]);
	}
	return [...byField];
}
