import { connectUser } from "../support/apps.ts";
import { makePasskey, signWith } from "../support/authenticator.ts";
import { userLine } from "../support/moves.ts";
import { creationFor, keptPasskey, requestFor } from "../support/passkeys.ts";
import { addSession, as } from "../support/people.ts";
import { send } from "../support/requests.ts";
import { addCustomer, openShop, subscribe } from "../support/subscribers.ts";
import type { Cast } from "./cast.ts";
import { appImport, type Posting, READY } from "./ready.ts";

/* Calls that succeed, for the rows of the table that are about who may call and let the call fail. */

interface List {
	readonly data: unknown;
}

type Real = (cast: Cast) => Promise<Posting>;

async function ofAppExport(cast: Cast, rest: string): Promise<Posting> {
	const path = `/v1/apps/${cast.app.id}/exports`;
	const { id } = await cast.as("owner", "POST", path, {});
	await cast.service.runJobs();
	return { path: `${path}/${id}${rest}`, secret: cast.people.owner.secret };
}

async function ofAppImport(cast: Cast, rest: string, body?: unknown): Promise<Posting> {
	const { id } = await appImport(cast);
	const { secret } = cast.people.operator;
	return { path: `/v1/operator/app_imports/${id}${rest}`, secret, ...(body !== undefined && { body }) };
}

