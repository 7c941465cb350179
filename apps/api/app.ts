import { Failure } from "@svc/base/failure";
import { Elysia } from "elysia";
import { apps } from "./apps/apps.ts";
import { audit } from "./apps/audit.ts";
import { invites } from "./apps/invites.ts";
import { members } from "./apps/members.ts";
import { redirectUris } from "./apps/redirect-uris.ts";
import { tokens } from "./apps/tokens.ts";
import { appBilling } from "./billing/app-billing.ts";
import { billingStatus } from "./billing/billing-status.ts";
import { grants } from "./billing/grants.ts";
import { operatorSubscriptions } from "./billing/operator-subscriptions.ts";
import { ownPlans } from "./billing/own-plans.ts";
import { soldPlans } from "./billing/plans.ts";
import { processor, simulation } from "./billing/processor.ts";
import { subscriptions } from "./billing/subscriptions.ts";
import { authExchange } from "./connect/auth-exchange.ts";
import { ownConnections } from "./connect/own-connections.ts";
import { ownKeys, userKeys } from "./connect/user-keys.ts";
import { users } from "./connect/users.ts";
import { documentation, shelfOf } from "./docs/docs.ts";
import { downloads } from "./docs/downloads.ts";
import { reference } from "./docs/reference/reference.ts";
import { appUsage, usage } from "./images/app-usage.ts";
import { images } from "./images/images.ts";
import { jobs } from "./jobs/jobs.ts";
import { appKeys } from "./keys/app-keys.ts";
import { key } from "./keys/key.ts";
import { document, documentReader } from "./kit/document/document.ts";
import { preflightHeaders } from "./kit/headers.ts";
import { noSuchPath } from "./kit/refusals/refusal-words.ts";
import { refuse, refuseMethod } from "./kit/respond.ts";
import type { ApiRooms } from "./kit/rooms.ts";
import { patternOf, type RegisteredRoute, seenAt } from "./kit/routes.ts";
import { emails } from "./mail/emails.ts";
import { mcp } from "./mcp/mcp.ts";
import { moderation } from "./moderation/moderation.ts";
import { reports } from "./moderation/reports.ts";
import { appExports } from "./moves/app-exports.ts";
import { appImports } from "./moves/app-imports.ts";
import { operatorLogs } from "./operator/logs.ts";
import { operator } from "./operator/operator.ts";
import { operatorAccounts } from "./operator/operator-accounts.ts";
import { operatorApps } from "./operator/operator-apps.ts";
import { operatorBackups, operatorOverview } from "./operator/operator-overview.ts";
import { operatorTrash } from "./operator/trash.ts";
import { exports } from "./people/exports.ts";
import { me } from "./people/me.ts";
import { passkeys } from "./people/passkeys.ts";
import { sessions } from "./people/sessions.ts";
import type { ApiVersion } from "./version.ts";

export interface Handler {
	handle(request: Request): Promise<Response>;
}

/** The REST API, and the documents beside it. */
export function apiApp(rooms: ApiRooms, version: ApiVersion): Handler {
	// What ends in a slash would be the address without it: `/v1/images/`, made of an id that is not there, would list images.
	const app = new Elysia({ strictPath: true });
	// Routes are registered one after the other, and each call knows all of them.
	app.decorate({ seenAt: (path: string) => seenAt(path, routes) });
	images(app, rooms, version);
	usage(app, rooms);
	apps(app, rooms);
	appKeys(app, rooms);
	members(app, rooms);
	invites(app, rooms);
	redirectUris(app, rooms);
	appUsage(app, rooms);
	audit(app, rooms);
	soldPlans(app, rooms);
	grants(app, rooms);
	for (const add of version.routes) add(app, rooms);
	billingStatus(app, rooms, version.billingStatus);
	subscriptions(app, rooms);
	operatorSubscriptions(app, rooms);
	appBilling(app, rooms);
	ownPlans(app, rooms);
	processor(app, rooms);
	simulation(app, rooms);
	key(app, rooms);
	operator(app, rooms);
	authExchange(app, rooms);
	sessions(app, rooms);
	passkeys(app, rooms);
	tokens(app, rooms);
	me(app, rooms);
	exports(app, rooms);
	appExports(app, rooms);
	appImports(app, rooms);
	jobs(app, rooms);
	users(app, rooms);
	ownConnections(app, rooms);
	userKeys(app, rooms);
	ownKeys(app, rooms);
	moderation(app, rooms);
	emails(app, rooms);
	reports(app, rooms);
	operatorAccounts(app, rooms);
	operatorApps(app, rooms);
	operatorOverview(app, rooms);
	operatorBackups(app, rooms);
	operatorTrash(app, rooms);
	operatorLogs(app, rooms);
	const readDocument = documentReader(app, rooms);
	const openShelf = shelfOf(rooms, readDocument);
	document(app, readDocument);
	reference(app, rooms, { readDocument, openShelf });
	documentation(app, openShelf);
	downloads(app, rooms);
	mcp(app, rooms, (request) => app.handle(request));
	// Whoever knows the API's address alone finds the pages, which may have another.
	app.get("/account", () => Response.redirect(`${rooms.addresses.web}/account`), { detail: { hide: true } });
	const routes: readonly RegisteredRoute[] = app.routes.map(({ method, path }) => ({
		method,
		pattern: patternOf(path),
	}));
	const paths = [...new Set(app.routes.map(({ path }) => path))].filter((path) => !path.includes("*"));
	const headers = preflightHeaders(routes.map(({ method }) => method));
	app.options("/*", () => new Response(null, { status: 204, headers }), { detail: { hide: true } });
	app.onError(({ request, error, code }) => {
		if (code !== "NOT_FOUND") return refuse(rooms, request, new Failure("server_error", undefined, { cause: error }));
		return unrouted(rooms, request, routes, paths);
	});
	return { handle: app.handle };
}

/** A known path with another method is a 405 that names the right ones; any other path is not there. */
function unrouted(
	rooms: ApiRooms,
	request: Request,
	routes: readonly RegisteredRoute[],
	paths: readonly string[],
): Promise<Response> {
	const { pathname } = new URL(request.url);
	const allowed = new Set(routes.filter((route) => route.pattern.test(pathname)).map((route) => route.method));
	if (allowed.size === 0) return refuse(rooms, request, noSuchPath(pathname, paths));
	return refuseMethod(rooms, request, [...allowed].sort().join(", "));
}
