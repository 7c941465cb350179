import type { Elysia } from "elysia";
import type { ApiDeps } from "../kit/deps.ts";

/** For load balancers and Prometheus: plain answers outside /v1, without keys. */
export function health(app: Elysia, deps: ApiDeps): void {
	const hidden = { detail: { hide: true } };
	app.get("/healthz", () => new Response("ok\n", { headers: { "Cache-Control": "no-store" } }), hidden);
	app.get("/readyz", () => readyz(deps), hidden);
	app.get("/metrics", () => metrics(deps), hidden);
}

async function readyz(deps: ApiDeps): Promise<Response> {
	const readiness = await deps.readiness();
	return Response.json(readiness, { status: readiness.ready ? 200 : 503, headers: { "Cache-Control": "no-store" } });
}

async function metrics(deps: ApiDeps): Promise<Response> {
	return new Response(await deps.metricsText(), {
		headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store" },
	});
}
