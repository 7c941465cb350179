import { newId } from "@svc/base/ids";
import { addAccount } from "../support/apps.ts";
import { addSession } from "../support/people.ts";
import type { Cast } from "./cast.ts";
import { at, type Row, unknownId } from "./row.ts";

/** An image of the App, by its path in moderation. */
const onImage =
	(rest = "", body?: unknown) =>
	async (cast: Cast) => ({
		path: `/v1/moderation/images/${await cast.image()}${rest}`,
		body,
	});

/** A caller of an image route selects the App by a header, which each cell sends. */
const images: readonly Row[] = [
	{ route: "GET /v1/images", audience: "viewer", status: 200, attempt: at("/v1/images") },
	{ route: "GET /v1/labels", audience: "viewer", status: 200, attempt: at("/v1/labels") },
	{ route: "GET /v1/usage", audience: "viewer", status: 200, attempt: at("/v1/usage") },
	{ route: "GET /v1/usage/daily", audience: "viewer", status: 200, attempt: at("/v1/usage/daily") },
	{
		route: "GET /v1/images/:id",
		audience: "viewer",
		status: 200,
		attempt: async (cast) => ({ path: `/v1/images/${await cast.image()}` }),
	},
	// The address is refused, but only to those who may upload at all.
	{
		route: "POST /v1/images",
		audience: "editor",
		status: 422,
		attempt: at("/v1/images", { url: "http://127.0.0.1/" }),
	},
	{
		route: "PATCH /v1/images/:id",
		audience: "editor",
		status: 200,
		attempt: async (cast) => ({ path: `/v1/images/${await cast.image()}`, body: { caption: "A" } }),
	},
	{
		route: "DELETE /v1/images/:id",
		audience: "editor",
		status: 200,
		attempt: async (cast) => ({ path: `/v1/images/${await cast.image()}` }),
	},
	{
		route: "PATCH /v1/images/batch",
		audience: "editor",
		status: 200,
		attempt: async (cast) => ({ path: "/v1/images/batch", body: { ids: [await cast.image()], caption: "A" } }),
	},
	{
		route: "DELETE /v1/images/batch",
		audience: "editor",
		status: 200,
		attempt: async (cast) => ({ path: "/v1/images/batch", body: { ids: [await cast.image()] } }),
	},
	{
		route: "POST /v1/images/:id/restore",
		audience: "editor",
		status: 409,
		attempt: async (cast) => ({ path: `/v1/images/${await cast.image()}/restore` }),
	},
	// As with a create.
	{
		route: "POST /v1/images/:id/replace",
		audience: "editor",
		status: 422,
		attempt: async (cast) => ({
			path: `/v1/images/${await cast.image()}/replace`,
			body: { url: "http://127.0.0.1/" },
		}),
	},
	{
		route: "POST /v1/images/:id/copy",
		audience: "editor",
		status: 201,
		attempt: async (cast) => ({ path: `/v1/images/${await cast.image()}/copy`, body: { user_id: null } }),
	},
	{
		route: "POST /v1/images/:id/move",
		audience: "editor",
		status: 200,
		attempt: async (cast) => ({ path: `/v1/images/${await cast.image()}/move`, body: { user_id: null } }),
	},
	{
		route: "POST /v1/images/:id/sign",
		audience: "viewer",
		status: 200,
		attempt: async (cast) => ({ path: `/v1/images/${await cast.image()}/sign`, body: { expires_in: 600 } }),
	},
	{ route: "GET /v1/events", audience: "viewer", status: 200, attempt: at("/v1/events") },
	{
		route: "GET /v1/events/:id",
		audience: "viewer",
		status: 404,
		attempt: at(`/v1/events/${unknownId("evt")}`),
	},
];

const onTicket =
	(rest = "") =>
	async (cast: Cast) => ({ path: `/v1/upload_tickets/${await cast.ticket()}${rest}` });

const tickets: readonly Row[] = [
	{ route: "GET /v1/upload_tickets", audience: "viewer", status: 200, attempt: at("/v1/upload_tickets") },
	{ route: "POST /v1/upload_tickets", audience: "editor", status: 201, attempt: at("/v1/upload_tickets", {}) },
	{ route: "GET /v1/upload_tickets/:id", audience: "viewer", status: 200, attempt: onTicket() },
	{ route: "POST /v1/upload_tickets/:id/cancel", audience: "editor", status: 200, attempt: onTicket("/cancel") },
	// Whoever has the address, and nobody else has it.
	{
		route: "POST /v1/uploads/:token",
		audience: "anybody",
		status: 404,
		attempt: at(`/v1/uploads/${"0".repeat(43)}`, {}),
	},
];

