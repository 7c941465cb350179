import type { Database } from "@svc/base/database/client";
import type { Usage } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { send } from "./requests.ts";
import { made } from "./selling.ts";
import type { OpenService } from "./service.ts";
import type { Customer } from "./subscribers.ts";

/* Storages as they are after much more than a test can store. */

export async function setTier(database: Database, storageId: string, tier: string): Promise<void> {
	await database.write([{ run: sql`UPDATE storages SET tier = ${tier} WHERE id = ${storageId}` }]);
}

/** Of the month that holds `atMs`. */
export async function setUploads(
	database: Database,
	storageId: string,
	uploads: number,
	atMs = Date.now(),
): Promise<void> {
	const month = new Date(atMs).toISOString().slice(0, 7);
	await database.write([
		{
			run: sql`INSERT INTO monthly_usage (storage_pk, month, uploads) SELECT pk, ${month}, ${uploads} FROM storages WHERE id = ${storageId}
				ON CONFLICT DO UPDATE SET uploads = excluded.uploads`,
		},
	]);
}

export async function setBytes(database: Database, storageId: string, bytes: number): Promise<void> {
	await database.write([{ run: sql`UPDATE storages SET bytes = ${bytes} WHERE id = ${storageId}` }]);
}

/** The tier of a user's storage, as their App's backend reads it. */
export async function tierOf(service: OpenService, { user, shop: { app } }: Customer): Promise<string> {
	const caller = { key: app.key, headers: { "X-Svc-User": user.id } };
	const { plan, usage } = await made<{ plan: string; usage: Usage }>(
		send(service, "GET", "/v1/billing/status", undefined, caller),
	);
	if (usage.plan !== plan) throw new Error(`the status says ${plan}, the usage ${usage.plan}`);
	return plan;
}

/** Every row of every table, by name. Keys are left out: when one was used last is written down with every call. */
export async function contentsOf({ read, queries }: Database): Promise<Readonly<Record<string, readonly unknown[]>>> {
	const names = await read(() =>
		queries.values<[string]>(sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'keys' ORDER BY name`),
	);
	const contents: Record<string, readonly unknown[]> = {};
	for (const [name] of names) {
		contents[name] = await read(() => queries.values(sql`SELECT * FROM ${sql.identifier(name)}`));
	}
	return contents;
}
