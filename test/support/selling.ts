import type { Database } from "@svc/base/database/client";
import { sql } from "drizzle-orm";
import { addApp, type TestApp } from "./apps.ts";
import { addSession, as } from "./people.ts";
import { type Caller, send } from "./requests.ts";
import type { OpenService } from "./service.ts";

/* What Apps sell, made through the API as its Owner makes it. */

/** As an operator does on request. */
export async function setSelling(database: Database, appId: string, selling = true): Promise<void> {
	await database.write([{ run: sql`UPDATE apps SET selling = ${selling ? 1 : 0} WHERE id = ${appId}` }]);
}

/** A page of `GET /v1/billing/plans`, as far as it is compared. */
export interface Listed {
	readonly data: readonly {
		readonly id: string;
		readonly name: string;
		readonly prices: readonly { readonly id: string }[];
	}[];
	readonly pagination: { readonly next_cursor: string | null; readonly next_url: string | null };
}

/** An App with its Owner. */
export async function sellingApp(service: OpenService, selling = true): Promise<[TestApp, Caller]> {
	const shop = await addApp(service.database, "Shop");
	if (selling) await setSelling(service.database, shop.id);
	return [shop, as({ secret: await addSession(service.database, shop.ownerId) })];
}

export interface ManagedPrice {
	readonly id: string;
	readonly object: "price";
	readonly created_at: string;
	readonly amount: number;
	readonly currency: string;
	readonly interval: string;
	readonly trial_days: number;
	readonly on_sale: boolean;
}

export interface ManagedPlan {
	readonly id: string;
	readonly object: "plan";
	readonly key: string;
	readonly name: string;
	readonly archived_at: string | null;
	readonly prices: readonly ManagedPrice[];
}

export async function made<T>(answer: Promise<Response>): Promise<T> {
	const response = await answer;
	if (response.status >= 300) throw new Error(`${response.status} ${await response.text()}`);
	return (await response.json()) as T;
}

export function addPlan(
	service: OpenService,
	appId: string,
	owner: Caller,
	fields: Readonly<Record<string, unknown>>,
): Promise<ManagedPlan> {
	return made(send(service, "POST", `/v1/apps/${appId}/plans`, { name: "Gold", ...fields }, owner));
}

export function addPrice(
	service: OpenService,
	appId: string,
	planId: string,
	owner: Caller,
	terms: Readonly<Record<string, unknown>> = {},
): Promise<ManagedPrice> {
	const body = { amount: 499, currency: "usd", interval: "month", ...terms };
	return made(send(service, "POST", `/v1/apps/${appId}/plans/${planId}/prices`, body, owner));
}
