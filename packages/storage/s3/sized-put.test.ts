import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sizedPut } from "./sized-put.ts";

let server: Server;
let handle: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
	server = createServer((request, response) => handle(request, response));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

function put(bytes: number, signal = AbortSignal.timeout(60_000)): Promise<Response> {
	const body = new Blob([new Uint8Array(bytes)]).stream();
	const headers = new Headers({ "Content-Length": String(bytes), "X-Amz-Meta-Mark": "one" });
	const { port } = server.address() as AddressInfo;
	return sizedPut(`http://127.0.0.1:${port}/a/b`, { method: "PUT", headers, body, signal });
}

describe("a stream of a known length", () => {
	test("arrives whole, with its length and headers, and the answer comes back as it is", async () => {
		handle = async (request, response) => {
			let bytes = 0;
			for await (const chunk of request) bytes += (chunk as Buffer).length;
			const { method, url, headers } = request;
			response.writeHead(409, { "X-Told": "yes" });
			const { "content-length": length, "transfer-encoding": pieces, "x-amz-meta-mark": mark } = headers;
			response.end(JSON.stringify({ bytes, method, url, length, pieces, mark }));
		};
		const answer = await put(3_000_000);
		expect([answer.status, answer.headers.get("x-told")]).toEqual([409, "yes"]);
		expect(await answer.json()).toEqual({
			bytes: 3_000_000,
			method: "PUT",
			url: "/a/b",
			length: "3000000",
			mark: "one",
		});
	});

	test("of which nothing is left to say is answered without a body", async () => {
		handle = (request, response) => {
			request.resume();
			response.writeHead(204).end();
		};
		const answer = await put(10);
		expect([answer.status, await answer.text()]).toEqual([204, ""]);
	});

	test("ends with its signal where no answer comes, and where nobody is there", async () => {
		handle = () => undefined;
		const stop = new AbortController();
		const sent = put(10, stop.signal).catch((cause: unknown) => cause);
		stop.abort(new Error("long enough"));
		expect(await sent).toEqual(new Error("long enough"));
		handle = (request) => request.socket.destroy();
		expect(await put(10).catch((cause: unknown) => cause)).toBeInstanceOf(Error);
	});
});
