import type { Cast } from "./cast.ts";
import { type Attempt, at, inApp, made, type Row, unknownId } from "./row.ts";

const KEY = { name: "Backend", reach: "app", permissions: ["read", "write"] };
const PLAN = { key: "gold", name: "Gold", description: "", benefits: [], display_order: 1 };
const PRICE = { amount: 500, currency: "eur", interval: "month", trial_days: 0 };

const apps: readonly Row[] = [
	{ route: "GET /v1/apps", audience: "signed-in", status: 200, attempt: at("/v1/apps") },
	{ route: "POST /v1/apps", audience: "signed-in", status: 201, attempt: at("/v1/apps", { name: "Photos" }) },
	{ route: "GET /v1/apps/:id", audience: "viewer", status: 200, attempt: inApp("") },
	{ route: "PATCH /v1/apps/:id", audience: "admin", status: 200, attempt: inApp("", { name: "Renamed" }) },
	{
		route: "DELETE /v1/apps/:id",
		audience: "owner",
		status: 202,
		attempt: inApp("?confirm_name=Another%20App"),
	},
	{
		route: "POST /v1/apps/:id/image_host/verify",
		audience: "admin",
		status: 200,
		attempt: async (cast) => {
			await cast.as("owner", "PATCH", `/v1/apps/${cast.app.id}`, { image_host: "img.example.com" });
			return inApp("/image_host/verify")(cast);
		},
	},
	{ route: "POST /v1/apps/:id/pause", audience: "admin", status: 200, attempt: inApp("/pause") },
	{ route: "POST /v1/apps/:id/resume", audience: "admin", status: 200, attempt: inApp("/resume") },
	{
		route: "POST /v1/apps/:id/transfer",
		audience: "owner",
		status: 200,
		attempt: (cast) => ({ path: `/v1/apps/${cast.app.id}/transfer`, body: { member: cast.people.admin.id } }),
	},
	{ route: "GET /v1/apps/:id/usage", audience: "viewer", status: 200, attempt: inApp("/usage") },
	{ route: "GET /v1/apps/:id/labels", audience: "viewer", status: 200, attempt: inApp("/labels") },
	{ route: "GET /v1/apps/:id/images", audience: "viewer", status: 200, attempt: inApp("/images") },
	{ route: "GET /v1/apps/:id/images/deleted", audience: "viewer", status: 200, attempt: inApp("/images/deleted") },
	{
		route: "GET /v1/apps/:id/images/:image",
		audience: "viewer",
		status: 200,
		attempt: async (cast) => inApp(`/images/${await cast.image()}`)(cast),
	},
	{ route: "POST /v1/apps/:id/exports", audience: "owner", status: 202, attempt: inApp("/exports", {}) },
	{
		route: "GET /v1/apps/:id/exports/:export/records",
		audience: "owner",
		status: 404,
		attempt: inApp(`/exports/${unknownId("job")}/records`),
	},
	{
		route: "GET /v1/apps/:id/exports/:export/masters/:image",
		audience: "owner",
		status: 404,
		attempt: inApp(`/exports/${unknownId("job")}/masters/${unknownId("img")}`),
	},
	{ route: "GET /v1/apps/:id/images.zip", audience: "viewer", status: 200, attempt: inApp("/images.zip") },
	{ route: "GET /v1/apps/:id/jobs", audience: "viewer", status: 200, attempt: inApp("/jobs") },
	{
		route: "POST /v1/apps/:id/image_jobs",
		audience: "editor",
		status: 202,
		attempt: inApp("/image_jobs", { filter: {}, act: { labels: { a: "b" } } }),
	},
	{
		route: "POST /v1/apps/:id/image_jobs/:job/cancel",
		audience: "editor",
		status: 200,
		attempt: async (cast) => {
			const change = { filter: {}, act: { delete: true } };
			return inApp(`/image_jobs/${await made(cast, "admin", "/image_jobs", change)}/cancel`)(cast);
		},
	},
	{ route: "GET /v1/apps/:id/audit", audience: "admin", status: 200, attempt: inApp("/audit") },
	{ route: "GET /v1/apps/:id/moderation", audience: "viewer", status: 200, attempt: inApp("/moderation") },
];

