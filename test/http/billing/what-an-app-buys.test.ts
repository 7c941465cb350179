import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ManagedSubscription, OwnPlan } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { payAndReturn } from "../../support/billing.ts";
import { send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { addCustomer, openShop, type Shop, subscribe } from "../../support/subscribers.ts";

/* What an App buys for itself is sold by the service: nobody is told that the App had sold it. */

describe.each([
	["current", "pro", "app_plan:pro:usd:2000"],
	["legacy", "scale", expect.stringMatching(/^prc_/)],
])("the own plan of an App, %s", (variant, plan, priceId) => {
	let service: OpenService;
	let shop: Shop;
	beforeAll(async () => {
		service = await openService({ SVC_VARIANT: variant });
		shop = await openShop(service);
		const path = `/v1/apps/${shop.app.id}/billing/checkout`;
		const { url } = await made<{ readonly url: string }>(send(service, "POST", path, { plan }, shop.owner));
		await payAndReturn(service, url);
		if (variant === "current") await subscribe(await addCustomer(service, shop), shop.silver);
	});
	afterAll(() => service.close());

	const listed = async <Item = ManagedSubscription>(path: string, caller = shop.owner) =>
		(await made<List<Item>>(send(service, "GET", path, undefined, caller))).data;
	const bySeller = (subscriptions: readonly ManagedSubscription[]) =>
		subscriptions.map(({ seller, plan_key, user_id }) => [seller.kind, plan_key, user_id === null]);
	const sold = variant === "current" ? [["app", "silver", false]] : [];

	test("is in no list of what the App sold, and no reading of it", async () => {
		const path = `/v1/apps/${shop.app.id}/subscriptions`;
		const data = await listed(path);
		expect(bySeller(data)).toEqual(sold);
		for (const { seller } of data) expect(seller).toEqual({ kind: "app", id: shop.app.id, name: "Shop" });
		const [own] = await listed<OwnPlan>("/v1/me/plans");
		expect((await send(service, "GET", `${path}/${own?.id}`, undefined, shop.owner)).status).toBe(404);
	});

	test("names the service as its seller where operators and its payer read it, and its price has an id", async () => {
		const every = await listed(`/v1/operator/subscriptions?app=${shop.app.id}`, { key: service.token });
		expect(bySeller(every)).toEqual([...sold, ["service", plan, true]]);
		expect(every.at(-1)).toMatchObject({ seller: { id: null }, price_id: priceId, price: { id: priceId } });
		for (const { price, price_id } of every) expect(price.id).toBe(price_id);
		const [own] = await listed<OwnPlan>("/v1/me/plans");
		expect(own).toMatchObject({ seller: { kind: "service" }, price: { id: priceId } });
	});
});
