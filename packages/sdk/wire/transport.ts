import { ApiError, ConnectionError, readApiError } from "../failure.ts";
import type { StreamedForm } from "../uploads/upload.ts";
import {
	type Answer,
	type ClientOptions,
	checkClient,
	type Fetch,
	NotSent,
	type PreparedRequest,
	prepareRequest,
	type QueryOptions,
	type RequestOptions,
	type UserClientOptions,
} from "./request.ts";
import { type Deadline, isTransient, mayHaveActed, startDeadline, wait, waitBeforeRetry } from "./retry.ts";

const DEFAULT_RETRIES = 3;

export interface Transport {
	/** The object in the body of a successful answer. @throws ConnectionError `malformed` for an answer that holds none */
	send(method: string, path: string, options: RequestOptions): Promise<unknown>;
	/** The parsed body, whatever it is: JSON, or text where the service says it is something else. */
	sendAny(method: string, path: string, options: RequestOptions): Promise<unknown>;
	/** Does the same for a call of which the caller knows that a second one does no more than the first. */
	repeat(method: string, path: string, options: RequestOptions): Promise<unknown>;
	/** A DELETE that is repeated: after a lost answer, a 404 means that the lost one had succeeded, and `gone` is returned. */
	remove(path: string, options: QueryOptions, gone: unknown): Promise<unknown>;
	/** A GET whose successful answer is bytes. */
	download(path: string, options: QueryOptions): Promise<Blob>;
	stream(path: string, options: QueryOptions): Promise<ReadableStream<Uint8Array>>;
}

interface Wire {
	readonly fetch: Fetch;
	readonly retries: number;
	/** Milliseconds that a call has from now on, with all its tries. */
	leftMs(): number;
}

/**
 * @param maker the function whose options these are
 * @throws TypeError for a malformed base address or key
 */
export function createTransport(client: ClientOptions | UserClientOptions, maker = "createClient"): Transport {
	checkClient(client, maker);
	const wire: Wire = {
		// Called through an arrow: browsers refuse a fetch that was taken off its window.
		fetch: client.fetch ?? ((url, init) => fetch(url, init)),
		retries: client.retries ?? DEFAULT_RETRIES,
		leftMs: client.leftMs ?? (() => Number.POSITIVE_INFINITY),
	};
	return {
		send: (method, path, options) => attempt(wire, prepareRequest(client, method, path, options)),
		sendAny: (method, path, options) =>
			attempt(wire, { ...prepareRequest(client, method, path, options), answer: "any" }),
		repeat: (method, path, options) =>
			attempt(wire, { ...prepareRequest(client, method, path, options), repeatable: true }),
		remove: (path, options, gone) => attemptRemoval(wire, prepareRequest(client, "DELETE", path, options), gone),
		download: (path, options) =>
			attempt(wire, { ...prepareRequest(client, "GET", path, options), answer: "bytes" }) as Promise<Blob>,
		stream: (path, options) =>
			attempt(wire, { ...prepareRequest(client, "GET", path, options), answer: "stream" }) as Promise<
				ReadableStream<Uint8Array>
			>,
	};
}

/** `onRetry` sees each failure that is followed by another try. */
async function attempt(wire: Wire, request: PreparedRequest, onRetry?: (error: unknown) => void): Promise<unknown> {
	const endsMs = performance.now() + wire.leftMs();
	const leftMs = () => Math.max(0, endsMs - performance.now());
	for (let tries = 0; ; tries++) {
		try {
			const answer = await tryOnce(wire, { ...request, timeoutMs: Math.min(request.timeoutMs, leftMs()) });
			request.call.onAnswer?.(answer);
			return answer.body;
		} catch (error) {
			const waitMs = waitAfter(error, wire, request, tries);
			if (waitMs === undefined || waitMs >= leftMs()) throw error;
			onRetry?.(error);
			await wait(waitMs, request.call.signal);
		}
	}
}

/** Carries what a stream failed with past the errors of the connection. */
class SourceFailure extends Error {
	constructor(cause: unknown) {
		super("The source of the body failed.", { cause });
	}
}

function asSourceFailure(error: unknown): never {
	throw new SourceFailure(error);
}

/** Whether an error says itself what it is. */
function isFinal(error: unknown): boolean {
	return error instanceof ApiError || error instanceof ConnectionError || error instanceof NotSent;
}

