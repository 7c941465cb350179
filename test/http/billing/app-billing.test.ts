import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, countOf, setPlan, type TestApp } from "../../support/apps.ts";
import { advanceTo, openForm, pay, payAndReturn, post, simulate } from "../../support/billing.ts";
import { addMember, addPerson, addSession, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, errorOf, send, upload } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";

interface Billing {
	readonly plan: string;
	readonly status: string;
	readonly current_period_end: string | null;
	readonly cancel_at_period_end: boolean;
	readonly pending_plan: string | null;
	readonly plans: readonly { readonly key: string; readonly price_per_month: number; readonly currency: string }[];
}

const DAY_MS = 86_400_000;

const service = serviceFor();
const operator = madeBefore(() => addPerson(service.database, { operator: true }));

interface Owned {
	readonly app: TestApp;
	readonly owner: Caller;
}

/** Sessions end after 30 days; the clock moves on by months. */
async function signedIn(accountId: string): Promise<Caller> {
	const secret = await addSession(service.database, accountId);
	await service.database.write([
		{
			run: sql`UPDATE sessions SET expires_ms = expires_ms + ${4_000 * DAY_MS}, last_used_ms = expires_ms + ${4_000 * DAY_MS}`,
		},
	]);
	return as({ secret });
}

async function ownedApp(): Promise<Owned> {
	const app = await addApp(service.database, "Pictures");
	return { app, owner: await signedIn(app.ownerId) };
}

const at = (app: TestApp, rest = "") => `/v1/apps/${app.id}/billing${rest}`;
const billing = ({ app, owner }: Owned) => made<Billing>(send(service, "GET", at(app), undefined, owner));
const checkout = ({ app, owner }: Owned, plan: string) =>
	made<{ readonly url: string; readonly effective: string }>(
		send(service, "POST", at(app, "/checkout"), { plan }, owner),
	);
const act = ({ app, owner }: Owned, what: string) => send(service, "POST", at(app, `/${what}`), undefined, owner);
const invoices = async ({ app, owner }: Owned) =>
	(
		await made<{ data: { status: string; amount_due: number; amount_paid: number; amount_refunded: number }[] }>(
			send(service, "GET", at(app, "/invoices"), undefined, owner),
		)
	).data;
const usagePlan = async (app: TestApp) =>
	(await made<{ plan: string }>(send(service, "GET", "/v1/usage", undefined, { key: app.key }))).plan;
const periodEnd = async (owned: Owned) => Date.parse((await billing(owned)).current_period_end ?? "");

async function subscriptionId(app: TestApp): Promise<string> {
	const [row] = await service.database.read(() =>
		service.database.queries.values<[string]>(
			sql`SELECT subscriptions.id FROM subscriptions JOIN apps ON apps.pk = app_pk
				WHERE apps.id = ${app.id} AND ended_ms IS NULL`,
		),
	);
	return row?.[0] ?? "";
}

async function subscribed(plan = "pro"): Promise<Owned> {
	const owned = await ownedApp();
	await payAndReturn(service, (await checkout(owned, plan)).url);
	return owned;
}

describe("an App that pays nothing", () => {
	test("200 with what each plan costs a month [limits.app-plan.pro-price, limits.app-plan.unlimited-price]", async () => {
		const owned = await ownedApp();
		expect(await billing(owned)).toMatchObject({
			object: "app_billing",
			id: owned.app.id,
			plan: "free",
			status: "inactive",
			current_period_end: null,
			cancel_at_period_end: false,
			pending_plan: null,
			plans: [
				{ key: "free", price_per_month: 0, currency: "usd", limits: { images: 5_000, users: 50 } },
				{ key: "pro", price_per_month: 20, currency: "usd", limits: { images: 50_000, users: 500 } },
				{ key: "unlimited", price_per_month: 100, currency: "usd", limits: { images: null, users: null } },
			],
		} as never);
	});

	test("409 for what needs a subscription; 422 for a plan that cannot be bought", async () => {
		const owned = await ownedApp();
		for (const what of ["cancel", "resume", "payment_method"]) {
			expect(await errorOf(await act(owned, what))).toMatchObject({ status: 409, code: "state_conflict" });
		}
		for (const plan of ["free", "gold", 1, null]) {
			const answer = await errorOf(await send(service, "POST", at(owned.app, "/checkout"), { plan }, owned.owner));
			expect([answer.status, answer.fields]).toEqual([422, ["plan"]]);
		}
		expect(await invoices(owned)).toEqual([]);
	});
});

