import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeData } from "../../support/process.ts";
import { errorOf, send } from "../../support/requests.ts";
import { addPlan, addPrice, type ManagedPrice, made } from "../../support/selling.ts";
import { type OpenService, openService } from "../../support/service.ts";
import {
	addCustomer,
	type Customer,
	openCard,
	openShop,
	payAt,
	press,
	type Shop,
	statusOf,
	subscribe,
} from "../../support/subscribers.ts";

/* One data directory, served as one interface and then as another: what the service sold is never told as what an App sells. */

let dataDir: string;
let service: OpenService;
let shop: Shop;
let customer: Customer;
let ownPro: ManagedPrice;

const serve = async (variant: string): Promise<void> => {
	await service?.close();
	service = await openService({ SVC_DATA_DIR: dataDir, SVC_VARIANT: variant });
};

beforeAll(async () => {
	dataDir = await mkdtemp(join(tmpdir(), "svc-test-"));
	await serve("legacy");
	shop = await openShop(service);
	customer = await addCustomer(service, shop);
	await payAt(customer, await press(customer, "checkout", { plan: "pro", interval: "monthly" }));
	await serve("current");
	customer = await addCustomer(service, shop, customer.user);
	const plan = await addPlan(service, shop.app.id, shop.owner, { key: "pro", name: "Our Pro" });
	ownPro = await addPrice(service, shop.app.id, plan.id, shop.owner, { amount: 9_900 });
});

afterAll(async () => {
	await service.close();
	await removeData(dataDir);
});

const team = <T>(path: string) =>
	made<T>(send(service, "GET", `/v1/apps/${shop.app.id}/${path}`, undefined, shop.owner));
interface Listed {
	readonly data: readonly { readonly price_id: string; readonly ended_at: string | null }[];
}

describe("a tier that a user bought from the service", () => {
	test("is no plan of the App: status, user and subscriptions say the same", async () => {
		expect(await statusOf(service, customer)).toMatchObject({
			has_subscribed: false,
			access: { plan_key: null, status: "inactive", expires_at: null },
			subscription: null,
		});
		const user = await team<{ access: object }>(`users/${customer.user.id}`);
		expect(user.access).toEqual({ plan_key: null, status: "inactive", expires_at: null });
		expect((await team<Listed>("subscriptions")).data).toEqual([]);
		expect((await openCard(customer)).html).toContain("You have no plan here yet.");
	});

	test("keeps an App from being deleted unawares, and is not called a plan of it", async () => {
		const refused = await send(service, "DELETE", `/v1/apps/${shop.app.id}?confirm_name=Shop`, undefined, shop.owner);
		expect(refused.status).toBe(409);
		const { message } = (await errorOf(refused)) as { message: string };
		expect(message).toContain("cancel_subscriptions=true");
		expect(message).not.toContain("plans of this App");
	});

	test("stands beside a plan that they buy from the App", async () => {
		await subscribe(customer, ownPro);
		const { access, subscription } = await statusOf(service, customer);
		expect([access.status, access.plan_key, subscription?.price_id]).toEqual(["active", "pro", ownPro.id]);
		const { data } = await team<Listed>("subscriptions");
		expect(data).toMatchObject([{ price_id: ownPro.id, ended_at: null }]);
	});

	test("is theirs again where the service sells, whatever they bought from the App", async () => {
		await serve("legacy");
		customer = await addCustomer(service, shop, customer.user);
		const { html } = await openCard(customer);
		expect(html).toContain("Pro");
		expect(html).not.toContain("Our Pro");
		const caller = { key: shop.app.key, headers: { "X-Svc-User": customer.user.id } };
		expect(await made<object>(send(service, "GET", "/v1/billing/status", undefined, caller))).toMatchObject({
			plan: "pro",
		});
	});
});
