import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createClient } from "@svc/sdk/client";
import { ApiError } from "@svc/sdk/failure";
import { createManagement, type Management } from "@svc/sdk/management";
import type { App, Image, ManagedKey } from "@svc/sdk/shapes";
import { corners } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";
import { type StartedService, startService } from "../support/service.ts";
import { addUser } from "../support/users.ts";

/* All of it over a socket, by the SDK's own means: even the codes are read from the mails that operators see. */

let service: StartedService;
let visitor: Management;
let operator: Management;
let ada: Management;
let app: App;

beforeAll(async () => {
	service = await startService();
	visitor = manage(null);
	operator = manage(service.token);
	ada = manage(await signIn("ada@example.com"));
	app = await ada.apps.create("Sunday Hikers");
});

afterAll(() => service.stop());

function manage(apiKey: string | null): Management {
	return createManagement({ baseUrl: service.baseUrl, apiKey });
}

/** The newest mail to an address, as far as the text matches. */
async function mailed(recipient: string, pattern: RegExp): Promise<string> {
	const { data } = await operator.operator.emails.list({ recipient, limit: 1 });
	const [found] = pattern.exec(data[0]?.text ?? "") ?? [];
	if (found === undefined) throw new Error(`no such mail to ${recipient}`);
	return found;
}

const CODE = /\b\d{6}\b/;

async function signIn(email: string): Promise<string> {
	const login = await visitor.sessions.login(email, { client: "a test" });
	return (await visitor.sessions.verify(login, await mailed(email, CODE))).secret;
}

async function collect<T extends { readonly id: string }>(things: AsyncIterable<T>): Promise<string[]> {
	const ids: string[] = [];
	for await (const { id } of things) ids.push(id);
	return ids;
}

async function failureOf(promise: Promise<unknown>): Promise<ApiError> {
	const error = await promise.catch((thrown: unknown) => thrown);
	if (error instanceof ApiError) return error;
	throw new Error(`no ApiError but ${error}`);
}

async function refusal(promise: Promise<unknown>): Promise<unknown[]> {
	const { status, code, details } = await failureOf(promise);
	return [status, code, ...Object.keys(details ?? {})];
}

const picture = async () => new Blob([await corners(30, 20)]);

describe("people", () => {
	test("a mailed code makes a session, which tells who it is and ends itself [sdk.sign-in]", async () => {
		const login = await visitor.sessions.login("bob@example.com", { client: "laptop" });
		expect(await refusal(visitor.sessions.verify(login, "not it"))).toEqual([422, "invalid_code"]);
		const { secret, account, ...session } = await visitor.sessions.verify(login, await mailed("bob@example.com", CODE));
		expect([session.object, session.kind, session.device]).toEqual(["session", "console", "laptop"]);
		const bob = manage(secret);
		expect(await bob.me.get()).toEqual(account);
		expect(await collect(bob.sessions.all())).toEqual([session.id]);
		expect(await bob.sessions.end()).toEqual({ id: session.id, object: "session", deleted: true });
		expect(await refusal(bob.me.get())).toEqual([401, "unauthorized"]);
	});

	test("a step-up makes the session fresh, and a new address counts once its code is confirmed [sdk.confirm]", async () => {
		const cleo = manage(await signIn("cleo@example.com"));
		const fresh = await cleo.sessions.confirm(await cleo.sessions.stepUp(), await mailed("cleo@example.com", CODE));
		expect([fresh.fresh_until === null, "secret" in fresh]).toEqual([false, false]);
		const change = await cleo.me.changeEmail("cleo@example.org");
		expect((await cleo.me.get()).email).toBe("cleo@example.com");
		await cleo.sessions.confirm(change, await mailed("cleo@example.org", CODE));
		expect((await cleo.me.get()).email).toBe("cleo@example.org");
	});

	test("a token does what its scopes say until it is revoked [sdk.tokens]", async () => {
		const options = { name: "ci", scopes: ["apps:read"], app: app.id, expiresIn: "90d" } as const;
		const { secret, ...token } = await ada.tokens.create(options);
		expect([token.name, token.app_id, token.scopes]).toEqual(["ci", app.id, ["apps:read"]]);
		expect((await ada.tokens.list()).data.map(({ id }) => id)).toEqual([token.id]);
		const ci = manage(secret);
		expect(await ci.apps.get(app.id)).toEqual(app);
		expect(await refusal(ci.apps.pause(app.id))).toEqual([403, "forbidden"]);
		expect(await ada.tokens.revoke(token.id)).toEqual({ id: token.id, object: "token", deleted: true });
		expect(await refusal(ci.me.get())).toEqual([401, "unauthorized"]);
		expect(await refusal(ada.tokens.create({ ...options, expiresIn: "366d" }))).toEqual([
			422,
			"validation_error",
			"expires_in",
		]);
	});

	test("what is not there, and what is somebody else's, are both not_found; a lacking role is forbidden [sdk.not-found]", async () => {
		const dora = manage(await signIn("dora@example.com"));
		expect(await refusal(dora.apps.get(app.id))).toEqual([404, "not_found"]);
		expect(await refusal(ada.apps.get(`app_${"0".repeat(22)}`))).toEqual([404, "not_found"]);
		expect(await refusal(dora.operator.usage())).toEqual([403, "forbidden"]);
	});

	test("without a session nothing but what is open works, and no secret is in the error [sdk.nobody]", async () => {
		expect(await refusal(visitor.me.get())).toEqual([401, "unauthorized"]);
		const error = await failureOf(manage("svc_ses_wrong").me.get());
		expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toContain("svc_ses_wrong");
	});
});

