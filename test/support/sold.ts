import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import type { TestApp } from "./apps.ts";
import { as, type TestPerson } from "./people.ts";
import { send } from "./requests.ts";
import { addPlan, addPrice, type ManagedPrice, made, setSelling } from "./selling.ts";
import type { OpenService } from "./service.ts";
import { addCustomer, CALLBACK, subscribe } from "./subscribers.ts";

/* A plan of any App that somebody has bought. */

export interface Sold {
	readonly plan: string;
	readonly price: ManagedPrice;
	/** Of who bought it. */
	readonly subscription: string;
	readonly invoice: string;
}

interface Selling {
	readonly appId: string;
	readonly owner: Pick<TestPerson, "secret">;
}

/** A plan that nobody has bought, with a price on sale: 5 dollars a month. */
export async function onSale(service: OpenService, { appId, owner }: Selling): Promise<Pick<Sold, "plan" | "price">> {
	await setSelling(service.database, appId);
	const key = `sold-${newId("pln").slice(4, 12).toLowerCase()}`;
	const { id: plan } = await addPlan(service, appId, as(owner), { key, name: "Sold" });
	return { plan, price: await addPrice(service, appId, plan, as(owner), { amount: 500 }) };
}

export async function sold(service: OpenService, selling: Selling): Promise<Sold> {
	const { appId, owner } = selling;
	const { plan, price } = await onSale(service, selling);
	await service.database.write([
		{ run: sql`UPDATE apps SET sign_in = 1 WHERE id = ${appId}` },
		{
			run: sql`INSERT INTO redirect_uris (id, app_pk, uri, created_ms)
				SELECT ${newId("red")}, pk, ${CALLBACK}, 0 FROM apps WHERE id = ${appId} ON CONFLICT DO NOTHING`,
		},
	]);
	const shop = { app: { id: appId } as TestApp, owner: as(owner), silver: price, gold: price, trial: price };
	await subscribe(await addCustomer(service, shop), price);
	const list = send(service, "GET", `/v1/apps/${appId}/subscriptions?limit=1`, undefined, as(owner));
	const { data } = await made<{ data: readonly { id: string; invoices: readonly { id: string }[] }[] }>(list);
	return { plan, price, subscription: data[0]?.id ?? "none", invoice: data[0]?.invoices[0]?.id ?? "none" };
}