describe("checkout", () => {
	test("the Owner's payment gives the App its plan; what the page was told is charged [roles.owner.own-plan-start]", async () => {
		const owned = await ownedApp();
		const { url, effective } = await checkout(owned, "pro");
		expect(effective).toBe("after_payment");
		expect((await openForm(service, url)).html).toContain("$20.00");
		expect(await usagePlan(owned.app)).toBe("free");
		const back = await payAndReturn(service, url);
		expect([back.status, await back.text()]).toEqual([200, expect.stringContaining("Thank you")]);
		expect(await usagePlan(owned.app)).toBe("pro");
		expect(await billing(owned)).toMatchObject({ plan: "pro", status: "active", cancel_at_period_end: false });
		expect(await invoices(owned)).toMatchObject([{ status: "paid", amount_due: 2_000, amount_paid: 2_000 }]);
	});

	test("the App has its plan as soon as the payment is made, whether or not anybody comes back", async () => {
		const owned = await ownedApp();
		await pay(service, (await checkout(owned, "unlimited")).url);
		expect(await usagePlan(owned.app)).toBe("unlimited");
	});

	test("nothing is granted for a declined card, a refused bank, or for coming back without paying", async () => {
		const owned = await ownedApp();
		const { url } = await checkout(owned, "pro");
		const declined = await pay(service, url, "declines");
		expect([declined.status, await declined.text()]).toEqual([422, expect.stringContaining("declined")]);
		const form = await openForm(service, url);
		const asked = await post(service, url, form, { step: "pay", card: "needs_bank" });
		expect(await asked.text()).toContain("Your bank asks");
		expect((await post(service, url, form, { step: "refuse" })).status).toBe(422);
		expect((await post(service, url, form, { step: "confirm" })).status).toBe(422);
		const [, back] = /href="([^"]*\/billing\/return[^"]*)"/.exec(form.html) ?? [];
		const returned = await service.open(back ?? "", {});
		expect([returned.status, await returned.text()]).toEqual([200, expect.stringContaining("Nothing was charged")]);
		expect(await usagePlan(owned.app)).toBe("free");
		await post(service, url, form, { step: "pay", card: "needs_bank" });
		expect((await post(service, url, form, { step: "confirm" })).status).toBe(303);
		expect(await usagePlan(owned.app)).toBe("pro");
	});

	test("a form from elsewhere, without its token, or for another checkout pays nothing", async () => {
		const owned = await ownedApp();
		const { url } = await checkout(owned, "pro");
		const form = await openForm(service, url);
		const foreign = await service.open(url, {
			method: "POST",
			headers: {
				cookie: form.cookie,
				origin: "https://evil.example",
				"content-type": "application/x-www-form-urlencoded",
			},
			body: `form_token=${form.token}&step=pay&card=pays`,
		});
		expect(foreign.status).toBe(403);
		expect((await post(service, url, { ...form, token: "x" }, { step: "pay", card: "pays" })).status).toBe(403);
		expect((await post(service, `${url}x`, form, { step: "pay", card: "pays" })).status).toBe(404);
		expect(await usagePlan(owned.app)).toBe("free");
	});

	test("two checkouts that are paid at once leave one subscription, and the other is paid back", async () => {
		const owned = await ownedApp();
		const urls = await Promise.all(Array.from({ length: 4 }, async () => (await checkout(owned, "pro")).url));
		await Promise.all(urls.map((url) => payAndReturn(service, url)));
		await service.catchUpBilling();
		const ofApp = sql`app_pk = (SELECT pk FROM apps WHERE id = ${owned.app.id})`;
		expect(
			await countOf(service.database, sql`SELECT count(*) FROM subscriptions WHERE ${ofApp} AND ended_ms IS NULL`),
		).toBe(1);
		const paid = await invoices(owned);
		expect(paid.filter(({ amount_paid, amount_refunded }) => amount_paid > amount_refunded)).toHaveLength(1);
		expect(paid).toHaveLength(4);
		expect(await usagePlan(owned.app)).toBe("pro");
	});

	test("one checkout that is submitted 20 times at once is charged once", async () => {
		const owned = await ownedApp();
		const { url } = await checkout(owned, "pro");
		const form = await openForm(service, url);
		const answers = await Promise.all(
			Array.from({ length: 20 }, () => post(service, url, form, { step: "pay", card: "pays" })),
		);
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
		expect(await invoices(owned)).toHaveLength(1);
	});

	test("201 for a picture that the limit refused, once the App has a higher plan [limits.quota-freed-upgrade]", async () => {
		const owned = await ownedApp();
		const file = await plain(4, 4);
		expect((await upload(service, file, "a.png", {}, { key: owned.app.key })).status).toBe(201);
		await service.database.write([
			{ run: sql`UPDATE app_usage SET images = 5000 WHERE app_pk = (SELECT pk FROM apps WHERE id = ${owned.app.id})` },
		]);
		expect((await errorOf(await upload(service, file, "b.png", {}, { key: owned.app.key }))).code).toBe(
			"quota_exceeded",
		);
		await payAndReturn(service, (await checkout(owned, "pro")).url);
		expect((await upload(service, file, "b.png", {}, { key: owned.app.key })).status).toBe(201);
	});
});