describe("Apps", () => {
	test("an App is changed, paused, resumed, and deleted by its name [sdk.apps]", async () => {
		const { id } = await ada.apps.create("Short Lived");
		expect((await ada.apps.update(id, { name: "Shorter Lived", signInEnabled: true })).sign_in_enabled).toBe(true);
		expect((await ada.apps.pause(id)).state).toBe("paused");
		expect((await ada.apps.resume(id)).state).toBe("active");
		expect(await refusal(ada.apps.delete(id, "Short Lived"))).toEqual([422, "validation_error", "confirm_name"]);
		const job = await ada.apps.delete(id, "Shorter Lived");
		expect((await ada.jobs.wait(job.id, { everyMs: 20 })).state).toBe("done");
		expect(await refusal(ada.apps.get(id))).toEqual([404, "not_found"]);
	});

	test("all() walks every page once, newest first [sdk.apps-paging]", async () => {
		const cid = manage(await signIn("cid@example.com"));
		const made: string[] = [];
		for (const name of ["one", "two", "three", "four", "five"]) made.push((await cid.apps.create(name)).id);
		expect(await collect(cid.apps.all({ limit: 2 }))).toEqual(made.reverse());
		const { data, pagination } = await cid.apps.list({ limit: 2 });
		const second = await cid.apps.list({ limit: 2, cursor: pagination.next_cursor ?? "" });
		expect([...data, ...second.data].map(({ id }) => id)).toEqual(made.slice(0, 4));
		expect(await refusal(cid.apps.list({ cursor: "forged" }))).toEqual([422, "validation_error", "cursor"]);
	});

	test("a key is made, used, rotated and revoked; its secret is shown once each time [sdk.keys]", async () => {
		const { keys } = ada.apps.of(app.id);
		const { secret, ...key } = await keys.create({ name: "backend", reach: "app", permissions: ["read", "write"] });
		const usable = async (apiKey: string) => (await createClient({ baseUrl: service.baseUrl, apiKey }).key.get()).id;
		expect(await usable(secret)).toBe(key.id);
		const expiresAt = new Date(Date.now() + 86_400_000);
		const changed: ManagedKey = await keys.update(key.id, { name: "server", expiresAt });
		expect([changed.name, changed.expires_at]).toEqual(["server", expiresAt.toISOString()]);
		const next = await keys.rotate(key.id);
		expect([(await keys.get(key.id)).replaced_by, await usable(next.secret)]).toEqual([next.id, next.id]);
		expect(await keys.revoke(key.id)).toEqual({ id: key.id, object: "key", deleted: true });
		expect(await refusal(usable(secret))).toEqual([401, "unauthorized"]);
		expect(await refusal(keys.rotate(key.id))).toEqual([409, "state_conflict"]);
		expect(JSON.stringify(await keys.list())).not.toContain(next.secret);
	});

	test("an invited person joins by the token, changes role, and leaves with the keys they made [sdk.team]", async () => {
		const team = ada.apps.of(app.id);
		const { token, ...invite } = await team.invites.create("eve@example.com", "viewer");
		expect((await team.invites.list()).data).toEqual([invite]);
		const eve = manage(await signIn("eve@example.com"));
		const member = await eve.acceptInvite(invite.id, token);
		expect([member.email, member.role]).toEqual(["eve@example.com", "viewer"]);
		expect(await refusal(eve.acceptInvite(invite.id, token))).toEqual([409, "state_conflict"]);
		expect((await team.members.changeRole(member.id, "admin")).role).toBe("admin");
		const key = await eve.apps.of(app.id).keys.create({ name: "eve's", reach: "app", permissions: ["read"] });
		const { code, details } = await failureOf(team.members.remove(member.id));
		expect([code, details?.keys]).toEqual(["state_conflict", [key.id]]);
		expect((await eve.apps.of(app.id).members.remove(member.id, true)).deleted).toBe(true);
		expect((await team.keys.get(key.id)).revoked_at).not.toBeNull();
		const withdrawn = await team.invites.create("fay@example.com", "editor");
		expect((await team.invites.withdraw(withdrawn.id)).object).toBe("invite");
	});

	test("the Owner can become another member [sdk.transfer]", async () => {
		const { id } = await ada.apps.create("Handed Over");
		const { token, ...invite } = await ada.apps.of(id).invites.create("gus@example.com", "editor");
		const gus = manage(await signIn("gus@example.com"));
		await gus.acceptInvite(invite.id, token);
		expect((await ada.apps.transfer(id, "gus@example.com")).role).toBe("admin");
		expect((await gus.apps.get(id)).role).toBe("owner");
	});

	test("are added and removed; a malformed one names its field [sdk.redirect-uris]", async () => {
		const { redirectUris } = ada.apps.of(app.id);
		const added = await redirectUris.add("https://app.example.com/callback");
		expect(await redirectUris.list()).toMatchObject({ data: [added] });
		expect(await refusal(redirectUris.add("no address"))).toEqual([422, "validation_error", "uri"]);
		expect((await redirectUris.remove(added.id)).object).toBe("redirect_uri");
	});

	test("users are found, and a disconnect is a job to wait for [sdk.users]", async () => {
		const { users } = ada.apps.of(app.id);
		await ada.apps.update(app.id, { signInEnabled: true });
		const [one, two] = [await addUser(service.database, app), await addUser(service.database, app)];
		expect(await collect(users.all({ limit: 1 }))).toEqual([two.id, one.id]);
		expect((await users.list({ email: one.email })).data.map(({ id }) => id)).toEqual([one.id]);
		const job = await users.disconnect(one.id);
		expect((await ada.jobs.wait(job.id, { everyMs: 20 })).state).toBe("done");
		expect(await refusal(users.get(one.id))).toEqual([404, "not_found"]);

		const person = manage(two.secret);
		const keys = person.me.connections.keys(app.id);
		const { secret, ...key } = await keys.create("mine");
		expect([secret.length > 20, (await keys.list()).data]).toEqual([true, [key]]);
		expect((await keys.revoke(key.id)).object).toBe("key");
		const started = await person.me.connections.disconnect(app.id);
		expect((await person.jobs.wait(started.id, { everyMs: 20 })).state).toBe("done");
		expect(await collect(person.me.connections.all())).toEqual([]);
	});

	test("usage, labels and the audit tell what was done in an App [sdk.records]", async () => {
		const { usage, labels, audit, billing, subscriptions, keys } = ada.apps.of(app.id);
		const { secret } = await keys.create({ name: "uploads", reach: "app", permissions: ["read", "write"] });
		const client = createClient({ baseUrl: service.baseUrl, apiKey: secret });
		await client.images.upload(await picture(), { labels: { album: "summer" } });
		expect((await usage.total()).totals.images_stored).toBe(1);
		const shares = (await usage.byUser.list()).data.map(({ user_id, images }) => [user_id, images]);
		expect(shares).toContainEqual([null, 1]);
		expect((await usage.byMonth.list()).data[0]).toMatchObject({ object: "month_usage", uploads: 1 });
		expect(await labels("alb")).toEqual({
			object: "labels",
			data: [{ key: "album", value: "summer", count: 1 }],
			truncated: false,
		});
		const since = new Date(Date.now() - 60_000);
		expect((await audit.list({ event: "key.created", since, limit: 1 })).data[0]?.event).toBe("key.created");
		expect((await billing.get()).plan).toBe(app.plan);
		expect((await subscriptions.list()).data).toEqual([]);
		expect(await refusal(client.billing.status())).toEqual([403, "forbidden"]);
		expect((await client.billing.plans.list()).purchasing_enabled).toBe(false);
	});

	test("what an App sells is described, priced and archived once selling is on [sdk.plans]", async () => {
		const { plans } = ada.apps.of(app.id);
		expect((await operator.operator.apps.update(app.id, { sellingEnabled: true })).selling_enabled).toBe(true);
		const { id } = await plans.create({ key: "gold", name: "Gold", benefits: ["More"], displayOrder: 2 });
		const price = await plans.addPrice(id, { amount: 499, currency: "usd", interval: "month", trialDays: 7 });
		expect([price.amount, price.trial_days, price.on_sale]).toEqual([499, 7, true]);
		expect((await plans.setOnSale(id, price.id, false)).on_sale).toBe(false);
		const plan = await plans.update(id, { description: "All of it", displayOrder: 1 });
		expect([plan.description, plan.display_order, plan.prices.length]).toEqual(["All of it", 1, 1]);
		expect((await plans.archive(id)).archived_at).not.toBeNull();
		expect(await refusal(plans.archive(id))).toEqual([409, "state_conflict"]);
	});
});

