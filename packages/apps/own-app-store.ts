import { auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps, appUsage, storages } from "@svc/base/database/schema/apps";
import { columns, statements } from "@svc/base/database/statements";
import { eq, sql } from "drizzle-orm";
import type { App, Storage } from "./access.ts";
import type { NewApp } from "./app-record.ts";
import { storageFields, toApp } from "./team/memberships-store.ts";

/**
 * The service's own App. Its team is empty; it holds what belongs to no other App: the pool of anonymous images, and the storages
 * that people have of their own.
 */
export interface OwnApp {
	readonly app: App;
	/** The storage for all creates without a key. */
	readonly pool: Storage;
}

/** The service's own App; null where there is none. */
export const OWN_APP_PK = sql`(SELECT ${storages.appPk} FROM ${storages} WHERE ${storages.kind} = 'anonymous')`;

export type OwnAppStore = ReturnType<typeof ownAppStore>;

/** The anonymous pool tells which App is the service's own: there is one pool at most. */
export function ownAppStore({ queries, read, write }: Database) {
	const find = queries
		.select({ app: apps, pool: storageFields })
		.from(storages)
		.innerJoin(apps, eq(apps.pk, storages.appPk))
		.where(sql`${storages.kind} = 'anonymous'`)
		.prepare();
	return {
		/** The service's App as it is now; undefined before it was made. */
		async find(): Promise<OwnApp | undefined> {
			const [row] = await read(() => find.all());
			return row && { app: toApp(row.app), pool: row.pool };
		},
		/** Harmless where they exist already. */
		async create({ storageId, teamHash, ...app }: NewApp, createdMs: number): Promise<void> {
			const appPk = sql`(SELECT ${apps.pk} FROM ${apps} WHERE ${apps.id} = ${app.id})`;
			const pool = { id: storageId, appPk, kind: "anonymous", teamHash, state: "active", createdMs } as const;
			await write([
				{ run: insertApp(app, createdMs), guard: "there" },
				{ run: statements.insert(appUsage).values({ appPk }) },
				{ run: statements.insert(storages).values({ ...pool, publicByDefault: true }) },
				{ run: auditEntry({ atMs: createdMs, actor: "service", appPk: null, event: "app.created", target: app.id }) },
			]);
		},
	};
}

/** Touches no row where there is a pool. */
function insertApp({ id, name, nameFold }: Pick<NewApp, "id" | "name" | "nameFold">, createdMs: number) {
	return sql`INSERT INTO ${apps} (${columns(apps.id, apps.name, apps.nameFold, apps.plan, apps.createdMs)})
		SELECT ${id}, ${name}, ${nameFold}, 'unlimited', ${createdMs}
		WHERE NOT EXISTS (SELECT 1 FROM ${storages} WHERE ${storages.kind} = 'anonymous')`;
}
