import { Failure } from "@svc/base/failure";
import { Elysia } from "elysia";
import { apps } from "./apps/apps.ts";
import { audit } from "./apps/audit.ts";
import { invites } from "./apps/invites.ts";
import { members } from "./apps/members.ts";
import { redirectUris } from "./apps/redirect-uris.ts";
import { tokens } from "./apps/tokens.ts";
import { appBilling } from "./billing/app-billing.ts";
import { billingPlans } from "./billing/billing-plans.ts";
import { billingStatus } from "./billing/billing-status.ts";
import { processor } from "./billing/processor.ts";
import { simulation } from "./billing/simulation.ts";
import { soldPlans } from "./billing/sold-plans.ts";
import { subscriptions } from "./billing/subscriptions.ts";
import { authExchange } from "./connect/auth-exchange.ts";
import { ownConnections } from "./connect/own-connections.ts";
import { ownKeys } from "./connect/own-keys.ts";
import { userKeys } from "./connect/user-keys.ts";
import { users } from "./connect/users.ts";
import { appUsage } from "./images/app-usage.ts";
import { images } from "./images/images.ts";
import { usage } from "./images/usage.ts";
import { jobs } from "./jobs/jobs.ts";
import { appKeys } from "./keys/app-keys.ts";
import { key } from "./keys/key.ts";
import { refuse, refuseMethod } from "./kit/call.ts";
import type { ApiDeps } from "./kit/deps.ts";
import { docs } from "./kit/docs.ts";
import { document } from "./kit/document.ts";
import { PREFLIGHT_HEADERS } from "./kit/headers.ts";
import { emails } from "./mail/emails.ts";
import { moderation } from "./moderation/moderation.ts";
import { reports } from "./moderation/reports.ts";
import { health } from "./operator/health.ts";
import { operator } from "./operator/operator.ts";
import { operatorAccounts } from "./operator/operator-accounts.ts";
import { operatorApps } from "./operator/operator-apps.ts";
import { operatorBackups } from "./operator/operator-backups.ts";
import { operatorOverview } from "./operator/operator-overview.ts";
import { me } from "./people/me.ts";
import { sessions } from "./people/sessions.ts";

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
