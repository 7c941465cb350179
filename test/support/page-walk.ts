import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { connectUser } from "./apps.ts";
import { Browser } from "./browser.ts";
import { codeFor, connectLink, wrong } from "./connect.ts";
import { CONSOLE_STOPS } from "./console-walk.ts";
import { mailedFacts } from "./mail.ts";
import { OPERATOR_STOPS } from "./operators-walk.ts";
import { addPerson, addSession, as } from "./people.ts";
import { plain } from "./pictures.ts";
import { send, uploaded } from "./requests.ts";
import { addPrice, made } from "./selling.ts";
import type { StartedService } from "./service.ts";
import { startLogin, verify } from "./sign-in.ts";
import {
	CALLBACK,
	type Customer,
	cardAddress,
	lastingSession,
	openShop,
	payAt,
	press,
	type Shop,
} from "./subscribers.ts";

/* A way through every hosted page, in each of its states. */

/** What there is to see: an App with a profile that sells, and somebody who has a bit of everything. */
export interface Scene {
	readonly service: StartedService;
	readonly variant: string;
	readonly shop: Shop;
	readonly customer: Customer;
	readonly email: string;
	readonly plan: string;
	readonly invoice: string;
	readonly imageId: string;
	readonly imageUrl: string;
}

/** A page in one state. `by` gets a browser without cookies, or that of the person who has a bit of everything. */
export interface Stop {
	readonly name: string;
	readonly signedIn?: boolean;
	readonly variants?: readonly string[];
	/** The route of the page that is come to, where `at` does not say it. */
	readonly route?: string;
	/** Its path; left out where one comes there by a form. */
	readonly at?: (scene: Scene) => string;
	readonly by?: (page: Page, scene: Scene) => Promise<unknown>;
}

export async function setScene(service: StartedService, variant: string): Promise<Scene> {
	const shop = await openShop(service);
	const { id: logo } = await uploaded(service, await plain(96, 96), "logo.png", {}, { key: shop.app.key });
	const profile = {
		...{ developer: "Ada Press Verlagsgesellschaft mbH", homepage_url: "https://shop.example/" },
		...{ privacy_url: "https://shop.example/privacy", terms_url: "https://shop.example/terms" },
		...{ support_email: "help@shop.example", logo_image_id: logo, accent_color: "#e4572e" },
	};
	await made(send(service, "PATCH", `/v1/apps/${shop.app.id}`, { profile }, shop.owner));
	await addYearly(service, shop);
	const customer = await addBuyer(service, shop);
	const choice = variant === "legacy" ? { plan: "pro", interval: "monthly" } : { price_id: shop.silver.id };
	await payAt(customer, await press(customer, "checkout", choice));
	const session = as({ secret: await addSession(service.database, customer.user.accountId) });
	await made(
		send(
			service,
			"POST",
			"/v1/tokens",
			{ name: "Laptop", scopes: ["apps:read", "keys:write"], expires_in: 86_400 * 30 },
			session,
		),
	);
	const plans = await made<{ data: { id: string }[] }>(send(service, "GET", "/v1/me/plans", undefined, session));
	const plan = plans.data[0]?.id ?? "";
	const invoices = await made<{ data: { id: string }[] }>(
		send(service, "GET", `/v1/me/plans/${plan}/invoices`, undefined, session),
	);
	const caller = { key: shop.app.key, headers: { "X-Svc-User": customer.user.id } };
	const { id: imageId, url: imageUrl } = await uploaded(service, await plain(640, 420), "moths.png", {}, caller);
	return {
		...{ service, variant, shop, customer, plan, imageId, imageUrl },
		email: `${customer.user.accountId.toLowerCase()}@example.com`,
		invoice: invoices.data[0]?.id ?? "",
	};
}

/** So that there is something to choose between: Gold by the year as well. */
async function addYearly(service: StartedService, { app, owner }: Shop): Promise<void> {
	const path = `/v1/apps/${app.id}/plans`;
	const { data } = await made<{ data: { id: string; key: string }[] }>(send(service, "GET", path, undefined, owner));
	const gold = data.find(({ key }) => key === "gold")?.id ?? "";
	await addPrice(service, app.id, gold, owner, { amount: 15_000, interval: "year" });
}

/** Somebody who is connected to the App and signed in, at the address at which the service listens. */
async function addBuyer(service: StartedService, shop: Shop): Promise<Customer> {
	const user = await connectUser(service.database, shop.app);
	const email = sql`(SELECT email_norm FROM accounts WHERE pk = account_pk)`;
	await service.database.write([
		{ run: sql`UPDATE connections SET email_at_consent = ${email} WHERE user_id = ${user.id}` },
	]);
	const browser = new Browser(service, service.baseUrl);
	const value = await lastingSession(service, user.accountId, "web");
	browser.cookies.set("session", { value, attributes: "SameSite=Lax" });
	return { shop, user, browser };
}

