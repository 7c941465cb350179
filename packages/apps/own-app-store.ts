import { auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps, storages } from "@svc/base/database/schema/apps";
import { eq, sql } from "drizzle-orm";
import { storageFields, toApp } from "./app-rows-store.ts";
import type { NewOwnApp, OwnApp } from "./own-app.ts";

export interface OwnAppStore {
	/** As they are now; undefined before they were made. */
	find(): Promise<OwnApp | undefined>;
	/** Harmless where they are there already. */
	create(ownApp: NewOwnApp, nowMs: number): Promise<void>;
}

/** The service's own App; null where there is none. */
export const OWN_APP_PK = sql`(SELECT app_pk FROM storages WHERE kind = 'anonymous')`;

/** The anonymous pool tells which App is the service's own: there is one pool at most. */
export function ownAppStore({ queries, read, write }: Database): OwnAppStore {
	const find = queries
		.select({ app: apps, pool: storageFields })
		.from(storages)
		.innerJoin(apps, eq(apps.pk, storages.appPk))
		.where(sql`${storages.kind} = 'anonymous'`)
		.prepare();
	return {
		async find() {
			const [row] = await read(() => find.all());
			return row && { app: toApp(row.app), pool: row.pool };
		},
		async create({ appId, name, nameFold, storageId, teamHash }, nowMs) {
			const appPk = sql`(SELECT pk FROM apps WHERE id = ${appId})`;
			await write([
				{
					run: sql`INSERT INTO apps (id, name, name_fold, plan, created_ms)
						SELECT ${appId}, ${name}, ${nameFold}, 'unlimited', ${nowMs}
						WHERE NOT EXISTS (SELECT 1 FROM storages WHERE kind = 'anonymous')`,
					guard: "there",
				},
				{ run: sql`INSERT INTO app_usage (app_pk) VALUES (${appPk})` },
				{
					run: sql`INSERT INTO storages (id, app_pk, kind, team_hash, state, created_ms, public_by_default)
						VALUES (${storageId}, ${appPk}, 'anonymous', ${teamHash}, 'active', ${nowMs}, 1)`,
				},
				{ run: auditEntry({ atMs: nowMs, actor: "service", appPk: null, event: "app.created", target: appId }) },
			]);
		},
	};
}
