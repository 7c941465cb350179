import type { StartedService } from "../support/service.ts";

/** A proxy in front of the service that answers with 503 while it is told so, or once the service has done what it was asked. */
export function startProxy(service: StartedService) {
	let isDown = false;
	let isLosing = false;
	const error = { type: "api_error", code: "app_context_unavailable", message: "It is not there now." };
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: async (request) => {
			if (isDown) return Response.json({ error }, { status: 503 });
			const { pathname, search } = new URL(request.url);
			const { method, headers } = request;
			const body = method === "GET" ? null : await request.text();
			const answer = await service.open(`${service.baseUrl}${pathname}${search}`, { method, headers, body });
			if (method === "GET" || !isLosing) return answer;
			isLosing = false;
			return Response.json({ error }, { status: 503 });
		},
	});
	return {
		baseUrl: `http://localhost:${server.port}`,
		down(now: boolean) {
			isDown = now;
		},
		/** The answer to the next change gets lost. */
		loseNext() {
			isLosing = true;
		},
		[Symbol.asyncDispose]: () => server.stop(true),
	};
}
