import { newId } from "@svc/base/ids";
import { connect } from "@svc/connect/connections";
import { sql } from "drizzle-orm";
import { connectUser, countOf } from "../support/apps.ts";
import { makePasskey } from "../support/authenticator.ts";
import { payAndReturn } from "../support/billing.ts";
import { appLine } from "../support/moves.ts";
import { creationFor } from "../support/passkeys.ts";
import { addPerson, addSession, as } from "../support/people.ts";
import { send } from "../support/requests.ts";
import { sold } from "../support/sold.ts";
import type { Cast } from "./cast.ts";
import type { Attempt, Row } from "./row.ts";

/** An App on its way here. */
export async function appImport(cast: Cast): Promise<{ readonly id: string; readonly app: string }> {
	const app = newId("app");
	const sent = { app, manifest: "0".repeat(64), installation: "https://api.example.com", images: 0 };
	const { id } = await cast.as("operator", "POST", "/v1/operator/app_imports", sent);
	return { id: String(id), app };
}

/* What a POST needs before it can succeed, where the row of the table is about who may call it and lets it fail. */

/** A POST that succeeds. */
export interface Posting extends Attempt {
	/** Of its caller. */
	readonly secret: string;
}

type Ready = (cast: Cast) => Promise<Posting>;

export const READY: Readonly<Record<string, Ready>> = {
	"POST /v1/invites/:id/accept": async (cast) => {
		const { outsider } = cast.people;
		const invite = { email: outsider.email, role: "viewer" };
		const { id, token } = await cast.as("admin", "POST", `/v1/apps/${cast.app.id}/invites`, invite);
		return { path: `/v1/invites/${id}/accept`, body: { token }, secret: outsider.secret };
	},
	"POST /v1/apps/:id/billing/cancel": async (cast) => inBilling(await paying(cast), "cancel"),
	"POST /v1/apps/:id/billing/resume": async (cast) => {
		await cast.as("owner", "POST", `/v1/apps/${(await paying(cast)).app.id}/billing/cancel`);
		return inBilling(cast, "resume");
	},
	"POST /v1/me/plans/:plan/cancel": (cast) => inOwnPlan(cast, "cancel"),
	"POST /v1/me/plans/:plan/resume": async (cast) => {
		const { path, secret } = await inOwnPlan(cast, "cancel");
		await send(cast.service, "POST", path, {}, as({ secret }));
		return { path: path.replace(/cancel$/, "resume"), body: {}, secret };
	},
	"POST /v1/me/plans/:plan/withdraw": (cast) => inOwnPlan(cast, "withdraw"),
	"POST /v1/apps/:id/billing/payment_method": async (cast) => inBilling(await paying(cast), "payment_method"),
	"POST /v1/apps/:id/subscriptions/:subscription/refund": async (cast) => {
		const { owner } = cast.people;
		const { subscription, invoice } = await sold(cast.service, { appId: cast.app.id, owner });
		const path = `/v1/apps/${cast.app.id}/subscriptions/${subscription}/refund`;
		return { path, body: { invoice, reason: "asked for" }, secret: owner.secret };
	},
	"POST /v1/auth/exchange": async (cast) => {
		const { database, rooms } = cast.service;
		const person = { pk: await pkOf(cast, "accounts", cast.people.outsider.id) };
		const appPk = await pkOf(cast, "apps", cast.app.id);
		const redirectUri = "https://app.example/back";
		const kept = sql`INSERT INTO redirect_uris (id, app_pk, uri, created_ms) VALUES (${newId("red")}, ${appPk}, ${redirectUri}, 0)`;
		await database.write([{ run: kept }]);
		const connected = await connect(rooms.connect, { person, appPk, redirectUri });
		if ("error" in connected) throw new Error(connected.error);
		return { path: "/v1/auth/exchange", body: { code: connected.code }, secret: cast.app.key };
	},
	"POST /v1/me/export": async ({ people: { outsider } }) => ({
		path: "/v1/me/export",
		body: {},
		secret: outsider.secret,
	}),
	"POST /v1/me/connections/:app/keys": async (cast) => {
		const { accountId } = await connectUser(cast.service.database, cast.app);
		const secret = await addSession(cast.service.database, accountId);
		return { path: `/v1/me/connections/${cast.app.id}/keys`, body: { name: "Mine" }, secret };
	},
	"POST /v1/me/passkeys": async (cast) => {
		const { owner } = cast.people;
		const { id, publicKey } = await creationFor(cast.service, owner);
		const { credential } = await makePasskey(publicKey);
		return { path: "/v1/me/passkeys", body: { options: id, name: "Phone", credential }, secret: owner.secret };
	},
	"POST /v1/images/:id/restore": async (cast) => {
		const path = `/v1/images/${await cast.image()}`;
		await cast.as("editor", "DELETE", path);
		return { path: `${path}/restore`, secret: cast.people.editor.secret };
	},
	"POST /v1/images/:id/move": async (cast) => {
		const { id: user_id } = await connectUser(cast.service.database, cast.app);
		return { path: `/v1/images/${await cast.image()}/move`, body: { user_id }, secret: cast.people.editor.secret };
	},
	"POST /v1/moderation/images/:id/unlock": (cast) => undone(cast, "lock", {}, "unlock"),
	"POST /v1/moderation/images/:id/unblock": (cast) => undone(cast, "block", { reason: "spam" }, "unblock"),
	"POST /v1/moderation/reports/:id/resolve": async (cast) => {
		const image = await cast.image();
		const { url } = await cast.as("owner", "GET", `/v1/images/${image}`);
		const reported = await send(cast.service, "POST", "/v1/reports", { url, reason: "spam" }, { key: "" });
		if (reported.status !== 202) throw new Error(await reported.text());
		const { database } = cast.service;
		const [row] = await database.rows("SELECT id FROM reports WHERE image_id = ?", [image]);
		return byOperator(cast, `/v1/moderation/reports/${row?.[0]}/resolve`, { outcome: "dismissed" });
	},
	"POST /v1/operator/apps/:id/unblock": async (cast) => {
		await cast.as("operator", "POST", `/v1/operator/apps/${cast.app.id}/block`, { reason: "spam" });
		return byOperator(cast, `/v1/operator/apps/${cast.app.id}/unblock`, {});
	},
	"POST /v1/operator/app_imports/:id/finish": async (cast) => {
		const { id, app } = await appImport(cast);
		await cast.as("operator", "PUT", `/v1/operator/app_imports/${id}/records`, { records: [appLine(app)] });
		return byOperator(cast, `/v1/operator/app_imports/${id}/finish`);
	},
	"POST /v1/operator/accounts/:id/enable": async (cast) => {
		// Somebody whom no other call needs.
		const { id } = await addPerson(cast.service.database);
		const path = `/v1/operator/accounts/${id}`;
		await cast.as("operator", "POST", `${path}/disable`);
		return byOperator(cast, `${path}/enable`);
	},
	"POST /v1/operator/reconcile": async (cast) => {
		// One that waits is not enqueued again.
		await cast.service.database.write([{ run: sql`UPDATE jobs SET state = 'failed', failure = 'x'` }]);
		return byOperator(cast, "/v1/operator/reconcile", {});
	},
	"POST /v1/operator/jobs/:id/retry": async (cast) => {
		const { id } = await cast.as("operator", "POST", "/v1/operator/reconcile");
		await cast.service.database.write([{ run: sql`UPDATE jobs SET state = 'failed', failure = 'x' WHERE id = ${id}` }]);
		return byOperator(cast, `/v1/operator/jobs/${id}/retry`);
	},
	"POST /v1/operator/clock/advance": async (cast) => {
		const to = new Date(cast.service.rooms.billing.clock.now() + 60_000).toISOString();
		return byOperator(cast, "/v1/operator/clock/advance", { to });
	},
	"POST /v1/operator/subscriptions/:subscription/cancel": async (cast) => {
		const { path } = await inOwnPlan(cast, "cancel");
		return byOperator(cast, path.replace("/me/plans/", "/operator/subscriptions/"), { at: "now", reason: "asked for" });
	},
	"POST /v1/operator/subscriptions/:subscription/refund": async (cast) => {
		const { path, secret } = await inOwnPlan(cast, "invoices");
		const answer = await send(cast.service, "GET", path, undefined, as({ secret }));
		const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] };
		const refund = path.replace("/me/plans/", "/operator/subscriptions/").replace(/invoices$/, "refund");
		return byOperator(cast, refund, { invoice: data[0]?.id, reason: "asked for" });
	},
	"POST /v1/operator/subscriptions/:subscription/extend": async (cast) => {
		const { path } = await inOwnPlan(cast, "extend");
		return byOperator(cast, path.replace("/me/plans/", "/operator/subscriptions/"), { days: 7, reason: "asked for" });
	},
	"POST /v1/operator/billing/simulate": async (cast) => {
		const appPk = await pkOf(await paying(cast), "apps", cast.app.id);
		const [row] = await cast.service.database.rows("SELECT id FROM subscriptions WHERE app_pk = ?", [appPk]);
		return byOperator(cast, "/v1/operator/billing/simulate", { subscription: row?.[0], outcome: "pay" });
	},
};