const onImport =
	(rest = "") =>
	async (cast: Cast) => ({ path: `/v1/imports/${await cast.import()}${rest}` });

const imports: readonly Row[] = [
	{ route: "GET /v1/imports", audience: "viewer", status: 200, attempt: at("/v1/imports") },
	{
		route: "POST /v1/imports",
		audience: "editor",
		status: 202,
		attempt: at("/v1/imports", { items: [{ url: "https://example.com/a.jpg" }] }),
	},
	{ route: "GET /v1/imports/:id", audience: "viewer", status: 200, attempt: onImport() },
	{ route: "GET /v1/imports/:id/items", audience: "viewer", status: 200, attempt: onImport("/items") },
	{ route: "POST /v1/imports/:id/cancel", audience: "editor", status: 200, attempt: onImport("/cancel") },
];

const withKeys: readonly Row[] = [
	{ route: "GET /v1/key", audience: "key", status: 200, attempt: at("/v1/key") },
	{ route: "GET /v1/users", audience: "key", status: 200, attempt: at("/v1/users") },
	{
		route: "GET /v1/users/:user",
		audience: "key",
		status: 200,
		attempt: async (cast: Cast) => ({ path: `/v1/users/${await cast.user()}` }),
	},
	{ route: "POST /v1/auth/exchange", audience: "key", status: 422, attempt: at("/v1/auth/exchange", { code: "none" }) },
	// Without a user there is no status to tell; a person is refused before that.
	{ route: "GET /v1/billing/status", audience: "key", status: 403, attempt: at("/v1/billing/status") },
	{ route: "GET /v1/billing/plans", audience: "key", status: 200, attempt: at("/v1/billing/plans") },
];

