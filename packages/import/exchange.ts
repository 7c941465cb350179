import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { Failure, FetchAgain } from "@svc/base/failure";
import { untilAborted } from "@svc/base/pace/patience";
import type { GuardedConnection } from "./connection.ts";
import { type Destination, tooLarge, unfetchable } from "./destination.ts";

const MAX_HEADER_BYTES = 16_384;
/** Each `103 Early Hints` may carry headers of its own; without a bound they never end. */
const MAX_INTERIM_ANSWERS = 8;

export interface FetchedAnswer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	/** Can be read once, while the connection is open. */
	readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Sends the one GET that a connection is for, and waits for the answer's headers.
 * @throws Failure `fetch_failed`; so does reading the body
 */
export async function get(
	destination: Destination,
	connection: GuardedConnection,
	{ maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<FetchedAnswer> {
	return await answered(destination, connection, { method: "GET", headers: GET_HEADERS, maxBytes, signal });
}

interface Posting {
	readonly body: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly maxBytes: number;
	readonly signal: AbortSignal;
}

/**
 * The same with a POST of JSON.
 * @throws Failure `fetch_failed`; so does reading the body
 */
export async function sendPost(
	destination: Destination,
	connection: GuardedConnection,
	{ body, headers, ...bounds }: Posting,
): Promise<FetchedAnswer> {
	const length = { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(body)) };
	const sent = { ...POST_HEADERS, ...length, ...headers };
	return await answered(destination, connection, { method: "POST", headers: sent, body, ...bounds });
}

interface AskedAddress {
	readonly method: "GET" | "POST";
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string;
	readonly maxBytes: number;
	readonly signal: AbortSignal;
}

async function answered(
	destination: Destination,
	connection: GuardedConnection,
	{ maxBytes, signal, ...asked }: AskedAddress,
): Promise<FetchedAnswer> {
	const faults: unknown[] = [];
	const outgoing = send(destination, connection, asked);
	outgoing.on("error", (error) => faults.push(error));
	// Listens at once, not after the wait below: an error without a listener would end the process.
	outgoing.once("response", (message) => message.on("error", (error) => faults.push(error)));
	const message = await untilAborted(answerTo(outgoing), signal);
	if (message.socket !== connection.socket) throw new Error("the answer came over another socket than the checked one");
	return {
		status: message.statusCode ?? 0,
		headers: message.headers,
		body: bodyOf(message, { faults, maxBytes, signal }),
	};
}

// Nothing is unpacked, so nothing can unpack to a thousand times its size.
const PLAIN = { "Accept-Encoding": "identity", Connection: "close" };
const GET_HEADERS = { "User-Agent": "svc-import/1", Accept: "image/*", ...PLAIN };
const POST_HEADERS = { "User-Agent": "svc-webhooks/1", Accept: "*/*", ...PLAIN };

function send(
	{ url, port }: Destination,
	{ socket, address }: GuardedConnection,
	{ method, headers, body }: Pick<AskedAddress, "method" | "headers" | "body">,
): ClientRequest {
	const outgoing = request({
		// Bun ignores `createConnection` without a word once `agent` is given, even `false`, and dials `host` itself. Should
		// that ever happen here, `host` is the address that was judged.
		createConnection: () => socket,
		host: address,
		port,
		path: url.pathname + url.search,
		maxHeaderSize: MAX_HEADER_BYTES,
		method,
		headers: { Host: url.host, ...headers },
	});
	outgoing.end(body);
	return outgoing;
}

function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
	let interim = 0;
	return new Promise((resolve, reject) => {
		const words = "does not answer in valid HTTP";
		const fail = (cause?: unknown) => reject(unfetchable(words, cause));
		const cutOff = (cause?: unknown) => reject(new FetchAgain(words, cause));
		outgoing.once("response", resolve);
		outgoing.once("error", (cause: NodeJS.ErrnoException) => (isCut(cause) ? cutOff(cause) : fail(cause)));
		outgoing.once("close", () => cutOff());
		outgoing.once("upgrade", () => fail());
		outgoing.on("information", () => {
			interim++;
			if (interim > MAX_INTERIM_ANSWERS) fail();
		});
	});
}

interface Watch {
	/** What went wrong on the connection, first to last. */
	readonly faults: readonly unknown[];
	readonly maxBytes: number;
	readonly signal: AbortSignal;
}

async function* bodyOf(message: IncomingMessage, watch: Watch): AsyncGenerator<Uint8Array> {
	const chunks: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]();
	let bytes = 0;
	for (;;) {
		const chunk = await nextOf(chunks, watch.signal);
		if (chunk === undefined) break;
		bytes += chunk.length;
		if (bytes > watch.maxBytes) throw tooLarge(watch.maxBytes);
		yield chunk;
	}
	const declared = message.headers["content-length"];
	const isWhole = message.complete && (declared === undefined || Number(declared) === bytes);
	if (!isWhole || watch.faults.length > 0) throw broken(watch.faults[0]);
}

async function nextOf(chunks: AsyncIterator<Uint8Array>, signal: AbortSignal): Promise<Uint8Array | undefined> {
	try {
		const next = await untilAborted(chunks.next(), signal);
		return next.done ? undefined : next.value;
	} catch (error) {
		throw error instanceof Failure ? error : broken(error);
	}
}

function isCut({ code }: NodeJS.ErrnoException): boolean {
	return code === "ECONNRESET" || code === "EPIPE";
}

function broken(cause: unknown): Failure {
	return new FetchAgain("broke off, or sent another length than it declared", cause);
}