describe("another plan", () => {
	test("a dearer one holds at once and costs the difference; the same one again is 409", async () => {
		const owned = await subscribed("pro");
		expect(await checkout(owned, "unlimited")).toMatchObject({ effective: "now", url: null } as never);
		expect(await usagePlan(owned.app)).toBe("unlimited");
		const [difference] = await invoices(owned);
		expect(difference?.amount_paid).toBeGreaterThan(7_900);
		expect(difference?.amount_paid).toBeLessThanOrEqual(8_000);
		const again = await errorOf(
			await send(service, "POST", at(owned.app, "/checkout"), { plan: "unlimited" }, owned.owner),
		);
		expect([again.status, again.code]).toEqual([409, "state_conflict"]);
	});

	test("one that is not paid changes nothing until it is", async () => {
		const owned = await subscribed("pro");
		await simulate(service, operator, await subscriptionId(owned.app), "decline");
		const { effective, url } = await checkout(owned, "unlimited");
		expect([effective, await usagePlan(owned.app)]).toEqual(["after_payment", "pro"]);
		await pay(service, url);
		expect(await usagePlan(owned.app)).toBe("unlimited");
	});

	test("a cheaper one comes with the renewal; nothing is deleted", async () => {
		const owned = await subscribed("unlimited");
		const file = await plain(4, 4);
		await upload(service, file, "a.png", {}, { key: owned.app.key });
		expect(await checkout(owned, "pro")).toMatchObject({ effective: "at_renewal", url: null } as never);
		expect(await billing(owned)).toMatchObject({ plan: "unlimited", pending_plan: "pro" });
		await advanceTo(service, operator, (await periodEnd(owned)) + 1_000);
		expect(await billing(owned)).toMatchObject({ plan: "pro", pending_plan: null, status: "active" });
		expect((await invoices(owned))[0]).toMatchObject({ amount_paid: 2_000 });
		const images = await made<{ data: unknown[] }>(
			send(service, "GET", "/v1/images", undefined, { key: owned.app.key }),
		);
		expect(images.data).toHaveLength(1);
	});
});

