import { describe, expect, test } from "bun:test";
import type { App, AppBilling, AppCheckout, Invoice, OwnPlan } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, type TestApp } from "../../support/apps.ts";
import { advanceTo, openForm, payAndReturn, simulate } from "../../support/billing.ts";
import { Browser } from "../../support/browser.ts";
import { addMember, addPerson, addSession, as } from "../../support/people.ts";
import { type Caller, errorOf, send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { DAY_MS, lastingSession } from "../../support/subscribers.ts";

/* What an App pays for its own storage where the service sells tiers: one price list for what is advertised and what is charged. */

const service = serviceFor({ SVC_VARIANT: "legacy" });
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const now = () => service.rooms.clock.now();

interface Owned {
	readonly app: TestApp;
	readonly owner: Caller;
}

async function ownedApp(): Promise<Owned> {
	const app = await addApp(service.database, "Pictures");
	return { app, owner: as({ secret: await lastingSession(service, app.ownerId, "console") }) };
}

const at = (app: TestApp, rest = "") => `/v1/apps/${app.id}/billing${rest}`;
const billing = ({ app, owner }: Owned) => made<AppBilling>(send(service, "GET", at(app), undefined, owner));
const checkout = ({ app, owner }: Owned, plan: string, interval?: string) =>
	made<AppCheckout>(send(service, "POST", at(app, "/checkout"), { plan, ...(interval && { interval }) }, owner));
const act = ({ app, owner }: Owned, what: string) => send(service, "POST", at(app, `/${what}`), undefined, owner);
const invoices = async ({ app, owner }: Owned) =>
	(await made<{ data: Invoice[] }>(send(service, "GET", at(app, "/invoices"), undefined, owner))).data;
const shown = ({ app, owner }: Owned) => made<App>(send(service, "GET", `/v1/apps/${app.id}`, undefined, owner));

interface Status {
	readonly plan: string;
	readonly billing_url: string;
	readonly usage: { readonly plan: string; readonly monthly: { readonly uploads_limit: number } };
	readonly available_plans: readonly {
		readonly id: string;
		readonly prices: Readonly<Record<"monthly" | "annual", { readonly amount_cents: number }>>;
	}[];
}
const status = ({ app }: Owned) =>
	made<Status>(send(service, "GET", "/v1/billing/status", undefined, { key: app.key }));

/** What every place says of an App's plan; one word where they agree. */
async function saidOf(owned: Owned): Promise<readonly string[]> {
	const { plan, usage } = await status(owned);
	const listed = await made<{ data: App[] }>(send(service, "GET", "/v1/apps", undefined, owned.owner));
	const path = `/v1/operator/apps/${owned.app.id}`;
	const operated = await made<App>(send(service, "GET", path, undefined, as(operator)));
	const said = [plan, usage.plan, (await billing(owned)).plan, (await shown(owned)).plan, operated.plan];
	return [...new Set([...said, ...listed.data.map((one) => one.plan)])];
}

async function subscriptionId({ app }: Owned): Promise<string> {
	const [row] = await service.database.read(() =>
		service.database.queries.values<[string]>(
			sql`SELECT subscriptions.id FROM subscriptions JOIN apps ON apps.pk = app_pk
				WHERE apps.id = ${app.id} AND ended_ms IS NULL`,
		),
	);
	return row?.[0] ?? "";
}

async function subscribed(plan: string, interval?: string): Promise<Owned> {
	const owned = await ownedApp();
	await payAndReturn(service, (await checkout(owned, plan, interval)).url ?? "");
	return owned;
}

describe.each([
	["pro", 2_900, 10_000],
	["scale", 9_900, 50_000],
	["max", 19_900, 200_000],
] as const)("the tier %s", (plan, amount, uploads) => {
	test.each([
		["monthly", "month", 1],
		["year", "year", 12],
	] as const)("is charged as it is advertised, %s, and is told everywhere", async (word, interval, months) => {
		const owned = await ownedApp();
		const { available_plans } = await status(owned);
		const advertised = available_plans.find(({ id }) => id === plan)?.prices;
		expect(advertised?.[interval === "year" ? "annual" : "monthly"].amount_cents).toBe(amount * months);
		const offered = (await billing(owned)).plans.find(({ key }) => key === plan)?.prices;
		expect(offered).toContainEqual({ amount: amount * months, currency: "usd", interval });
		const { url } = await checkout(owned, plan, word);
		const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
		expect((await openForm(service, url ?? "")).html).toContain(dollars.format((amount * months) / 100));
		await payAndReturn(service, url ?? "");
		expect(await saidOf(owned)).toEqual([plan]);
		expect((await status(owned)).usage.monthly.uploads_limit).toBe(uploads);
		expect(await billing(owned)).toMatchObject({
			plan,
			paid_plan: plan,
			interval,
			status: "active",
			next_charge: { amount: amount * months, currency: "usd" },
		});
		expect(await invoices(owned)).toMatchObject([{ status: "paid", amount_due: amount * months }]);
		const { data } = await made<{ data: OwnPlan[] }>(send(service, "GET", "/v1/me/plans", undefined, owned.owner));
		expect(data).toMatchObject([
			{ storage: "app", seller: { kind: "service" }, price: { amount: amount * months, interval } },
		]);
		expect(data[0]?.plan_name.toLowerCase()).toBe(plan);
	});
});

test("422 for what is not sold, naming what is", async () => {
	const owned = await ownedApp();
	for (const body of [{ plan: "unlimited" }, { plan: "free" }, { plan: "gold" }, { plan: 1 }]) {
		const answer = await errorOf(await send(service, "POST", at(owned.app, "/checkout"), body, owned.owner));
		expect([answer.status, answer.fields]).toEqual([422, ["plan"]]);
	}
	const strange = { plan: "pro", interval: "week" };
	const answer = await errorOf(await send(service, "POST", at(owned.app, "/checkout"), strange, owned.owner));
	expect([answer.status, answer.fields]).toEqual([422, ["interval"]]);
});

describe("operators", () => {
	const grant = (owned: Owned, plan: string | null) =>
		send(service, "PATCH", `/v1/operator/apps/${owned.app.id}`, { plan }, { key: service.token });

	test.each(["free", "pro", "scale", "max"])("grant %s, which counts everywhere", async (plan) => {
		const owned = await ownedApp();
		await made(grant(owned, plan));
		expect(await saidOf(owned)).toEqual([plan]);
		expect(await billing(owned)).toMatchObject({ paid_plan: null, granted_plan: plan === "free" ? null : plan });
	});

	test("the better one of theirs and the paid one is in force, and 422 for what there is not", async () => {
		const owned = await subscribed("scale");
		await made(grant(owned, "pro"));
		expect(await saidOf(owned)).toEqual(["scale"]);
		await made(grant(owned, "max"));
		expect(await saidOf(owned)).toEqual(["max"]);
		expect(await billing(owned)).toMatchObject({ plan: "max", paid_plan: "scale", granted_plan: "max" });
		await made(grant(owned, null));
		expect(await saidOf(owned)).toEqual(["scale"]);
		expect((await errorOf(await grant(owned, "unlimited"))).fields).toEqual(["plan"]);
	});
});

describe("the life of a tier", () => {
	test("up at once for the difference, down and to the year at the renewal, the same one 409", async () => {
		const owned = await subscribed("pro");
		expect(await checkout(owned, "scale")).toMatchObject({ effective: "now", url: null });
		expect(await saidOf(owned)).toEqual(["scale"]);
		const [difference] = await invoices(owned);
		expect(difference?.amount_paid).toBeGreaterThan(6_900);
		expect(difference?.amount_paid).toBeLessThanOrEqual(7_000);
		const again = await send(service, "POST", at(owned.app, "/checkout"), { plan: "scale" }, owned.owner);
		expect(again.status).toBe(409);
		expect(await checkout(owned, "pro", "annual")).toMatchObject({ effective: "at_renewal", url: null });
		const waiting = await billing(owned);
		expect(waiting).toMatchObject({ plan: "scale", pending_plan: "pro", next_charge: { amount: 34_800 } });
		await advanceTo(service, operator, Date.parse(waiting.current_period_end ?? "") + 60_000);
		expect(await billing(owned)).toMatchObject({ plan: "pro", interval: "year", pending_plan: null });
		expect((await invoices(owned))[0]).toMatchObject({ status: "paid", amount_paid: 34_800 });
	});

	test("bought, renewed, failing, locked, bought again, cancelled, resumed, ended", async () => {
		const owned = await subscribed("scale");
		const end = async () => Date.parse((await billing(owned)).current_period_end ?? "");
		await advanceTo(service, operator, (await end()) + 60_000);
		expect((await invoices(owned)).map(({ amount_paid }) => amount_paid)).toEqual([9_900, 9_900]);
		await simulate(service, operator, await subscriptionId(owned), "decline");
		const due = await end();
		await advanceTo(service, operator, due + 60_000);
		const failing = await billing(owned);
		expect(failing).toMatchObject({ plan: "scale", status: "grace", next_charge: null });
		expect(Date.parse(failing.locks_at ?? "")).toBe(due + 3 * DAY_MS);
		await advanceTo(service, operator, due + 3 * DAY_MS + 60_000);
		expect(await saidOf(owned)).toEqual(["free"]);
		expect(await billing(owned)).toMatchObject({ status: "inactive", paid_plan: null });
		await payAndReturn(service, (await checkout(owned, "max", "year")).url ?? "");
		expect(await saidOf(owned)).toEqual(["max"]);
		await made(act(owned, "cancel"));
		await made(act(owned, "resume"));
		const mine = `/v1/me/plans/${await subscriptionId(owned)}`;
		await made(send(service, "POST", `${mine}/cancel`, undefined, owned.owner));
		await made(send(service, "POST", `${mine}/resume`, undefined, owned.owner));
		expect(await made<AppBilling>(act(owned, "cancel"))).toMatchObject({ plan: "max", cancel_at_period_end: true });
		await advanceTo(service, operator, (await end()) + 60_000);
		expect(await saidOf(owned)).toEqual(["free"]);
	});

	test("another card ends the grace; withdrawn from, all of it comes back at once", async () => {
		const owned = await subscribed("pro");
		await simulate(service, operator, await subscriptionId(owned), "decline");
		await advanceTo(service, operator, Date.parse((await billing(owned)).current_period_end ?? "") + 60_000);
		const { url } = await made<{ url: string }>(act(owned, "payment_method"));
		await payAndReturn(service, url);
		expect(await billing(owned)).toMatchObject({ plan: "pro", status: "active" });
		const fresh = await subscribed("max");
		const id = await subscriptionId(fresh);
		await made(send(service, "POST", `/v1/me/plans/${id}/withdraw`, undefined, fresh.owner));
		expect(await saidOf(fresh)).toEqual(["free"]);
		expect(await invoices(fresh)).toMatchObject([{ amount_paid: 19_900, amount_refunded: 19_900 }]);
	});

	test("a deleted App pays back the rest by the day", async () => {
		const owned = await subscribed("scale");
		const id = await subscriptionId(owned);
		await advanceTo(service, operator, now() + 10 * DAY_MS);
		await made(send(service, "DELETE", `/v1/apps/${owned.app.id}?confirm_name=Pictures`, undefined, owned.owner));
		await service.runJobs();
		await service.catchUpBilling();
		const path = `/v1/me/plans/${id}/invoices`;
		const { data } = await made<{ data: Invoice[] }>(send(service, "GET", path, undefined, owned.owner));
		const [invoice] = data;
		const days = Math.round((Date.parse(invoice?.period_end ?? "") - Date.parse(invoice?.period_start ?? "")) / DAY_MS);
		expect(invoice?.amount_refunded).toBe(Math.round((9_900 * (days - 10)) / days));
	});
});

describe("billing_url of the App's storage", () => {
	async function visitor(accountId: string): Promise<Browser> {
		const browser = new Browser(service);
		const value = await addSession(service.database, accountId, { kind: "web" });
		await service.database.write([{ run: sql`UPDATE sessions SET expires_ms = ${4e12}, last_used_ms = ${4e12}` }]);
		browser.cookies.set("session", { value, attributes: "SameSite=Lax" });
		return browser;
	}

	test("leads its Owner to the page where the App's tier is bought and changed for what is shown", async () => {
		const owned = await ownedApp();
		const browser = await visitor(owned.app.ownerId);
		const path = new URL((await status(owned)).billing_url);
		const led = await browser.open(path.pathname + path.search);
		expect(led.location).toBe(`/account/apps/${owned.app.id}/own-plan`);
		const page = await browser.follow(led);
		expect([page.status, page.html.includes("$99.00"), page.html.includes("Pictures")]).toEqual([200, true, true]);
		const choose = `/account/apps/${owned.app.id}/own-plan/choose`;
		const opened = await browser.submit(page, choose, { plan: "pro", interval: "monthly" });
		const paid = await browser.submit(await browser.follow(opened), "/checkout/", { card: "pays" });
		await browser.follow(paid);
		expect(await saidOf(owned)).toEqual(["pro"]);
		const mine = await browser.open(`/account/apps/${owned.app.id}/own-plan`);
		const asked = await browser.submit(mine, choose, { plan: "scale", interval: "monthly" });
		const amount = /\$(\d+\.\d\d) now/.exec(asked.html)?.[1];
		expect([asked.status, Number(amount)]).toEqual([200, expect.any(Number)]);
		expect(await saidOf(owned)).toEqual(["pro"]);
		await browser.submit(asked, choose, { plan: "scale", interval: "monthly" });
		expect(await saidOf(owned)).toEqual(["scale"]);
		expect((await invoices(owned))[0]?.amount_paid).toBe(Math.round(Number(amount) * 100));
	});

	test("tells a lower role who buys it, and a stranger nothing; who is signed out is asked to sign in", async () => {
		const owned = await ownedApp();
		const page = `/account/apps/${owned.app.id}/own-plan`;
		const admin = await addPerson(service.database);
		await addMember(service.database, owned.app, admin, "admin");
		const refused = await (await visitor(admin.id)).open(page);
		expect([refused.status, refused.html.includes("Only the Owner")]).toEqual([403, true]);
		const stranger = await addPerson(service.database);
		expect((await (await visitor(stranger.id)).open(page)).status).toBe(404);
		const nobody = await new Browser(service).open(page);
		expect([nobody.status, nobody.html.includes("$99.00")]).toEqual([200, false]);
	});
});
