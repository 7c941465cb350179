import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

interface Answer {
	readonly status: number;
	readonly contentType: string;
	readonly body: Uint8Array;
}

/** What becomes of one request; undefined: its connection is cut. `forward` lets the server do what it asks for. */
export type Passage = (
	isChange: boolean,
	forward: () => Promise<Answer>,
	body: { includes(text: string): boolean },
) => Promise<Answer | undefined>;

export interface LibsqlProxy extends AsyncDisposable {
	readonly url: string;
	/** From now on. At first everything passes. */
	passage: Passage;
}

export const PASSING: Passage = (_, forward) => forward();

/** The road between a service and its libSQL server, which a test can make bad. */
export async function startLibsqlProxy(serverUrl: string): Promise<LibsqlProxy> {
	const server = createServer(async (request, response) => {
		const body = await received(request);
		// What changes anything is one batch, which begins so in either of the protocol's encodings.
		const isChange = body.includes("BEGIN IMMEDIATE");
		const answer = await proxy.passage(isChange, () => forward(serverUrl, request, body), body).catch(() => undefined);
		if (!answer) return request.socket.destroy();
		return response.writeHead(answer.status, { "Content-Type": answer.contentType }).end(answer.body);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const proxy: LibsqlProxy = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		passage: PASSING,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
	return proxy;
}

async function received(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk);
	return Buffer.concat(chunks);
}

async function forward(serverUrl: string, request: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<Answer> {
	const { method = "GET", url = "/", headers } = request;
	const answer = await fetch(`${serverUrl}${url}`, {
		method,
		headers: { "Content-Type": headers["content-type"] ?? "" },
		...(method !== "GET" && { body }),
	});
	const contentType = answer.headers.get("content-type") ?? "";
	return { status: answer.status, contentType, body: await answer.bytes() };
}
