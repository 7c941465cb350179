import http from "node:http";
import { inFewSends } from "./bun-answer.ts";
import type { Listener, ListenerOptions } from "./listener.ts";

/** Bun's own server, which is the fastest that there is. It refuses by itself what is no request, without our envelope. */
export async function bunListener(options: ListenerOptions): Promise<Listener> {
	const { hostname, port, idleSeconds, headMaxBytes, fetch, failed } = options;
	// The type says that it cannot be set; Bun takes it for all servers that are opened afterwards.
	Object.assign(http, { maxHeaderSize: headMaxBytes });
	const server = Bun.serve({
		hostname,
		port,
		idleTimeout: idleSeconds,
		// Bodies are bounded where they are read, in the envelope; this bound would answer without it.
		maxRequestBodySize: Number.MAX_SAFE_INTEGER,
		fetch(request, server) {
			const answer = fetch(request, () => server.requestIP(request)?.address);
			return answer instanceof Promise ? answer.then((ready) => inFewSends(request, ready)) : answer;
		},
		error: failed,
	});
	return {
		port: server.port ?? 0,
		get pending() {
			return server.pendingRequests;
		},
		peerOf: (request) => server.requestIP(request) ?? undefined,
		stop: (cut) => server.stop(cut),
	};
}
