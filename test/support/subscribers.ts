import { userStatus } from "@svc/api/billing/billing-status";
import type { KeyCall } from "@svc/api/kit/call-types";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { addApp, connectUser, countOf, type TestApp, type TestUser } from "./apps.ts";
import { Browser, type Shown } from "./browser.ts";
import { addSession, as } from "./people.ts";
import { type Caller, send } from "./requests.ts";
import { addPlan, addPrice, type ManagedPrice, made, setSelling } from "./selling.ts";
import type { OpenService } from "./service.ts";

/* An App that sells, and its users at the billing card. */

export const CALLBACK = "https://shop.example/callback";
export const DAY_MS = 86_400_000;

export interface Shop {
	readonly app: TestApp;
	readonly owner: Caller;
	readonly silver: ManagedPrice;
	readonly gold: ManagedPrice;
	/** Silver with a trial of seven days. */
	readonly trial: ManagedPrice;
}

/** The clock moves on by months: nobody is signed out by it. */
export async function lastingSession(
	service: OpenService,
	accountId: string,
	kind: "web" | "console",
): Promise<string> {
	const secret = await addSession(service.database, accountId, { kind });
	await service.database.write([{ run: sql`UPDATE sessions SET expires_ms = ${4e12}, last_used_ms = ${4e12}` }]);
	return secret;
}

export async function openShop(service: OpenService): Promise<Shop> {
	const app = await addApp(service.database, "Shop");
	await setSelling(service.database, app.id);
	await service.database.write([
		{
			run: sql`INSERT INTO redirect_uris (id, app_pk, uri, created_ms)
				SELECT ${newId("red")}, pk, ${CALLBACK}, 0 FROM apps WHERE id = ${app.id}`,
		},
		{ run: sql`UPDATE apps SET sign_in = 1 WHERE id = ${app.id}` },
	]);
	const owner = as({ secret: await lastingSession(service, app.ownerId, "console") });
	const silver = await addPlan(service, app.id, owner, { key: "silver", name: "Silver", display_order: 1 });
	const gold = await addPlan(service, app.id, owner, { key: "gold", name: "Gold", display_order: 2 });
	return {
		app,
		owner,
		silver: await addPrice(service, app.id, silver.id, owner, { amount: 500 }),
		trial: await addPrice(service, app.id, silver.id, owner, { amount: 500, trial_days: 7 }),
		gold: await addPrice(service, app.id, gold.id, owner, { amount: 1_500 }),
	};
}

export interface Customer {
	readonly shop: Shop;
	readonly user: TestUser;
	readonly browser: Browser;
}

/** A connected user, signed in in a browser. */
export async function addCustomer(service: OpenService, shop: Shop, known?: TestUser): Promise<Customer> {
	const user = known ?? (await connectUser(service.database, shop.app));
	const browser = new Browser(service);
	const value = await lastingSession(service, user.accountId, "web");
	browser.cookies.set("session", { value, attributes: "SameSite=Lax" });
	return { shop, user, browser };
}

export function cardAddress({ app }: Shop, more: Readonly<Record<string, string>> = {}): string {
	return `/billing?${new URLSearchParams({ app: app.id, redirect_uri: CALLBACK, ...more })}`;
}

export function openCard({ browser, shop }: Customer, more: Readonly<Record<string, string>> = {}): Promise<Shown> {
	return browser.open(cardAddress(shop, more));
}

/** Presses a button of the card; where it leads. */
export async function press(
	customer: Customer,
	action: string,
	fields: Readonly<Record<string, string>> = {},
): Promise<Shown> {
	return await customer.browser.submit(await openCard(customer), `/billing/${action}`, fields);
}

/** Pays at the processor's page that a redirect leads to, and comes all the way back. */
export async function payAt({ browser }: Customer, redirected: Shown, card = "pays"): Promise<Shown> {
	const page = await browser.follow(redirected);
	const paid = await browser.submit(page, "/checkout/", { card });
	return paid.status === 303 ? await browser.follow(paid) : paid;
}

export async function subscribe(customer: Customer, price: ManagedPrice): Promise<Shown> {
	return await payAt(customer, await openCard(customer, { price_id: price.id }));
}

export interface Status {
	readonly object: string;
	readonly app: object;
	readonly purchasing_enabled: boolean;
	readonly trial_eligible: boolean;
	readonly has_subscribed: boolean;
	readonly access: { readonly plan_key: string | null; readonly status: string; readonly expires_at: string | null };
	readonly subscription: {
		readonly id: string;
		readonly object: string;
		readonly plan_key: string;
		readonly price_id: string;
		readonly status: string;
		readonly trial_end: string | null;
		readonly current_period_end: string;
		readonly cancel_at_period_end: boolean;
		readonly cancel_at: string | null;
		readonly pending_plan_key: string | null;
		readonly pending_effective_at: string | null;
	} | null;
	readonly billing_url: string;
}

export function readStatus(service: OpenService, { shop, user }: Pick<Customer, "shop" | "user">): Promise<Response> {
	return send(service, "GET", "/v1/billing/status", undefined, {
		key: shop.app.key,
		headers: { "X-Svc-User": user.id },
	});
}

/**
 * What an App is told of one of its users. The older interfaces tell it of a storage instead: there it is read by what the newest one answers
 * with.
 */
export async function statusOf(service: OpenService, customer: Pick<Customer, "shop" | "user">): Promise<Status> {
	const told = await made<Partial<Status>>(readStatus(service, customer));
	if (told.access !== undefined) return told as Status;
	const pk = await countOf(
		service.database,
		sql`SELECT storage_pk FROM connections WHERE user_id = ${customer.user.id}`,
	);
	const call = { access: { key: { reach: "user" }, storage: { pk } } } as unknown as KeyCall;
	return (await userStatus.read(service.rooms, call)) as Status;
}

export async function accessOf(service: OpenService, customer: Customer): Promise<string> {
	const { access } = await statusOf(service, customer);
	return [access.status, access.plan_key].filter(Boolean).join(" ");
}

/** As the App's team sees it. */
export async function invoicesOf(service: OpenService, { shop, user }: Customer) {
	const { data } = await made<{
		data: {
			user_id: string;
			invoices: { status: string; amount_due: number; amount_paid: number; amount_refunded: number }[];
		}[];
	}>(send(service, "GET", `/v1/apps/${shop.app.id}/subscriptions`, undefined, shop.owner));
	return data.filter(({ user_id }) => user_id === user.id).flatMap(({ invoices }) => invoices);
}

export async function mailsTo(
	service: OpenService,
	{ user }: Customer,
): Promise<{ template: string; facts: unknown }[]> {
	const rows = await service.database.read(() =>
		service.database.queries.values<[string, string]>(
			sql`SELECT template, facts FROM emails WHERE recipient = ${`${user.accountId.toLowerCase()}@example.com`} ORDER BY pk`,
		),
	);
	return rows.map(([template, facts]) => ({ template, facts: JSON.parse(facts) as unknown }));
}

/** Of somebody who pays. */
export async function subscriptionOf(service: OpenService, customer: Customer) {
	const { subscription } = await statusOf(service, customer);
	if (!subscription) throw new Error("no subscription");
	return subscription;
}

/** When what is paid for ends, in milliseconds since 1970. */
export async function periodEndOf(service: OpenService, customer: Customer): Promise<number> {
	return Date.parse((await subscriptionOf(service, customer)).current_period_end);
}