const ENDPOINT = { url: "https://app.example.com/hooks", types: ["image.*"] };
const hook = (rest: string, body?: unknown) => async (cast: Cast) =>
	inApp(`/webhook_endpoints/${await made(cast, "admin", "/webhook_endpoints", ENDPOINT)}${rest}`, body)(cast);
const sent = (rest: string, body?: unknown) => async (cast: Cast) => {
	const id = await made(cast, "admin", "/webhook_endpoints", ENDPOINT);
	const delivery = await made(cast, "admin", `/webhook_endpoints/${id}/test`, {});
	return inApp(`/webhook_endpoints/${id}/deliveries/${delivery}${rest}`, body)(cast);
};
const HOOK = "/v1/apps/:id/webhook_endpoints";

const webhooks: readonly Row[] = [
	{ route: `GET ${HOOK}`, audience: "viewer", status: 200, attempt: inApp("/webhook_endpoints") },
	{ route: `POST ${HOOK}`, audience: "admin", status: 201, attempt: inApp("/webhook_endpoints", ENDPOINT) },
	{ route: `GET ${HOOK}/:endpoint`, audience: "viewer", status: 200, attempt: hook("") },
	{ route: `PATCH ${HOOK}/:endpoint`, audience: "admin", status: 200, attempt: hook("", { description: "New" }) },
	{ route: `DELETE ${HOOK}/:endpoint`, audience: "admin", status: 200, attempt: hook("") },
	{ route: `POST ${HOOK}/:endpoint/rotate`, audience: "admin", status: 200, attempt: hook("/rotate", {}) },
	{ route: `POST ${HOOK}/:endpoint/test`, audience: "admin", status: 202, attempt: hook("/test", {}) },
	{
		route: `POST ${HOOK}/:endpoint/recover`,
		audience: "admin",
		status: 202,
		attempt: async (cast) => hook("/recover", { since: new Date(cast.service.clock.now() - 1).toISOString() })(cast),
	},
	{ route: `GET ${HOOK}/:endpoint/deliveries`, audience: "viewer", status: 200, attempt: hook("/deliveries") },
	{ route: `GET ${HOOK}/:endpoint/deliveries/:delivery`, audience: "viewer", status: 200, attempt: sent("") },
	{
		route: `POST ${HOOK}/:endpoint/deliveries/:delivery/redeliver`,
		audience: "admin",
		status: 202,
		attempt: sent("/redeliver", {}),
	},
];

const keys: readonly Row[] = [
	{ route: "GET /v1/apps/:id/keys", audience: "viewer", status: 200, attempt: inApp("/keys") },
	{ route: "POST /v1/apps/:id/keys", audience: "admin", status: 201, attempt: inApp("/keys", KEY) },
	{
		route: "GET /v1/apps/:id/keys/:key",
		audience: "viewer",
		status: 200,
		attempt: async (cast) => inApp(`/keys/${await made(cast, "admin", "/keys", KEY)}`)(cast),
	},
	{
		route: "PATCH /v1/apps/:id/keys/:key",
		audience: "creator",
		status: 200,
		attempt: async (cast) => inApp(`/keys/${await made(cast, "admin", "/keys", KEY)}`, { name: "New" })(cast),
	},
	{
		route: "POST /v1/apps/:id/keys/:key/rotate",
		audience: "creator",
		status: 201,
		attempt: async (cast) => inApp(`/keys/${await made(cast, "admin", "/keys", KEY)}/rotate`, {})(cast),
	},
	{
		route: "DELETE /v1/apps/:id/keys/:key",
		audience: "admin",
		status: 200,
		attempt: async (cast) => inApp(`/keys/${await made(cast, "admin", "/keys", KEY)}`)(cast),
	},
	{
		route: "DELETE /v1/apps/:id/keys/:key",
		audience: "admin",
		status: 200,
		attempt: async (cast) => inApp(`/keys/${await made(cast, "owner", "/keys", KEY)}`)(cast),
	},
	{ route: "GET /v1/key", audience: "key", status: 200, attempt: at("/v1/key") },
];

