import { request as httpRequest, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { listen } from "@svc/server/door/listen";
import type { Service } from "@svc/server/wire/service-interface";
import type { TestLog } from "./service.ts";

type Send = (request: Request, signal: AbortSignal | undefined) => Promise<Response>;

export interface Door {
	readonly send: Send;
	close(): Promise<void>;
}

/** Sends requests to a service through a listener on a free port, as whichever Host they name. */
export async function openDoor(handle: Service["handle"], log: TestLog): Promise<Door> {
	const listening = await listen([{ hostname: "127.0.0.1", port: 0 }], handle, log);
	const port = listening.ports[0] ?? 0;
	return {
		send: (request, signal) => send(port, request, signal),
		close: () => listening.stop(0),
	};
}

async function send(port: number, request: Request, signal: AbortSignal | undefined): Promise<Response> {
	const { pathname, search } = new URL(request.url);
	const { method, headers, body } = request;
	const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
	const outgoing = httpRequest({
		...{ host: "127.0.0.1", port, method, path: pathname + search, headers: Object.fromEntries(headers) },
		...(signal && { signal }),
		agent: false,
	});
	outgoing.once("response", resolve).on("error", reject);
	// Not every method has a body by itself.
	if (body && !headers.has("content-length")) outgoing.setHeader("Transfer-Encoding", "chunked");
	if (body) Readable.fromWeb(body as never).pipe(outgoing);
	else outgoing.end();
	return answerOf(await promise, method);
}

function answerOf(message: IncomingMessage, method: string): Response {
	const status = message.statusCode ?? 0;
	const headers = new Headers();
	for (let at = 0; at < message.rawHeaders.length; at += 2)
		headers.append(message.rawHeaders[at] ?? "", message.rawHeaders[at + 1] ?? "");
	const isEmpty = method === "HEAD" || status === 204 || status === 304;
	if (isEmpty) message.resume();
	return new Response(isEmpty ? null : (Readable.toWeb(message) as never), { status, headers });
}