function byOperator({ people }: Cast, path: string, body?: unknown): Posting {
	return { path, body, secret: people.operator.secret };
}

/** The own plan of the App, which its Owner pays. */
async function inOwnPlan(cast: Cast, verb: string): Promise<Posting> {
	const appPk = await pkOf(await paying(cast), "apps", cast.app.id);
	const [row] = await cast.service.database.rows("SELECT id FROM subscriptions WHERE app_pk = ?", [appPk]);
	return { path: `/v1/me/plans/${row?.[0]}/${verb}`, body: {}, secret: cast.people.owner.secret };
}

function inBilling({ app, people }: Cast, verb: string): Posting {
	return { path: `/v1/apps/${app.id}/billing/${verb}`, secret: people.admin.secret };
}

/** The App of the cast pays for a plan of its own. */
async function paying(cast: Cast): Promise<Cast> {
	const path = `/v1/apps/${cast.app.id}/billing/checkout`;
	const { url } = await cast.as("owner", "POST", path, { plan: "pro" });
	await payAndReturn(cast.service, String(url));
	return cast;
}

async function undone(cast: Cast, deed: string, body: unknown, undo: string): Promise<Posting> {
	const path = `/v1/moderation/images/${await cast.image()}`;
	await send(cast.service, "POST", `${path}/${deed}`, body, as(cast.people.operator));
	return byOperator(cast, `${path}/${undo}`);
}

function pkOf({ service }: Cast, table: string, id: string): Promise<number> {
	return countOf(service.database, sql`SELECT pk FROM ${sql.identifier(table)} WHERE id = ${id}`);
}

/** Of somebody who may call it. */
export function secretFor(audience: Row["audience"], { app, people }: Cast): string {
	switch (audience) {
		case "key":
			return app.key;
		case "creator":
			return people.admin.secret;
		case "signed-in":
		case "anybody":
			return people.outsider.secret;
		default:
			return people[audience].secret;
	}
}
