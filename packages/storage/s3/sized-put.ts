import { type ClientRequest, request as plainRequest, type RequestOptions } from "node:http";
import { request as secureRequest } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

interface SizedPut {
	readonly method: string;
	/** They declare the length. */
	readonly headers: Headers;
	readonly body: ReadableStream<Uint8Array>;
	readonly signal: AbortSignal;
}

/** Whether `fetch` sends a stream with the length that its headers declare. Deno's leaves it out and sends pieces, which no object store takes. */
export const FETCH_DECLARES_LENGTH = !("Deno" in globalThis);

/** Sends a stream of a known length, as `fetch` does where it declares the length. Redirects are not followed. Rejects where no answer came. */
export async function sizedPut(url: string, { method, headers, body, signal }: SizedPut): Promise<Response> {
	const send: (url: string, options: RequestOptions) => ClientRequest = url.startsWith("https:")
		? secureRequest
		: plainRequest;
	const { promise, resolve, reject } = Promise.withResolvers<Response>();
	const request = send(url, { method, headers: Object.fromEntries(headers) });
	request.on("error", reject);
	const end = () => {
		reject(signal.reason);
		request.destroy();
	};
	if (signal.aborted) end();
	else signal.addEventListener("abort", end, { once: true });
	request.on("response", (response) => {
		const { statusCode: status = 502, rawHeaders } = response;
		const answered = new Headers();
		for (let place = 0; place + 1 < rawHeaders.length; place += 2)
			answered.append(rawHeaders[place] ?? "", rawHeaders[place + 1] ?? "");
		const isEmpty = status === 204 || status === 304;
		response.on("close", () => signal.removeEventListener("abort", end));
		const content: unknown = isEmpty ? null : Readable.toWeb(response);
		resolve(new Response(content as BodyInit | null, { status, headers: answered }));
	});
	// A store may refuse before it has read all: its answer counts, and not that the rest could not be sent.
	pipeline(body, request).catch(reject);
	return await promise;
}
