import { LOCALES, type Locale } from "@svc/base/enumerations";
import { bodiless } from "@svc/base/http/bodiless";
import { loggedPath } from "@svc/base/http/logged-path";
import { newId } from "@svc/base/ids";
import { Elysia } from "elysia";
import { inviteRoutes } from "./apps/invite.tsx";
import { billingRoutes } from "./billing/billing.tsx";
import { billingReturnRoutes } from "./billing/billing-return.tsx";
import { checkoutRoutes } from "./billing/checkout.tsx";
import { connectRoutes } from "./connect/connect.tsx";
import { home } from "./home.tsx";
import { formerImagePages } from "./images/images.ts";
import { findAsset } from "./kit/assets.ts";
import { type CookieRules, cookieRules, Jar } from "./kit/cookies.ts";
import { missing, refusalPage, render, type Site } from "./kit/layout.tsx";
import { t } from "./kit/messages.ts";
import { openerPolicy } from "./kit/opener.ts";
import { asRefusal } from "./kit/refusals.ts";
import type { PagesRooms } from "./kit/rooms.ts";
import { type Page, PageRefusal, type PageResult, type Route, type Visit } from "./kit/visit.ts";
import { reportRoutes } from "./moderation/report.tsx";
import { accountRoutes } from "./people/account/account.tsx";
import type { ConfirmedForm } from "./people/confirm.tsx";
import { consoleRoutes } from "./people/console-visits.ts";
import { browserLocale, languageRoutes, localeOf } from "./people/language.ts";
import { ownPlanRoutes } from "./plans/plans.tsx";
import { isPersonal, robotsRoute } from "./robots.ts";
import { securityRoute } from "./security-txt.ts";
import type { PagesVersion } from "./version.ts";

/** The hosted pages. */
export function pagesApp(rooms: PagesRooms, version: PagesVersion) {
	const rules = cookieRules(rooms.addresses.web);
	const confirmed = new Map<string, ConfirmedForm>();
	const pages = replacing([
		{ path: "/", get: (visit) => home(rooms, visit) },
		{ path: "/assets/:name", get: async ({ url }) => (await findAsset(url.pathname)) ?? missingPage() },
		...formerImagePages(rooms),
		...connectRoutes(rooms),
		...accountRoutes(rooms, confirmed),
		...consoleRoutes(rooms, confirmed),
		...languageRoutes(rooms),
		...reportRoutes(rooms),
		...inviteRoutes(rooms),
		...checkoutRoutes(rooms),
		...billingReturnRoutes(rooms),
		...ownPlanRoutes(rooms),
		securityRoute(rooms),
		...billingRoutes(rooms, version.card),
		...version.routes(rooms),
	]);
	const routes = [...pages, robotsRoute(rooms.addresses, pages)];
	const app = new Elysia();
	for (const route of routes) {
		app.all(
			route.path,
			({ request, params = {} }) =>
				answer(rooms, rules, { request, params: readable(params), route: route.path }, (visit) => run(route, visit)),
			{
				parse: "none",
			},
		);
	}
	app.onError(({ request, code, error }) =>
		answer(rooms, rules, { request, params: {}, route: "" }, async () => {
			throw code === "NOT_FOUND" ? missing() : error;
		}),
	);
	return {
		routes,
		async handle(request: Request): Promise<Response> {
			const answer = await app.handle(request);
			// The router itself does so for some paths.
			return request.method === "HEAD" && answer.body ? await bodiless(answer) : answer;
		},
	};
}

/** Of routes with one path the last one counts. */
function replacing(routes: readonly Route[]): readonly Route[] {
	return [...new Map(routes.map((route) => [route.path, route])).values()];
}

/** The router gives null for what is no percent-encoded UTF-8; it names nothing. */
function readable(params: Readonly<Record<string, string | null>>): Readonly<Record<string, string>> {
	return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value ?? ""]));
}

function missingPage(): never {
	throw missing();
}

function run(route: Route, visit: Visit): Promise<PageResult> {
	const { method } = visit.request;
	if (route.get && (method === "GET" || method === "HEAD")) return route.get(visit);
	if (route.post && method === "POST") return route.post(visit);
	const allow = [...(route.get ? ["GET", "HEAD"] : []), ...(route.post ? ["POST"] : [])].join(", ");
	throw new PageRefusal(405, t("method.title"), t("method.text", { methods: allow }), {
		headers: { Allow: allow },
	});
}

interface Asked extends Pick<Visit, "request" | "params"> {
	/** The route's path, with the names of its parameters; empty where none matched. */
	readonly route: string;
}

async function answer(
	rooms: PagesRooms,
	rules: CookieRules,
	{ request, params, route }: Asked,
	act: (visit: Visit) => Promise<PageResult>,
): Promise<Response> {
	const startedMs = performance.now();
	const visit: Visit = {
		request,
		params,
		url: new URL(request.url),
		requestId: newId("req"),
		cookies: new Jar(rules, request),
	};
	let response: Response;
	try {
		const outcome = await act(visit);
		// After the act, which may have changed it.
		response = responseOf(rooms, outcome, visit, isPage(outcome) ? await localeOf(rooms, visit) : undefined);
	} catch (cause) {
		const refusal = asRefusal(cause);
		if (refusal.status >= 500) rooms.log.error("page failed", { request_id: visit.requestId, cause });
		response = responseOf(rooms, refusalPage(refusal), visit, await anyLocale(rooms, visit));
	}
	const elapsedMs = performance.now() - startedMs;
	const { method } = request;
	rooms.meters.count("svc_requests_total", { host: "pages", route, method, status: String(response.status) });
	rooms.meters.observe("svc_request_seconds", elapsedMs / 1_000, { host: "pages", route });
	// The path alone: what follows it says who signs in where.
	const facts = { request_id: visit.requestId, method, path: loggedPath(visit.url.pathname), status: response.status };
	rooms.log.info("page", { ...facts, ms: Math.round(elapsedMs) });
	return response;
}

function isPage(outcome: PageResult): outcome is Page {
	return !(outcome instanceof Response) && outcome.kind === "page";
}

/** What went wrong may be the database. */
async function anyLocale(rooms: PagesRooms, visit: Visit): Promise<Locale> {
	try {
		return await localeOf(rooms, visit);
	} catch {
		return browserLocale(visit);
	}
}

const OPENER_POLICY = "Cross-Origin-Opener-Policy";

function responseOf(rooms: Site, outcome: PageResult, visit: Visit, locale: Locale = LOCALES[0]): Response {
	const whole = toResponse(rooms, outcome, locale);
	for (const cookie of visit.cookies.changes) whole.headers.append("Set-Cookie", cookie);
	whole.headers.set("X-Request-Id", visit.requestId);
	if (whole.headers.has(OPENER_POLICY)) whole.headers.set(OPENER_POLICY, openerPolicy(visit.url));
	if (isPersonal(visit.url.pathname)) whole.headers.set("X-Robots-Tag", "noindex");
	return whole;
}

function toResponse(site: Site, outcome: PageResult, locale: Locale): Response {
	if (outcome instanceof Response) return outcome;
	if (outcome.kind === "page") return render(site, outcome, locale);
	// No Referer: the page that is linked to learns nothing of the page that linked to it.
	const headers = { Location: outcome.location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" };
	return new Response(null, { status: 303, headers });
}