/** In the place of what the tables make; by the route. */
export const REAL: Readonly<Record<string, Real>> = {
	...READY,
	"POST /v1/images": async ({ app }) => ({ path: "/v1/images", secret: app.key }),
	"POST /v1/images/:id/replace": async (cast) => ({
		path: `/v1/images/${await cast.image()}/replace`,
		secret: cast.app.key,
	}),
	"POST /v1/uploads/:token": async (cast) => {
		const { url } = await cast.as("editor", "POST", "/v1/upload_tickets", {});
		return { path: new URL(String(url)).pathname, secret: "" };
	},
	"GET /v1/events/:id": async (cast) => {
		await cast.image();
		const { data } = await cast.as("editor", "GET", "/v1/events");
		return { path: `/v1/events/${firstOf(data).id}`, secret: cast.app.key };
	},
	"GET /v1/billing/status": async ({ app }) => ({ path: "/v1/billing/status", secret: app.key }),
	"DELETE /v1/me/connections/:app/keys/:key": async (cast) => {
		const { key, secret } = await ownKey(cast);
		return { path: `/v1/me/connections/${cast.app.id}/keys/${key}`, secret };
	},
	"GET /v1/me/connections/:app/keys": async (cast) => {
		const { secret } = await ownKey(cast);
		return { path: `/v1/me/connections/${cast.app.id}/keys`, secret };
	},
	"DELETE /v1/me/keys/:key": async (cast) => {
		const { key, secret } = await ownKey(cast);
		return { path: `/v1/me/keys/${key}`, secret };
	},
	"GET /v1/apps/:id/billing/preview": async (cast) => {
		const { path } = await (READY["POST /v1/apps/:id/billing/payment_method"] as Real)(cast);
		const asked = path.replace(/payment_method$/, "preview?plan=unlimited&interval=month");
		return { path: asked, secret: cast.people.owner.secret };
	},
	"GET /v1/me/plans/:plan": (cast) => ofOwnPlan(cast, ""),
	"GET /v1/me/plans/:plan/preview": async ({ service }) => {
		const shop = await openShop(service);
		const customer = await addCustomer(service, shop);
		await subscribe(customer, shop.silver);
		const secret = await addSession(service.database, customer.user.accountId);
		const { data } = (await (await send(service, "GET", "/v1/me/plans", undefined, as({ secret }))).json()) as List;
		return { path: `/v1/me/plans/${firstOf(data).id}/preview?price_id=${shop.gold.id}`, secret };
	},
	"GET /v1/me/plans/:plan/invoices": (cast) => ofOwnPlan(cast, "/invoices"),
	"GET /v1/me/invoices/:invoice": async (cast) => {
		const { path, secret } = await ofOwnPlan(cast, "/invoices");
		const answer = await send(cast.service, "GET", path, undefined, as({ secret }));
		const { data } = (await answer.json()) as List;
		return { path: `/v1/me/invoices/${firstOf(data).id}`, secret };
	},
	"GET /v1/apps/:id/subscriptions/:subscription": async ({ service }) => {
		const shop = await openShop(service);
		await subscribe(await addCustomer(service, shop), shop.silver);
		const path = `/v1/apps/${shop.app.id}/subscriptions`;
		const { data } = (await (await send(service, "GET", path, undefined, shop.owner)).json()) as List;
		return { path: `${path}/${firstOf(data).id}`, secret: shop.owner.key ?? "" };
	},
	"DELETE /v1/sessions/:id": async ({ service, people: { viewer } }) => {
		await addSession(service.database, viewer.id);
		const answer = await send(service, "GET", "/v1/sessions", undefined, as(viewer));
		const { data } = (await answer.json()) as { readonly data: readonly { id: string; current: boolean }[] };
		return { path: `/v1/sessions/${data.find(({ current }) => !current)?.id}`, secret: viewer.secret };
	},
	"POST /v1/sessions/end-others": async ({ people }) => ({
		path: "/v1/sessions/end-others",
		secret: people.viewer.secret,
	}),
	"GET /v1/me/exports/:id/file": async (cast) => {
		const { owner } = cast.people;
		const { id } = await cast.as("owner", "POST", "/v1/me/export", {});
		await cast.service.runJobs();
		return { path: `/v1/me/exports/${id}/file`, secret: owner.secret };
	},
	"GET /v1/apps/:id/exports/:export/records": (cast) => ofAppExport(cast, "/records"),
	"GET /v1/apps/:id/exports/:export/masters/:image": async (cast) => {
		const image = await cast.image();
		return ofAppExport(cast, `/masters/${image}`);
	},
	"GET /v1/operator/app_imports/:id": (cast) => ofAppImport(cast, ""),
	"DELETE /v1/operator/app_imports/:id": (cast) => ofAppImport(cast, ""),
	"PUT /v1/operator/app_imports/:id/records": (cast) => ofAppImport(cast, "/records", { records: [userLine()] }),
	"PUT /v1/operator/app_imports/:id/masters": (cast) => ofAppImport(cast, `/masters?sha256=${"0".repeat(64)}`),
	"PATCH /v1/me": async ({ people }) => ({ path: "/v1/me", secret: people.viewer.secret }),
	"DELETE /v1/tokens/:id": async (cast) => {
		const token = { name: "CI", scopes: ["apps:read"], expires_in: "1d" };
		const { id } = await cast.as("owner", "POST", "/v1/tokens", token);
		return { path: `/v1/tokens/${id}`, secret: cast.people.owner.secret };
	},
	"DELETE /v1/me/passkeys/:passkey": async ({ service, people: { owner } }) => {
		const { id } = await keptPasskey(service, owner);
		return { path: `/v1/me/passkeys/${id}`, secret: owner.secret };
	},
	"POST /v1/sessions/passkey": async () => ({ path: "/v1/sessions/passkey", secret: "" }),
	"POST /v1/sessions/passkey/verify": async ({ service, people: { owner } }) => {
		const { passkey } = await keptPasskey(service, owner);
		const { id, publicKey } = await requestFor(service);
		const credential = await signWith(passkey, publicKey);
		return { path: "/v1/sessions/passkey/verify", body: { options: id, credential }, secret: "" };
	},
	"POST /v1/me/passkeys": async ({ service, people: { owner } }) => {
		const { id, publicKey } = await creationFor(service, owner);
		const { credential } = await makePasskey(publicKey);
		return { path: "/v1/me/passkeys", body: { options: id, credential }, secret: owner.secret };
	},
	"POST /v1/sessions/login/:id/verify": async ({ service, app }) => {
		const email = `${app.id.toLowerCase()}+svc_test@example.com`;
		const answer = await send(service, "POST", "/v1/sessions/login", { email }, { key: "" });
		const { id, secret } = (await answer.json()) as { readonly id: string; readonly secret: string };
		return { path: `/v1/sessions/login/${id}/verify`, body: { secret }, secret: "" };
	},
	"DELETE /v1/operator/operators/:id": async ({ service, people: { operator, viewer } }) => {
		const added = await send(service, "POST", "/v1/operator/operators", { email: viewer.email }, as(operator));
		if (added.status !== 201) throw new Error(await added.text());
		return { path: `/v1/operator/operators/${viewer.id}`, secret: operator.secret };
	},
	"POST /v1/reports": async (cast) => {
		const { url } = await cast.as("owner", "GET", `/v1/images/${await cast.image()}`);
		return { path: "/v1/reports", body: { url }, secret: "" };
	},
};

function firstOf(list: unknown): { readonly id: string } {
	return (list as readonly { readonly id: string }[])[0] ?? { id: "" };
}

/** A user of the App of the cast, with a key of their own. */
async function ownKey({ service, app }: Cast): Promise<{ readonly key: string; readonly secret: string }> {
	const { accountId } = await connectUser(service.database, app);
	const secret = await addSession(service.database, accountId);
	const path = `/v1/me/connections/${app.id}/keys`;
	const answer = await send(service, "POST", path, { name: "Mine" }, as({ secret }));
	const { id } = (await answer.json()) as { readonly id: string };
	return { key: id, secret };
}

async function ofOwnPlan(cast: Cast, rest: string): Promise<Posting> {
	const { path, secret } = await (READY["POST /v1/me/plans/:plan/cancel"] as Real)(cast);
	return { path: path.replace(/\/cancel$/, rest), secret };
}