async function typeEmail(page: Page, { service }: Scene, path: string): Promise<string> {
	const email = `${newId("acc").toLowerCase().slice(4, 12)}@example.com`;
	await page.goto(service.baseUrl + path);
	await page.fill("#email", email);
	await page.click("main button.primary");
	return email;
}

/** The page that follows the wrong code. */
async function typeWrong(page: Page, scene: Scene, path: string): Promise<void> {
	const email = await typeEmail(page, scene, path);
	await page.fill("#code", wrong(await codeFor(scene.service.database, email)));
	await page.click("main button.primary");
}

async function askLink(page: Page, scene: Scene, path: string, steps: 1 | 2 | 3): Promise<void> {
	const { service } = scene;
	const email = `${newId("acc").toLowerCase().slice(4, 12)}@example.com`;
	for (let login = 0; login < 2; login++) {
		const started = await startLogin(service, email);
		const code = wrong(await codeFor(service.database, email));
		for (let tries = 0; tries < 5; tries++) await verify(service, started, code);
	}
	await page.goto(service.baseUrl + path);
	await page.fill("#email", email);
	await page.click("main button.primary");
	if (steps > 1) await page.click('form[action*="/link"] button');
	// Loaded whole: what is opened next would break it off.
	if (steps > 1) await page.waitForURL(/\/link\?/);
	if (steps > 2) await page.goto(await linkFor(service, email));
}

async function linkFor({ database }: StartedService, email: string): Promise<string> {
	return (await mailedFacts(database, sql`recipient = ${email}`)).at(-1)?.facts.link ?? "";
}

const connect = ({ shop }: Scene) => connectLink(shop.app, { redirectUri: CALLBACK });
const sections = [
	"apps",
	"plans",
	"security",
	"developer",
	"sessions",
	"tokens",
	"passkeys",
	"address",
	"language",
	"activity",
	"export",
	"delete",
];
const onApps = ["current", "transition"];

