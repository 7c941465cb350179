import type { Elysia } from "elysia";
import type { ApiRooms } from "../kit/rooms.ts";

/** Plain answers for load balancers and Prometheus, outside /v1 and without keys. */
export function health(app: Elysia, rooms: ApiRooms): void {
	const hidden = { detail: { hide: true } };
	app.get("/healthz", () => new Response("ok\n", { headers: { "Cache-Control": "no-store" } }), hidden);
	app.get("/readyz", () => readyz(rooms), hidden);
	app.get("/metrics", () => metrics(rooms), hidden);
}

async function readyz(rooms: ApiRooms): Promise<Response> {
	const readiness = await rooms.readiness();
	return Response.json(readiness, { status: readiness.ready ? 200 : 503, headers: { "Cache-Control": "no-store" } });
}

async function metrics(rooms: ApiRooms): Promise<Response> {
	return new Response(await rooms.metricsText(), {
		headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store" },
	});
}