const people: readonly Row[] = [
	{ route: "GET /v1/me", audience: "signed-in", status: 200, attempt: at("/v1/me") },
	{ route: "PATCH /v1/me", audience: "signed-in", status: 422, attempt: at("/v1/me", { email: "nonsense" }) },
	{
		route: "DELETE /v1/me",
		audience: "signed-in",
		status: 409,
		attempt: at("/v1/me"),
		// Only an Owner of an App, and the last operator, must stay.
		but: { viewer: 202, editor: 202, admin: 202 },
	},
	{ route: "GET /v1/me/connections", audience: "signed-in", status: 200, attempt: at("/v1/me/connections") },
	{
		route: "DELETE /v1/me/connections/:app",
		audience: "signed-in",
		status: 404,
		attempt: (cast) => ({ path: `/v1/me/connections/${cast.app.id}` }),
	},
	{
		route: "GET /v1/me/connections/:app/keys",
		audience: "signed-in",
		status: 404,
		attempt: (cast) => ({ path: `/v1/me/connections/${cast.app.id}/keys` }),
	},
	{
		route: "POST /v1/me/connections/:app/keys",
		audience: "signed-in",
		status: 404,
		attempt: (cast) => ({ path: `/v1/me/connections/${cast.app.id}/keys`, body: { name: "Mine" } }),
	},
	{
		route: "DELETE /v1/me/connections/:app/keys/:key",
		audience: "signed-in",
		status: 404,
		attempt: (cast) => ({ path: `/v1/me/connections/${cast.app.id}/keys/${unknownId("key")}` }),
	},
	{ route: "GET /v1/me/plans", audience: "signed-in", status: 200, attempt: at("/v1/me/plans") },
	...[
		"GET :plan",
		"GET :plan/preview",
		"GET :plan/invoices",
		"POST :plan/cancel",
		"POST :plan/resume",
		"POST :plan/withdraw",
	].map((one): Row => {
		const [method = "", path = ""] = one.split(" ");
		return {
			route: `${method} /v1/me/plans/${path}`,
			audience: "signed-in",
			status: 404,
			attempt: at(`/v1/me/plans/${path.replace(":plan", unknownId("sub"))}`),
		};
	}),
	{
		route: "GET /v1/me/invoices/:invoice",
		audience: "signed-in",
		status: 404,
		attempt: at(`/v1/me/invoices/${unknownId("ivc")}`),
	},
	{ route: "GET /v1/me/keys", audience: "signed-in", status: 200, attempt: at("/v1/me/keys") },
	{
		route: "DELETE /v1/me/keys/:key",
		audience: "signed-in",
		status: 404,
		attempt: at(`/v1/me/keys/${unknownId("key")}`),
	},
	{
		route: "POST /v1/console_tickets",
		audience: "signed-in",
		status: 201,
		attempt: at("/v1/console_tickets", {}),
	},
	{ route: "GET /v1/sessions", audience: "signed-in", status: 200, attempt: at("/v1/sessions") },
	{
		route: "DELETE /v1/sessions/:id",
		audience: "signed-in",
		status: 404,
		attempt: at(`/v1/sessions/${unknownId("ses")}`),
	},
	{ route: "GET /v1/me/activity", audience: "signed-in", status: 200, attempt: at("/v1/me/activity") },
	{
		route: "POST /v1/me/export",
		audience: "signed-in",
		status: 422,
		attempt: at("/v1/me/export", { app: "app_none" }),
	},
	{ route: "GET /v1/me/exports", audience: "signed-in", status: 200, attempt: at("/v1/me/exports") },
	{
		route: "GET /v1/me/exports/:id/file",
		audience: "signed-in",
		status: 404,
		attempt: at("/v1/me/exports/job_1/file"),
	},
	{
		route: "POST /v1/sessions/end-others",
		audience: "signed-in",
		status: 200,
		// Of a person of this cell alone: others are the same in all cells.
		attempt: at("/v1/sessions/end-others", { keep_tokens: true }),
	},
	{ route: "POST /v1/sessions/step-up", audience: "signed-in", status: 202, attempt: at("/v1/sessions/step-up") },
	{
		route: "POST /v1/sessions/login",
		audience: "anybody",
		status: 202,
		attempt: () => ({
			path: "/v1/sessions/login",
			body: { email: `${newId("acc").toLowerCase()}@example.com`, client: "test" },
		}),
	},
	{
		route: "POST /v1/sessions/login/:id/verify",
		audience: "anybody",
		status: 422,
		attempt: at(`/v1/sessions/login/${unknownId("log")}/verify`, { secret: "none", code: "000000" }),
	},
	{ route: "GET /v1/me/passkeys", audience: "signed-in", status: 200, attempt: at("/v1/me/passkeys") },
	{
		route: "POST /v1/me/passkeys/options",
		audience: "signed-in",
		status: 200,
		attempt: at("/v1/me/passkeys/options"),
	},
	{
		route: "POST /v1/me/passkeys",
		audience: "signed-in",
		status: 422,
		attempt: at("/v1/me/passkeys", { options: unknownId("pko"), name: "Phone", credential: {} }),
	},
	{
		route: "DELETE /v1/me/passkeys/:passkey",
		audience: "signed-in",
		status: 404,
		attempt: at(`/v1/me/passkeys/${unknownId("psk")}`),
	},
	{
		route: "POST /v1/sessions/passkey",
		audience: "anybody",
		status: 409,
		attempt: at("/v1/sessions/passkey"),
		// Whoever is signed in asks to confirm who they are, and has no passkey here; an empty bearer is none that is known.
		but: { nobody: 401 },
	},
	{
		route: "POST /v1/sessions/passkey/verify",
		audience: "anybody",
		status: 422,
		attempt: at("/v1/sessions/passkey/verify", { options: unknownId("pko"), credential: {} }),
	},
	{ route: "GET /v1/tokens", audience: "signed-in", status: 200, attempt: at("/v1/tokens") },
	{
		route: "POST /v1/tokens",
		audience: "signed-in",
		status: 201,
		attempt: at("/v1/tokens", { name: "CI", scopes: ["apps:read"], expires_in: "1d" }),
	},
	{ route: "DELETE /v1/tokens/:id", audience: "signed-in", status: 404, attempt: at(`/v1/tokens/${unknownId("tok")}`) },
	{
		route: "GET /v1/jobs/:id",
		audience: "operator",
		status: 200,
		attempt: async (cast) => {
			const user = await cast.user();
			return { path: `/v1/jobs/${(await cast.as("owner", "DELETE", `/v1/apps/${cast.app.id}/users/${user}`)).id}` };
		},
		// Whoever started it, and nobody else: others cannot tell it from one that is not there.
		but: { viewer: 404, editor: 404, admin: 404, owner: 200, outsider: 404 },
	},
];