export const STOPS: readonly Stop[] = [
	...CONSOLE_STOPS,
	...OPERATOR_STOPS,
	{ name: "home", at: () => "/" },
	{ name: "no such page", at: () => "/nowhere" },
	{ name: "sign-in", at: () => "/account" },
	{ name: "sign-in, code", by: (page, scene) => typeEmail(page, scene, "/account") },
	{ name: "sign-in, wrong code", by: (page, scene) => typeWrong(page, scene, "/account") },
	{ name: "sign-in, locked", by: (page, scene) => askLink(page, scene, "/account", 1) },
	{ name: "sign-in, link sent", route: "/account/link", by: (page, scene) => askLink(page, scene, "/account", 2) },
	{ name: "sign-in, link opened", by: (page, scene) => askLink(page, scene, "/account", 3) },
	{ name: "sign-in over", at: () => "/account/code?login=log_x" },
	{ name: "link over", at: () => "/account/link/bcd?login=log_x" },
	{ name: "connect", at: connect },
	{ name: "connect, code", route: "/connect/code", by: (page, scene) => typeEmail(page, scene, connect(scene)) },
	{ name: "connect, wrong code", by: (page, scene) => typeWrong(page, scene, connect(scene)) },
	{ name: "connect, locked", by: (page, scene) => askLink(page, scene, connect(scene), 1) },
	{ name: "connect, link sent", route: "/connect/link", by: (page, scene) => askLink(page, scene, connect(scene), 2) },
	{
		name: "connect, link opened",
		route: "/connect/link/:token",
		by: (page, scene) => askLink(page, scene, connect(scene), 3),
	},
	{ name: "connect, connected", signedIn: true, at: connect },
	{
		name: "connect, signed in",
		by: async (page, scene) => {
			const { id } = await addPerson(scene.service.database);
			const value = await lastingSession(scene.service, id, "web");
			await page.context().addCookies([{ name: "session", value, url: scene.service.baseUrl }]);
			await page.goto(scene.service.baseUrl + connect(scene));
		},
	},
	{ name: "connect, no such App", at: () => "/connect?app=app_x&redirect_uri=https%3A%2F%2Fshop.example" },
	{ name: "connect, other callback", at: (scene) => `${connect(scene)}%2F` },
	{ name: "sign-in before the card", at: ({ shop }) => cardAddress(shop) },
	{ name: "card", signedIn: true, at: ({ shop }) => cardAddress(shop) },
	{
		name: "card, nothing bought",
		by: async (page, { service, shop }) => {
			const { browser } = await addBuyer(service, shop);
			await page
				.context()
				.addCookies([{ name: "session", value: browser.cookies.get("session")?.value ?? "", url: service.baseUrl }]);
			await page.goto(service.baseUrl + cardAddress(shop));
		},
	},
	{
		name: "checkout",
		route: "/checkout/:ref",
		by: async (page, { service, shop, variant }) => {
			const customer = await addBuyer(service, shop);
			const choice = variant === "legacy" ? { plan: "pro", interval: "monthly" } : { price_id: shop.silver.id };
			await page.goto((await press(customer, "checkout", choice)).location);
		},
	},
	{
		name: "checkout, the bank asks",
		variants: onApps,
		by: async (page, { service, shop }) => {
			const customer = await addBuyer(service, shop);
			await page.goto((await press(customer, "checkout", { price_id: shop.trial.id })).location);
			await page.check('input[value="needs_bank"]');
			await page.click("main button.primary");
		},
	},
	{
		name: "card, change of plan",
		signedIn: true,
		variants: onApps,
		by: async (page, { service, shop }) => {
			await page.goto(service.baseUrl + cardAddress(shop));
			await page.click("details.ask:last-of-type summary.button");
		},
	},
	{
		name: "payment method",
		signedIn: true,
		by: async (page, { service, plan }) => {
			await page.goto(`${service.baseUrl}/account/plans/${plan}`);
			await page.click('form[action$="/payment-method"] button');
		},
	},
	{ name: "payment method, back", at: () => "/billing/return?subscription=sub_x" },
	{ name: "account", signedIn: true, at: () => "/account" },
	...sections.map((id) => ({ name: `account, ${id}`, signedIn: true, at: () => `/account/${id}` })),
	{ name: "keys", signedIn: true, at: ({ shop }) => `/account/apps/${shop.app.id}/keys` },
	{
		name: "keys, a new one",
		signedIn: true,
		by: async (page, { service, shop }) => {
			await page.goto(`${service.baseUrl}/account/apps/${shop.app.id}/keys`);
			await page.fill("#name", "Backup at home");
			await page.click("main form button.primary");
		},
	},
	{ name: "disconnect", signedIn: true, at: ({ shop }) => `/account/apps/${shop.app.id}/disconnect` },
	{ name: "plan", signedIn: true, at: ({ plan }) => `/account/plans/${plan}` },
	{ name: "plan, cancel", signedIn: true, at: ({ plan }) => `/account/plans/${plan}/cancel` },
	{ name: "plan, withdraw", signedIn: true, at: ({ plan }) => `/account/plans/${plan}/withdraw` },
	{ name: "receipt", signedIn: true, at: ({ invoice }) => `/account/invoices/${invoice}` },
	{
		name: "address, code",
		route: "/account/address/code",
		by: async (page, { service }) => {
			const { id } = await addPerson(service.database);
			const value = await lastingSession(service, id, "web");
			await page.context().addCookies([{ name: "session", value, url: service.baseUrl }]);
			await page.goto(`${service.baseUrl}/account/address`);
			await page.fill("#email", "another.and.rather.long.address@example.com");
			await page.click("main form:not(.languages) button:not(.plain)");
		},
	},
	{ name: "address, taken back before", at: () => "/account/undo/x" },
	{ name: "not me, over", at: () => "/account/not-me/x" },
	{
		name: "step-up",
		route: "/account/confirm",
		signedIn: true,
		by: async (page, { service, customer }) => {
			await service.database.write([
				{
					run: sql`UPDATE sessions SET fresh_ms = 0 WHERE kind = 'web' AND account_pk = (SELECT pk FROM accounts WHERE id = ${customer.user.accountId})`,
				},
			]);
			await page.goto(`${service.baseUrl}/account/address`);
			await page.fill("#email", "a.new.and.rather.long.address@example.com");
			await page.click("main form:not(.languages) button:not(.plain)");
		},
	},
	{
		name: "invitation",
		by: async (page, { service, shop }) => {
			const email = "invited@example.com";
			await made(send(service, "POST", `/v1/apps/${shop.app.id}/invites`, { email, role: "editor" }, shop.owner)).catch(
				() => undefined,
			);
			await page.goto(await linkFor(service, email));
		},
	},
	{ name: "invitation over", at: () => "/invites/inv_x?token=y" },
	{ name: "report", at: ({ imageId }) => `/report/${imageId}` },
	{
		name: "report, picture",
		at: ({ imageId, imageUrl }) => `/report/${imageId}?${new URLSearchParams({ picture: imageUrl })}`,
	},
	{
		name: "report, sent",
		by: async (page, { service, imageId }) => {
			await page.goto(`${service.baseUrl}/report/${imageId}`);
			await page.check("input[type=radio]");
			await page.click("main form button.primary");
		},
	},
	{ name: "account deleted", at: () => "/account/deleted" },
	{ name: "own keys", signedIn: true, variants: ["legacy"], at: () => "/account/keys" },
	{ name: "own plan", signedIn: true, variants: ["legacy"], at: () => "/account/plan" },
	...["plan", "own-plan"].map((card) => ({
		name: `own ${card} of an App`,
		route: `/account/apps/:app/${card}`,
		variants: ["legacy"],
		by: async (page: Page, { service, shop }: Scene) => {
			const value = await lastingSession(service, shop.app.ownerId, "web");
			await page.context().addCookies([{ name: "session", value, url: service.baseUrl }]);
			await page.goto(`${service.baseUrl}/account/apps/${shop.app.id}/${card}`);
		},
	})),
];

/** Goes there. */
export async function goTo(page: Page, scene: Scene, { at, by }: Stop): Promise<void> {
	if (at) await page.goto(scene.service.baseUrl + at(scene));
	await by?.(page, scene);
}
