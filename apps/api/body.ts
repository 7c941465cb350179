import { Failure } from "@svc/core/failure";

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
export async function readJson(request: Request): Promise<Record<string, unknown>> {
	const text = new TextDecoder("utf-8", { fatal: true });
	let sent: unknown;
	try {
		sent = JSON.parse(refuseDeep(text.decode(await readBytes(request, JSON_MAX_BYTES))));
	} catch (cause) {
		if (cause instanceof Failure) throw cause;
		throw unreadable("The body is not valid JSON.", cause);
	}
	if (typeof sent !== "object" || sent === null || Array.isArray(sent))
		throw unreadable("The body must be a JSON object.");
	return sent as Record<string, unknown>;
}

export function unreadable(message: string, cause?: unknown): Failure {
	return new Failure("bad_request", undefined, { message, cause });
}

/** @throws Failure bad_request as soon as more than `maxBytes` have come */
async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of request.body ?? new Blob().stream()) {
		bytes += chunk.length;
		if (bytes > maxBytes) throw unreadable(`A JSON body must be at most ${maxBytes.toLocaleString("en")} bytes.`);
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

/** Counts brackets outside strings, so that a body made of nothing else never reaches the recursive parser. */
function refuseDeep(text: string): string {
	let depth = 0;
	for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
		if (token === "[" || token === "{") depth++;
		else if (token === "]" || token === "}") depth--;
		if (depth > JSON_MAX_DEPTH) throw unreadable(`A JSON body must be at most ${JSON_MAX_DEPTH} levels deep.`);
	}
	return text;
}