const moderation: readonly Row[] = [
	{ route: "GET /v1/moderation/images", audience: "operator", status: 200, attempt: at("/v1/moderation/images") },
	{ route: "GET /v1/moderation/images/:id", audience: "operator", status: 200, attempt: onImage() },
	{ route: "PATCH /v1/moderation/images/:id", audience: "operator", status: 200, attempt: onImage("", { nsfw: true }) },
	{ route: "DELETE /v1/moderation/images/:id", audience: "operator", status: 200, attempt: onImage() },
	{ route: "GET /v1/moderation/images/:id/preview", audience: "operator", status: 200, attempt: onImage("/preview") },
	{ route: "POST /v1/moderation/images/:id/lock", audience: "operator", status: 200, attempt: onImage("/lock", {}) },
	{
		route: "POST /v1/moderation/images/:id/unlock",
		audience: "operator",
		status: 409,
		attempt: onImage("/unlock", {}),
	},
	{
		route: "POST /v1/moderation/images/:id/block",
		audience: "operator",
		status: 200,
		attempt: onImage("/block", { reason: "spam" }),
	},
	{
		route: "POST /v1/moderation/images/:id/unblock",
		audience: "operator",
		status: 409,
		attempt: onImage("/unblock", {}),
	},
	{
		route: "POST /v1/moderation/batch",
		audience: "operator",
		status: 200,
		attempt: async (cast) => ({ path: "/v1/moderation/batch", body: { ids: [await cast.image()], action: "lock" } }),
	},
	{ route: "GET /v1/moderation/reports", audience: "operator", status: 200, attempt: at("/v1/moderation/reports") },
	{
		route: "POST /v1/moderation/reports/:id/resolve",
		audience: "operator",
		status: 404,
		attempt: at(`/v1/moderation/reports/${unknownId("rep")}/resolve`, { outcome: "dismissed" }),
	},
	{
		route: "POST /v1/reports",
		audience: "anybody",
		status: 422,
		attempt: at("/v1/reports", { url: "x", reason: "spam" }),
	},
];

const IMPORT = { manifest: "0".repeat(64), installation: "https://api.example.com", images: 0 };
const onAppImport =
	(rest = "", body?: unknown) =>
	async () => ({ path: `/v1/operator/app_imports/${unknownId("mov")}${rest}`, body });

