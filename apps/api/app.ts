import { Failure } from "@svc/core/failure";
import { Elysia } from "elysia";
import { refuse, refuseMethod } from "./call.ts";
import type { ApiDeps } from "./deps.ts";
import { docs } from "./docs.ts";
import { document } from "./document.ts";
import { PREFLIGHT_HEADERS } from "./headers.ts";
import { health } from "./health.ts";
import { images } from "./images.ts";
import { key } from "./key.ts";
import { operator } from "./operator.ts";
import { usage } from "./usage.ts";

export interface Handler {
	handle(request: Request): Promise<Response>;
}

/** The REST API, and the documents and probes beside it. */
export function apiApp(deps: ApiDeps): Handler {
	const app = new Elysia();
	document(app, deps);
	docs(app, deps);
	health(app, deps);
	images(app, deps);
	usage(app, deps);
	key(app, deps);
	operator(app, deps);
	const routes = app.routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
	app.options("/*", () => new Response(null, { status: 204, headers: PREFLIGHT_HEADERS }), { detail: { hide: true } });
	app.onError(({ request, error, code }) => {
		if (code !== "NOT_FOUND") return refuse(deps, request, new Failure("server_error", undefined, { cause: error }));
		return unrouted(deps, request, routes);
	});
	return { handle: (request) => app.handle(request) };
}

interface Route {
	readonly method: string;
	readonly pattern: RegExp;
}

function patternOf(path: string): RegExp {
	return new RegExp(`^${path.replace(/:[a-z]+/g, "[^/]+")}$`);
}

/** A known path with another method is a 405 that names the right ones; any other path is not there. */
function unrouted(deps: ApiDeps, request: Request, routes: readonly Route[]): Promise<Response> {
	const { pathname } = new URL(request.url);
	const allowed = new Set(routes.filter((route) => route.pattern.test(pathname)).map((route) => route.method));
	if (allowed.size === 0) return refuse(deps, request, new Failure("not_found"));
	return refuseMethod(deps, request, [...allowed].sort().join(", "));
}