/** Makes one try. An error of the runtime becomes a ConnectionError, and an abort its own reason. */
async function tryOnce(wire: Wire, request: PreparedRequest) {
	const deadline = startDeadline(request.timeoutMs, request.call.signal);
	try {
		return await (request.form
			? exchangeStream(wire, request, request.form, deadline)
			: exchange(wire, request, deadline.signal));
	} catch (error) {
		const { origin } = new URL(request.url);
		if (deadline.isOver())
			throw new ConnectionError("timeout", `${origin}, ${Math.round(request.timeoutMs)} ms.`, { cause: error });
		request.call.signal?.throwIfAborted();
		if (error instanceof SourceFailure) throw error.cause;
		if (isFinal(error)) throw error;
		const detail = error instanceof Error ? error.message : String(error);
		throw new ConnectionError("network", `${origin}: ${detail}`, { cause: error });
	} finally {
		deadline.end();
	}
}

/** @throws what the source of the body failed with, which is no fault of the connection */
async function exchangeStream(wire: Wire, request: PreparedRequest, form: StreamedForm, deadline: Deadline) {
	const body = await form.open(deadline.extend).catch(asSourceFailure);
	try {
		// Half duplex is all that runtimes have, and not all types know of it.
		const init = { ...request.init, body: body.stream, duplex: "half" };
		return await exchange(wire, { ...request, init }, deadline.signal);
	} catch (error) {
		const failure = body.failure();
		throw failure ? new SourceFailure(failure.error) : error;
	} finally {
		body.close();
	}
}

async function exchange(
	wire: Wire,
	request: PreparedRequest,
	signal: AbortSignal,
): Promise<Answer & { readonly body: unknown }> {
	const response = await wire.fetch(request.url, { ...request.init, signal });
	refuseRedirect(response);
	if (!response.ok) throw readApiError(response, await readBody(response), Date.now());
	return { status: response.status, headers: response.headers, body: await readAnswer(response, request.answer) };
}

/** Browsers hide where a redirect leads and give it status 0. */
function refuseRedirect(response: Response): void {
	if (response.type !== "opaqueredirect" && (response.status < 300 || response.status >= 400)) return;
	throw new ConnectionError("redirect", `to ${response.headers.get("location") ?? "elsewhere"}.`);
}

async function readBody(response: Response): Promise<unknown> {
	const text = await response.text();
	if (!/[/+]json\b/i.test(response.headers.get("content-type") ?? "")) return text;
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new ConnectionError("malformed", `HTTP ${response.status} with broken JSON.`, { cause: error });
	}
}

async function readAnswer(response: Response, kind: PreparedRequest["answer"]): Promise<unknown> {
	if (kind === "bytes") return await response.blob();
	if (kind === "stream") return fileOf(response);
	const body = await readBody(response);
	if (kind === "object") requireObject(body, response);
	return body;
}

/** A page or an object in the place of a file is not the service's. */
function fileOf({ body, headers, status }: Response): ReadableStream<Uint8Array> {
	const type = headers.get("content-type") ?? "";
	if (body && !/^(?:text\/html|application\/json)\b/i.test(type)) return body;
	throw new ConnectionError("malformed", `HTTP ${status} without a file.`);
}

/** A proxy or a portal in between may answer 200 with a page of its own. */
function requireObject(body: unknown, { status }: Response): void {
	if (typeof body === "object" && body !== null && !Array.isArray(body)) return;
	throw new ConnectionError("malformed", `HTTP ${status} without a JSON object.`);
}

/** Undefined when the failure is final. */
function waitAfter(error: unknown, wire: Wire, request: PreparedRequest, tries: number): number | undefined {
	if (!request.repeatable || tries >= (request.call.retries ?? wire.retries) || !isTransient(error)) return undefined;
	return waitBeforeRetry(error, tries, Math.random());
}

async function attemptRemoval(wire: Wire, request: PreparedRequest, gone: unknown): Promise<unknown> {
	let answerLost = false;
	try {
		return await attempt(wire, { ...request, repeatable: true }, (error) => {
			answerLost ||= mayHaveActed(error);
		});
	} catch (error) {
		if (answerLost && error instanceof ApiError && error.code === "not_found") return gone;
		throw error;
	}
}