const operators: readonly Row[] = [
	{
		route: "POST /v1/operator/app_imports",
		audience: "operator",
		status: 200,
		attempt: at("/v1/operator/app_imports", { app: newId("app"), ...IMPORT }),
	},
	{ route: "GET /v1/operator/app_imports/:id", audience: "operator", status: 404, attempt: onAppImport() },
	{
		route: "PUT /v1/operator/app_imports/:id/records",
		audience: "operator",
		status: 404,
		attempt: onAppImport("/records", { records: [{}] }),
	},
	{
		route: "PUT /v1/operator/app_imports/:id/masters",
		audience: "operator",
		status: 422,
		attempt: onAppImport("/masters"),
	},
	{
		route: "POST /v1/operator/app_imports/:id/finish",
		audience: "operator",
		status: 404,
		attempt: onAppImport("/finish"),
	},
	{ route: "DELETE /v1/operator/app_imports/:id", audience: "operator", status: 404, attempt: onAppImport() },
	{ route: "GET /v1/operator/apps", audience: "operator", status: 200, attempt: at("/v1/operator/apps") },
	{
		route: "GET /v1/operator/apps/:id",
		audience: "operator",
		status: 200,
		attempt: (cast) => ({ path: `/v1/operator/apps/${cast.app.id}` }),
	},
	{
		route: "PATCH /v1/operator/apps/:id",
		audience: "operator",
		status: 200,
		attempt: (cast) => ({ path: `/v1/operator/apps/${cast.app.id}`, body: { plan: "pro" } }),
	},
	{
		route: "POST /v1/operator/apps/:id/block",
		audience: "operator",
		status: 200,
		attempt: (cast) => ({ path: `/v1/operator/apps/${cast.app.id}/block`, body: { reason: "spam" } }),
	},
	{
		route: "POST /v1/operator/apps/:id/unblock",
		audience: "operator",
		status: 200,
		attempt: (cast) => ({ path: `/v1/operator/apps/${cast.app.id}/unblock` }),
	},
	{ route: "GET /v1/operator/accounts", audience: "operator", status: 200, attempt: at("/v1/operator/accounts") },
	{
		route: "POST /v1/operator/accounts/:id/disable",
		audience: "operator",
		status: 200,
		attempt: async ({ service }) => ({ path: `/v1/operator/accounts/${await addAccount(service.database)}/disable` }),
	},
	{
		route: "POST /v1/operator/accounts/:id/enable",
		audience: "operator",
		status: 200,
		attempt: async ({ service }) => ({ path: `/v1/operator/accounts/${await addAccount(service.database)}/enable` }),
	},
	{ route: "GET /v1/operator/operators", audience: "operator", status: 200, attempt: at("/v1/operator/operators") },
	{
		route: "POST /v1/operator/operators",
		audience: "operator",
		status: 201,
		attempt: async ({ service }) => {
			const id = await addAccount(service.database);
			await addSession(service.database, id);
			return { path: "/v1/operator/operators", body: { email: `${id.toLowerCase()}@example.com` } };
		},
	},
	{
		route: "DELETE /v1/operator/operators/:id",
		audience: "operator",
		status: 404,
		attempt: at(`/v1/operator/operators/${unknownId("acc")}`),
	},
	...["usage", "audit", "health", "jobs", "emails", "trash", "logs", "subscriptions"].map(
		(noun): Row => ({
			route: `GET /v1/operator/${noun}`,
			audience: "operator",
			status: 200,
			attempt: at(`/v1/operator/${noun}`),
		}),
	),
	{
		route: "POST /v1/operator/jobs/:id/retry",
		audience: "operator",
		status: 404,
		attempt: at(`/v1/operator/jobs/${unknownId("job")}/retry`),
	},
	{
		route: "POST /v1/operator/trash/restore",
		audience: "operator",
		status: 200,
		attempt: at("/v1/operator/trash/restore", { blobs: ["img_1/n"] }),
	},
	{
		route: "POST /v1/operator/trash/collect",
		audience: "operator",
		status: 202,
		attempt: at("/v1/operator/trash/collect"),
	},
	...Object.entries({
		cancel: { at: "now", reason: "asked for" },
		refund: { invoice: "in_1", reason: "asked for" },
		extend: { days: 7, reason: "asked for" },
	}).map(
		([verb, body]): Row => ({
			route: `POST /v1/operator/subscriptions/:subscription/${verb}`,
			audience: "operator",
			status: 404,
			attempt: at(`/v1/operator/subscriptions/${unknownId("sub")}/${verb}`, body),
		}),
	),
	{ route: "POST /v1/operator/backups", audience: "operator", status: 202, attempt: at("/v1/operator/backups") },
	{ route: "POST /v1/operator/reconcile", audience: "operator", status: 202, attempt: at("/v1/operator/reconcile") },
	{ route: "GET /v1/operator/clock", audience: "operator", status: 200, attempt: at("/v1/operator/clock") },
	{
		route: "POST /v1/operator/clock/advance",
		audience: "operator",
		status: 422,
		attempt: at("/v1/operator/clock/advance", { to: "nonsense" }),
	},
	{
		route: "POST /v1/operator/billing/simulate",
		audience: "operator",
		status: 422,
		attempt: at("/v1/operator/billing/simulate", { outcome: "nonsense" }),
	},
	// Where it is off, it is not there for anybody.
	{ route: "POST /v1/operator/bootstrap", audience: "anybody", status: 404, attempt: at("/v1/operator/bootstrap", {}) },
	{ route: "POST /v1/processor/events", audience: "anybody", status: 401, attempt: at("/v1/processor/events", {}) },
];

export const SERVICE_ROWS: readonly Row[] = [
	...images,
	...tickets,
	...imports,
	...withKeys,
	...people,
	...moderation,
	...operators,
];

/** Only where people have storages outside of every App. */
export const OWN_STORAGE_ROWS: readonly Row[] = [
	{ route: "POST /v1/me/keys", audience: "signed-in", status: 201, attempt: at("/v1/me/keys", { name: "Mine" }) },
];
