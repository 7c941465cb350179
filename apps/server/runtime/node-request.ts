import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { RefusedStatus } from "./listener.ts";

/** Anything else would be a part of the address that a Host does not name: a user, a path. */
const HOST = /^[^\s/\\?#@]*$/;
/** The web's requests cannot have these methods. */
const UNKNOWN_TO_FETCH = new Set(["CONNECT", "TRACE", "TRACK"]);

/**
 * The request that came in, or the status with which it is refused. `reading` is called when somebody begins to read the body.
 * An absolute address in the request line wins over Host (RFC 9112, 3.2.2).
 */
export function requestOf(message: IncomingMessage, signal: AbortSignal, reading: () => void): Request | RefusedStatus {
	const { method = "GET", url: target = "" } = message;
	if (UNKNOWN_TO_FETCH.has(method)) return 405;
	if (!isFramed(message)) return 400;
	const headers = headersOf(message);
	const url = headers && addressOf(target, headers);
	if (url === undefined) return 400;
	if (!HOST.test(headers?.get("host") ?? "") || !URL.canParse(url)) return 421;
	const body = hasBody(message) ? bodyOf(message, reading) : undefined;
	// Bodies that are streams are sent before the answer is read; the option says so, and there is no other.
	return new Request(url, { method, headers, signal, ...(body && { body, duplex: "half" }) } as RequestInit);
}

/**
 * `chunked` alone is understood, and not in HTTP 1.0: a proxy in front that reads another framing would find another request behind this one
 * (RFC 9112, 6.1). The parser takes both.
 */
function isFramed({ headers, httpVersionMinor }: IncomingMessage): boolean {
	const coding = headers["transfer-encoding"];
	return coding === undefined || (coding.trim().toLowerCase() === "chunked" && httpVersionMinor > 0);
}

/** Undefined where no host is named, or more than one (RFC 9112, 3.2). */
function headersOf({ rawHeaders, httpVersionMinor }: IncomingMessage): Headers | undefined {
	const headers = new Headers();
	let hosts = 0;
	for (let at = 0; at < rawHeaders.length; at += 2) {
		const name = rawHeaders[at] ?? "";
		if (name.length === 4 && name.toLowerCase() === "host") hosts++;
		headers.append(name, rawHeaders[at + 1] ?? "");
	}
	return hosts > 1 || (hosts === 0 && httpVersionMinor > 0) ? undefined : headers;
}

/** Undefined for a target in no form that a server takes. */
function addressOf(target: string, headers: Headers): string | undefined {
	// HTTP 1.0 need not name a host, and balancers do not; whoever goes by the header finds none.
	if (target.startsWith("/")) return `http://${headers.get("host") ?? "localhost"}${target}`;
	const { protocol, host } = URL.parse(target) ?? {};
	if ((protocol !== "http:" && protocol !== "https:") || host === undefined) return undefined;
	headers.set("host", host);
	return target;
}

function hasBody({ method, headers }: IncomingMessage): boolean {
	if (method === "GET" || method === "HEAD") return false;
	return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Throws away what comes of a body from now on, whoever has read it. A stream that has had a reader stands still unless it gets a turn in between. */
export async function discard(message: IncomingMessage): Promise<void> {
	if (message.listenerCount("readable") > 0) message.removeAllListeners("readable");
	await setImmediate();
	message.resume();
}

/** The bytes as they are asked for: nothing is read ahead but what the connection buffers. */
function bodyOf(message: IncomingMessage, reading: () => void): ReadableStream<Uint8Array> {
	let chunks: AsyncIterator<Buffer> | undefined;
	return new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				if (!chunks) {
					reading();
					// Ending it early would end the connection, on which an answer is still to be sent.
					chunks = message.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
				}
				const { done, value } = await chunks.next();
				if (done) controller.close();
				else controller.enqueue(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
			},
			async cancel() {
				await chunks?.return?.();
				await discard(message);
			},
		},
		{ highWaterMark: 0 },
	);
}