const team: readonly Row[] = [
	{ route: "GET /v1/apps/:id/members", audience: "viewer", status: 200, attempt: inApp("/members") },
	{
		route: "PATCH /v1/apps/:id/members/:member",
		audience: "admin",
		status: 200,
		attempt: (cast) => inApp(`/members/${cast.people.viewer.id}`, { role: "editor" })(cast),
	},
	{
		route: "DELETE /v1/apps/:id/members/:member",
		audience: "admin",
		status: 200,
		attempt: (cast) => inApp(`/members/${cast.people.viewer.id}`)(cast),
		// Everybody may leave.
		but: { viewer: 200 },
	},
	{ route: "GET /v1/apps/:id/invites", audience: "admin", status: 200, attempt: inApp("/invites") },
	{
		route: "POST /v1/apps/:id/invites",
		audience: "admin",
		status: 201,
		attempt: inApp("/invites", { email: "new@example.com", role: "viewer" }),
	},
	{
		route: "DELETE /v1/apps/:id/invites/:invite",
		audience: "admin",
		status: 200,
		attempt: async (cast) => {
			const invite = await made(cast, "admin", "/invites", { email: "new@example.com", role: "viewer" });
			return inApp(`/invites/${invite}`)(cast);
		},
	},
	{
		route: "POST /v1/invites/:id/accept",
		audience: "signed-in",
		status: 404,
		attempt: at(`/v1/invites/${unknownId("inv")}/accept`, { token: "unknown" }),
	},
	{ route: "GET /v1/apps/:id/redirect_uris", audience: "viewer", status: 200, attempt: inApp("/redirect_uris") },
	{
		route: "POST /v1/apps/:id/redirect_uris",
		audience: "admin",
		status: 201,
		attempt: inApp("/redirect_uris", { uri: "https://app.example/callback" }),
	},
	{
		route: "DELETE /v1/apps/:id/redirect_uris/:uri",
		audience: "admin",
		status: 200,
		attempt: async (cast) => {
			const uri = await made(cast, "admin", "/redirect_uris", { uri: "https://app.example/callback" });
			return inApp(`/redirect_uris/${uri}`)(cast);
		},
	},
];

const THUMB = { name: "thumb", parameters: { w: "300" } };

/** What an App's delivery policy lets through. */
const delivery: readonly Row[] = [
	{ route: "GET /v1/apps/:id/presets", audience: "viewer", status: 200, attempt: inApp("/presets") },
	{ route: "POST /v1/apps/:id/presets", audience: "admin", status: 201, attempt: inApp("/presets", THUMB) },
	{
		route: "PATCH /v1/apps/:id/presets/:preset",
		audience: "admin",
		status: 200,
		attempt: async (cast) => {
			const preset = await made(cast, "admin", "/presets", THUMB);
			return inApp(`/presets/${preset}`, { name: "small" })(cast);
		},
	},
	{
		route: "DELETE /v1/apps/:id/presets/:preset",
		audience: "admin",
		status: 200,
		attempt: async (cast) => inApp(`/presets/${await made(cast, "admin", "/presets", THUMB)}`)(cast),
	},
	{ route: "GET /v1/apps/:id/signing_keys", audience: "viewer", status: 200, attempt: inApp("/signing_keys") },
	{
		route: "POST /v1/apps/:id/signing_keys",
		audience: "admin",
		status: 201,
		attempt: inApp("/signing_keys", { name: "web" }),
	},
	{
		route: "DELETE /v1/apps/:id/signing_keys/:key",
		audience: "admin",
		status: 200,
		attempt: async (cast) =>
			inApp(`/signing_keys/${await made(cast, "admin", "/signing_keys", { name: "web" })}`)(cast),
	},
];

const users: readonly Row[] = [
	{ route: "GET /v1/apps/:id/users", audience: "viewer", status: 200, attempt: inApp("/users") },
	{
		route: "GET /v1/apps/:id/users/:user",
		audience: "viewer",
		status: 200,
		attempt: async (cast) => inApp(`/users/${await cast.user()}`)(cast),
	},
	{
		route: "DELETE /v1/apps/:id/users/:user",
		audience: "admin",
		status: 202,
		attempt: async (cast) => inApp(`/users/${await cast.user()}`)(cast),
	},
];