describe("time", () => {
	test("a renewal is paid for every month, however far the clock is moved", async () => {
		const owned = await subscribed();
		const first = await periodEnd(owned);
		await advanceTo(service, operator, first + 65 * DAY_MS);
		expect(await billing(owned)).toMatchObject({ plan: "pro", status: "active" });
		expect((await invoices(owned)).map(({ amount_paid }) => amount_paid)).toEqual([2_000, 2_000, 2_000, 2_000]);
	});

	test("a renewal that fails leaves a grace of three days, then the App is on Free; what it holds stays", async () => {
		const owned = await subscribed();
		await upload(service, await plain(4, 4), "a.png", {}, { key: owned.app.key });
		await simulate(service, operator, await subscriptionId(owned.app), "decline");
		const end = await periodEnd(owned);
		await advanceTo(service, operator, end + 1_000);
		expect(await billing(owned)).toMatchObject({ plan: "pro", status: "grace" });
		expect(await usagePlan(owned.app)).toBe("pro");
		await advanceTo(service, operator, end + 3 * DAY_MS - 60_000);
		expect(await usagePlan(owned.app)).toBe("pro");
		await advanceTo(service, operator, end + 3 * DAY_MS + 60_000);
		expect(await billing(owned)).toMatchObject({ plan: "free", status: "inactive" });
		expect(await usagePlan(owned.app)).toBe("free");
		expect((await invoices(owned))[0]).toMatchObject({ status: "void" });
		const images = await made<{ data: unknown[] }>(
			send(service, "GET", "/v1/images", undefined, { key: owned.app.key }),
		);
		expect(images.data).toHaveLength(1);
	});

	test("another card ends the grace", async () => {
		const owned = await subscribed();
		await simulate(service, operator, await subscriptionId(owned.app), "bank_confirmation");
		await advanceTo(service, operator, (await periodEnd(owned)) + 1_000);
		expect(await billing(owned)).toMatchObject({ status: "grace" });
		const { url } = await made<{ url: string }>(act(owned, "payment_method"));
		await payAndReturn(service, url);
		expect(await billing(owned)).toMatchObject({ plan: "pro", status: "active" });
	});

	test("cancelled, the plan stays to the end of its term; resumed, it renews", async () => {
		const owned = await subscribed();
		expect(await made<Billing>(act(owned, "cancel"))).toMatchObject({ plan: "pro", cancel_at_period_end: true });
		expect(await made<Billing>(act(owned, "cancel"))).toMatchObject({ cancel_at_period_end: true });
		const moved = await errorOf(
			await send(service, "POST", at(owned.app, "/checkout"), { plan: "unlimited" }, owned.owner),
		);
		expect(moved.status).toBe(409);
		expect(await made<Billing>(act(owned, "resume"))).toMatchObject({ cancel_at_period_end: false });
		await made(act(owned, "cancel"));
		const end = await periodEnd(owned);
		await advanceTo(service, operator, end - 60_000);
		expect(await usagePlan(owned.app)).toBe("pro");
		await advanceTo(service, operator, end + 60_000);
		expect(await usagePlan(owned.app)).toBe("free");
		expect((await act(owned, "resume")).status).toBe(409);
		await payAndReturn(service, (await checkout(owned, "unlimited")).url);
		expect(await usagePlan(owned.app)).toBe("unlimited");
	});

	test("while the processor is silent the App keeps its plan, and what needs it is 503 with Retry-After", async () => {
		const owned = await subscribed();
		const id = await subscriptionId(owned.app);
		await simulate(service, operator, id, "silent");
		await advanceTo(service, operator, (await periodEnd(owned)) + 5 * DAY_MS);
		expect(await billing(owned)).toMatchObject({ plan: "pro", status: "unconfirmed" });
		expect(await usagePlan(owned.app)).toBe("pro");
		const answer = await act(owned, "cancel");
		expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "30"]);
		await simulate(service, operator, id, "pay");
		expect(await billing(owned)).toMatchObject({ plan: "pro", status: "active" });
	});

	test("what an operator gives stays over renewals", async () => {
		const owned = await subscribed();
		await setPlan(service.database, owned.app.id, "unlimited");
		await advanceTo(service, operator, (await periodEnd(owned)) + 60_000);
		expect(await usagePlan(owned.app)).toBe("unlimited");
	});
});

describe("who", () => {
	test("the Owner starts; Admin and Owner manage; Editor and Viewer look [roles.admin.own-plan-billing, roles.owner.own-plan-start]", async () => {
		const owned = await subscribed();
		for (const role of ["viewer", "editor", "admin"] as const) {
			const person = await addPerson(service.database);
			await addMember(service.database, owned.app, person, role);
			const its: Owned = { app: owned.app, owner: await signedIn(person.id) };
			expect(await billing(its)).toMatchObject({ plan: "pro" });
			const start = await errorOf(
				await send(service, "POST", at(owned.app, "/checkout"), { plan: "unlimited" }, its.owner),
			);
			expect([start.status, start.code]).toEqual([403, "forbidden"]);
			const allowed = role === "admin" ? 200 : 403;
			for (const what of ["cancel", "resume", "payment_method"]) expect((await act(its, what)).status).toBe(allowed);
			const listed = await send(service, "GET", at(owned.app, "/invoices"), undefined, its.owner);
			expect(listed.status).toBe(allowed);
		}
		for (const what of ["cancel", "resume", "payment_method"]) expect((await act(owned, what)).status).toBe(200);
		const outsider: Owned = { app: owned.app, owner: await signedIn((await addPerson(service.database)).id) };
		expect((await send(service, "GET", at(owned.app), undefined, outsider.owner)).status).toBe(404);
		expect((await act(outsider, "cancel")).status).toBe(404);
	});
});