describe("moderation", () => {
	let image: Image;
	beforeAll(async () => {
		image = await createClient({ baseUrl: service.baseUrl, apiKey: service.apiKey }).images.upload(await picture());
	});

	test("anybody reports an image; an operator sees and settles it [sdk.reports]", async () => {
		expect((await visitor.report({ url: image.url, reason: "spam", note: "Look" })).object).toBe("report");
		const [item] = (await operator.moderation.list({ state: "reported" })).data;
		expect([item?.id, item?.reports_count, item?.reports[0]?.note]).toEqual([image.id, 1, "Look"]);
		const report = item?.reports[0];
		expect((await operator.moderation.reports.resolve(report?.id ?? "", "dismissed")).outcome).toBe("dismissed");
		expect((await operator.moderation.reports.list()).data).toEqual([]);
		expect(await collect(operator.moderation.reports.all({ state: "resolved" }))).toEqual([report?.id ?? ""]);
	});

	test("a lock is undone, a revision that has passed is refused, and the picture can be seen [sdk.moderation]", async () => {
		const before = await operator.moderation.get(image.id);
		const locked = await operator.moderation.lock(image.id, { note: "wait", revision: before.revision });
		expect([locked.locked, locked.actions[0]?.action, locked.actions[0]?.note]).toEqual([true, "lock", "wait"]);
		const stale = operator.moderation.unlock(image.id, { revision: before.revision });
		expect(await refusal(stale)).toEqual([409, "state_conflict"]);
		expect((await operator.moderation.unlock(image.id)).locked).toBe(false);
		expect((await operator.moderation.setNsfw(image.id, true)).image.nsfw).toBe(true);
		expect((await operator.moderation.block(image.id, { reason: "dmca" })).blocked_reason).toBe("dmca");
		const preview = await operator.moderation.preview(image.id);
		expect([preview.type, preview.size]).toEqual(["image/png", image.bytes]);
		expect((await operator.moderation.unblock(image.id)).image.status).toBe("ready");
	});

	test("does what it can and tells the rest [sdk.moderation-batch]", async () => {
		const { data, errors } = await operator.moderation.batch([image.id, "img_none"], "delete");
		expect(data).toEqual([{ id: image.id, object: "image", deleted: true }]);
		expect(errors.map(({ id, error }) => [id, error.code])).toEqual([["img_none", "not_found"]]);
		expect(await refusal(operator.moderation.get(image.id))).toEqual([404, "not_found"]);
	});
});