/** What a user of the App of the cast is given. */
async function grantOf(cast: Cast): Promise<Attempt> {
	await made(cast, "owner", "/plans", PLAN);
	const until = new Date(Date.now() + 30 * 86_400_000).toISOString();
	const path = `/v1/apps/${cast.app.id}/users/${await cast.user()}/grant`;
	return { path, body: { plan_key: PLAN.key, until, reason: "asked for" } };
}

const plans: readonly Row[] = [
	{ route: "GET /v1/apps/:id/plans", audience: "viewer", status: 200, attempt: inApp("/plans") },
	{ route: "POST /v1/apps/:id/plans", audience: "owner", status: 201, attempt: inApp("/plans", PLAN) },
	{
		route: "PUT /v1/apps/:id/users/:user/grant",
		audience: "owner",
		status: 200,
		but: { operator: 200 },
		attempt: grantOf,
	},
	{
		route: "DELETE /v1/apps/:id/users/:user/grant",
		audience: "owner",
		status: 200,
		but: { operator: 200 },
		async attempt(cast) {
			const { path, body } = await grantOf(cast);
			await cast.as("owner", "PUT", path, body);
			return { path };
		},
	},
	{
		route: "PATCH /v1/apps/:id/plans/:plan",
		audience: "owner",
		status: 200,
		attempt: async (cast) => inApp(`/plans/${await made(cast, "owner", "/plans", PLAN)}`, { name: "Silver" })(cast),
	},
	{
		route: "POST /v1/apps/:id/plans/:plan/archive",
		audience: "owner",
		status: 200,
		attempt: async (cast) => inApp(`/plans/${await made(cast, "owner", "/plans", PLAN)}/archive`)(cast),
	},
	{
		route: "POST /v1/apps/:id/plans/:plan/prices",
		audience: "owner",
		status: 201,
		attempt: async (cast) => inApp(`/plans/${await made(cast, "owner", "/plans", PLAN)}/prices`, PRICE)(cast),
	},
	{
		route: "PATCH /v1/apps/:id/plans/:plan/prices/:price",
		audience: "owner",
		status: 200,
		attempt: async (cast) => {
			const prices = `/plans/${await made(cast, "owner", "/plans", PLAN)}/prices`;
			return inApp(`${prices}/${await made(cast, "owner", prices, PRICE)}`, { on_sale: false })(cast);
		},
	},
];

/** Without a plan that was paid for, what there is to cancel or resume is nothing: a clash, for those who may ask at all. */
const billing: readonly Row[] = [
	{ route: "GET /v1/apps/:id/billing", audience: "viewer", status: 200, attempt: inApp("/billing") },
	{ route: "GET /v1/apps/:id/subscriptions", audience: "viewer", status: 200, attempt: inApp("/subscriptions") },
	{
		route: "GET /v1/apps/:id/subscriptions/:subscription",
		audience: "viewer",
		status: 404,
		attempt: inApp(`/subscriptions/${unknownId("sub")}`),
	},
	{
		route: "POST /v1/apps/:id/subscriptions/:subscription/refund",
		audience: "owner",
		status: 404,
		attempt: inApp(`/subscriptions/${unknownId("sub")}/refund`, { invoice: "ivc_1", reason: "asked for" }),
	},
	{ route: "GET /v1/apps/:id/billing/invoices", audience: "admin", status: 200, attempt: inApp("/billing/invoices") },
	{
		route: "POST /v1/apps/:id/billing/checkout",
		audience: "owner",
		status: 200,
		attempt: inApp("/billing/checkout", { plan: "pro" }),
	},
	{
		route: "GET /v1/apps/:id/billing/preview",
		audience: "owner",
		status: 409,
		attempt: inApp("/billing/preview?plan=pro"),
	},
	{ route: "POST /v1/apps/:id/billing/cancel", audience: "admin", status: 409, attempt: inApp("/billing/cancel") },
	{ route: "POST /v1/apps/:id/billing/resume", audience: "admin", status: 409, attempt: inApp("/billing/resume") },
	{
		route: "POST /v1/apps/:id/billing/payment_method",
		audience: "admin",
		status: 409,
		attempt: inApp("/billing/payment_method"),
	},
];

export const APP_ROWS: readonly Row[] = [
	...apps,
	...keys,
	...webhooks,
	...team,
	...delivery,
	...users,
	...plans,
	...billing,
];
