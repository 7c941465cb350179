import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addUserKey, setAppState } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import { addHolder } from "../../support/own-storages.ts";
import { addSession } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { madeBefore, openService, serviceFor } from "../../support/service.ts";
import { addCustomer, openCard, openShop, payAt } from "../../support/subscribers.ts";
import { setUploads, tierOf } from "../../support/tiers.ts";

/* The plans of what people have, without an App that sends them to the card. */

const service = serviceFor({ SVC_VARIANT: "legacy" });
const shop = madeBefore(() => openShop(service));

const newCustomer = () => addCustomer(service, shop);

test("a person changes the plan of their own storage on the page that a refusal leads to [errors.legacy-upgrade-action]", async () => {
	const person = await addHolder(service);
	const file = await plain(6, 6);
	const browser = new Browser(service);
	const secret = await addSession(service.database, person.id, { kind: "web" });
	browser.cookies.set("session", { value: secret, attributes: "SameSite=Lax" });
	await service.database.write([
		{
			run: sql`UPDATE storages SET bytes = 10000000000
				WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${person.id})`,
		},
	]);
	const caller = { key: person.key };
	const { action } = (await errorOf(await upload(service, file, "a.png", {}, caller))) as { action?: object };
	expect(action).toEqual({ type: "upgrade", label: "Upgrade to Pro", url: "http://localhost:3000/account/plan" });
	const status = () =>
		made<{ plan: string; billing_url: string }>(send(service, "GET", "/v1/billing/status", undefined, caller));
	expect(await status()).toMatchObject({ plan: "free", billing_url: "http://localhost:3000/account/plan" });
	expect((await browser.open("/account")).links.get("Plan")).toBe("/account/plan");
	const card = await browser.open("/account/plan");
	expect([card.status, card.title]).toEqual([200, expect.stringContaining("own storage")]);
	const opened = await browser.submit(card, "/account/plan/checkout", { plan: "pro", interval: "annual" });
	const paid = await browser.submit(await browser.follow(opened), "/checkout/", { card: "pays" });
	expect((await browser.follow(paid)).location).toBe("http://localhost:3000/account?billing=success");
	expect((await status()).plan).toBe("pro");
	expect((await upload(service, file, "a.png", {}, caller)).status).toBe(201);
	const cancelled = await browser.submit(await browser.open("/account/plan"), "/account/plan/cancel");
	expect(cancelled.location).toBe("/account/plan?done=cancelled");
	expect((await browser.follow(cancelled)).html).toContain("Your plan is cancelled");
});

test("a user's own key leads its user to a page that needs no App, a paused one's too [errors.legacy-upgrade-action]", async () => {
	const own = await openShop(service);
	const customer = await addCustomer(service, own);
	await setUploads(service.database, customer.user.storageId, 1_000);
	const key = await addUserKey(service.database, own.app, customer.user);
	const { action } = (await errorOf(await upload(service, await plain(6, 6), "a.png", {}, { key }))) as {
		action?: { url?: string };
	};
	const path = `/account/apps/${own.app.id}/plan`;
	expect(action?.url).toBe(`http://localhost:3000${path}`);
	const card = await customer.browser.open(path);
	const chosen = { plan: "scale", interval: "monthly" };
	const back = await payAt(customer, await customer.browser.submit(card, `${path}/checkout`, chosen));
	expect([back.location, await tierOf(service, customer)]).toEqual([
		"http://localhost:3000/account?billing=success",
		"scale",
	]);
	const { forms } = await customer.browser.open(path);
	await setAppState(service.database, own.app.id, "paused");
	expect((await openCard(customer)).faultCode).toBe("app_unavailable");
	// Nothing is charged for an App that is away: a dearer plan would be.
	const dearer = { plan: "max", interval: "monthly" };
	const refused = await customer.browser.submit({ ...card, forms }, `${path}/switch`, dearer);
	expect([refused.status, refused.html.includes("This App is not available at present")]).toEqual([409, true]);
	await service.catchUpBilling();
	expect((await customer.browser.open(path)).html).toContain("Nothing is charged for your plan at present");
	const cancelled = await customer.browser.submit(await customer.browser.open(path), `${path}/cancel`);
	expect(cancelled.location).toBe(`${path}?done=cancelled`);
});

test("is for those alone who have something there", async () => {
	const [customer, stranger] = [await newCustomer(), await addCustomer(service, await openShop(service))];
	const path = `/account/apps/${shop.app.id}/plan`;
	expect((await stranger.browser.open(path)).status).toBe(403);
	expect((await stranger.browser.open("/account/plan")).status).toBe(403);
	for (const app of ["x", `app_${"0".repeat(22)}`]) {
		expect((await customer.browser.open(`/account/apps/${app}/plan`)).status).toBe(404);
	}
	const nobody = await new Browser(service).open(path);
	expect([nobody.status, nobody.html.includes("100 GB")]).toEqual([200, false]);
});

test("where nobody takes money the card says so, and has nothing to press", async () => {
	const free = await openService({ SVC_VARIANT: "legacy", SVC_MODE: "live" });
	const shown = await openCard(await addCustomer(free, await openShop(free)), { plan: "pro" });
	expect([shown.status, shown.forms, shown.html.includes("No plans are sold here")]).toEqual([200, [], true]);
	await free.close();
});
