import { type ClientRequest, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { PurgeCall } from "./target.ts";

export interface PurgeAnswer {
	/** Null without an answer. */
	readonly status: number | null;
	readonly retryAfter: string | undefined;
	/** Why there was no answer. */
	readonly failure?: string;
}

/** From the look-up of the name to the headers of the answer. */
const DEADLINE_MS = 10_000;

/**
 * Makes one call; never rejects. It may go to a private address, since whoever runs the service has set it. Redirects are not followed: a
 * purge that another place answers has reached no cache. `fetch` is of no use here: Bun's makes a GET of a method that it does not know.
 */
export function call({ method, url, headers, body }: PurgeCall, signal: AbortSignal): Promise<PurgeAnswer> {
	const { promise, resolve } = Promise.withResolvers<PurgeAnswer>();
	const fail = (cause: unknown) => {
		resolve({ status: null, retryAfter: undefined, failure: cause instanceof Error ? cause.message : String(cause) });
	};
	const open = new URL(url).protocol === "https:" ? requestHttps : requestHttp;
	const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
	let sent: ClientRequest;
	try {
		sent = open(url, { method, headers: { ...headers, ...length }, agent: false });
	} catch (cause) {
		fail(cause);
		return promise;
	}
	const end = (why: string) => {
		fail(why);
		sent.destroy();
	};
	const timer = setTimeout(() => end("no answer in time"), DEADLINE_MS);
	const stop = () => end("the service stops");
	if (signal.aborted) stop();
	signal.addEventListener("abort", stop, { once: true });
	sent.on("error", fail);
	sent.on("response", (answer) => {
		resolve({ status: answer.statusCode ?? null, retryAfter: answer.headers["retry-after"] });
		// What it says besides is of no interest, and may have no end.
		answer.on("error", () => undefined);
		answer.destroy();
	});
	sent.end(body);
	return promise.finally(() => {
		clearTimeout(timer);
		signal.removeEventListener("abort", stop);
	});
}
