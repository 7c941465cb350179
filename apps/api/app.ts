import { Failure } from "@svc/base/failure";
import { Elysia } from "elysia";
import { appBilling } from "./app-billing.ts";
import { appKeys } from "./app-keys.ts";
import { appUsage } from "./app-usage.ts";
import { apps } from "./apps.ts";
import { audit } from "./audit.ts";
import { authExchange } from "./auth-exchange.ts";
import { billingPlans } from "./billing-plans.ts";
import { billingStatus } from "./billing-status.ts";
import { refuse, refuseMethod } from "./call.ts";
import type { ApiDeps } from "./deps.ts";
import { docs } from "./docs.ts";
import { document } from "./document.ts";
import { emails } from "./emails.ts";
import { PREFLIGHT_HEADERS } from "./headers.ts";
import { health } from "./health.ts";
import { images } from "./images.ts";
import { invites } from "./invites.ts";
import { jobs } from "./jobs.ts";
import { key } from "./key.ts";
import { me } from "./me.ts";
import { members } from "./members.ts";
import { moderation } from "./moderation.ts";
import { operator } from "./operator.ts";
import { operatorAccounts } from "./operator-accounts.ts";
import { operatorApps } from "./operator-apps.ts";
import { operatorBackups } from "./operator-backups.ts";
import { operatorOverview } from "./operator-overview.ts";
import { ownConnections } from "./own-connections.ts";
import { ownKeys } from "./own-keys.ts";
import { processor } from "./processor.ts";
import { redirectUris } from "./redirect-uris.ts";
import { reports } from "./reports.ts";
import { sessions } from "./sessions.ts";
import { simulation } from "./simulation.ts";
import { soldPlans } from "./sold-plans.ts";
import { subscriptions } from "./subscriptions.ts";
import { tokens } from "./tokens.ts";
import { usage } from "./usage.ts";
import { userKeys } from "./user-keys.ts";
import { users } from "./users.ts";

export interface Handler {
	handle(request: Request): Promise<Response>;
}

/** The REST API, and the documents and probes beside it. */
export function apiApp(deps: ApiDeps): Handler {
	const app = new Elysia();
	health(app, deps);
	images(app, deps);
	usage(app, deps);
	apps(app, deps);
	appKeys(app, deps);
	members(app, deps);
	invites(app, deps);
	redirectUris(app, deps);
	appUsage(app, deps);
	audit(app, deps);
	soldPlans(app, deps);
	billingPlans(app, deps);
	billingStatus(app, deps);
	subscriptions(app, deps);
	appBilling(app, deps);
	processor(app, deps);
	simulation(app, deps);
	key(app, deps);
	operator(app, deps);
	authExchange(app, deps);
	sessions(app, deps);
	tokens(app, deps);
	me(app, deps);
	jobs(app, deps);
	users(app, deps);
	ownConnections(app, deps);
	userKeys(app, deps);
	ownKeys(app, deps);
	moderation(app, deps);
	emails(app, deps);
	reports(app, deps);
	operatorAccounts(app, deps);
	operatorApps(app, deps);
	operatorOverview(app, deps);
	operatorBackups(app, deps);
	document(app, deps);
	docs(app, deps);
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