describe("operators", () => {
	test("the first operator is made once [sdk.bootstrap]", async () => {
		const other = await startProcess({ SVC_BOOTSTRAP_SECRET: "a secret of the deployment" });
		try {
			await other.ready();
			const nobody = createManagement({ baseUrl: other.baseUrl, apiKey: null });
			const { secret, account } = await nobody.operator.bootstrap("a secret of the deployment", "op@example.com");
			const first = createManagement({ baseUrl: other.baseUrl, apiKey: secret });
			expect([(await first.me.get()).id, account.email]).toEqual([account.id, "op@example.com"]);
			const again = nobody.operator.bootstrap("a secret of the deployment", "op@example.com");
			expect(await refusal(again)).toEqual([404, "not_found"]);
		} finally {
			await other.stop();
			await removeData(other.dataDir);
		}
	});

	test("limits, blocks and counts of any App [sdk.operated-apps]", async () => {
		const { apps } = operator.operator;
		const { limits, own_limits, owner } = await apps.update(app.id, { limits: { images: 7 } });
		expect([limits.images, own_limits.images, owner?.email]).toEqual([7, 7, "ada@example.com"]);
		expect((await apps.update(app.id, { limits: { images: null } })).own_limits.images).toBeNull();
		const blocked = await apps.block(app.id, "terms", "a note");
		expect([blocked.state, blocked.block_reason]).toEqual(["blocked", "terms"]);
		expect(await collect(apps.all({ q: app.id, state: "blocked" }))).toEqual([app.id]);
		expect((await apps.unblock(app.id)).state).toBe("active");
		expect((await apps.get(app.id)).users).toBe(0);
	});

	test("an account is disabled and enabled; operators come and go [sdk.accounts]", async () => {
		const { accounts, operators } = operator.operator;
		const secret = await signIn("hal@example.com");
		const [hal] = (await accounts.list({ q: "hal@", status: "active" })).data;
		const id = hal?.id ?? "";
		expect((await accounts.disable(id)).status).toBe("disabled");
		expect(await refusal(manage(secret).me.get())).toEqual([401, "unauthorized"]);
		expect((await accounts.enable(id)).status).toBe("active");
		expect((await operators.add("hal@example.com")).operator).toBe(true);
		expect(await collect(operators.all())).toContain(id);
		expect(await operators.remove(id)).toEqual({ id, object: "operator", deleted: true });
		const [last] = await collect(operators.all());
		expect(await refusal(operators.remove(last ?? ""))).toEqual([409, "state_conflict"]);
	});

	test("totals, health, the audit of all Apps, and a recount as a job [sdk.operation]", async () => {
		expect((await operator.operator.usage()).apps.total).toBeGreaterThan(1);
		expect(await operator.operator.health()).toMatchObject({ object: "health", ready: true });
		const { data } = await operator.operator.audit.list({ app: app.id, event: "operator.app_blocked" });
		expect(data.map(({ target }) => target)).toEqual([app.id]);
		const job = await operator.operator.reconcile();
		expect((await operator.jobs.wait(job.id, { everyMs: 20 })).state).toBe("done");
		expect(await collect(operator.operator.jobs.all({ kind: "reconcile", state: "done" }))).toEqual([job.id]);
		expect(await refusal(operator.operator.jobs.retry(job.id))).toEqual([409, "state_conflict"]);
		const to = new Date(Date.now() + 86_400_000);
		expect(Date.parse((await operator.operator.simulation.advanceClock(to)).now)).toBeGreaterThanOrEqual(to.getTime());
	});
});
