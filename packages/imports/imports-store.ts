import { storageFields, toApp } from "@svc/apps/team/memberships-store";
import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { importItems, imports } from "@svc/base/database/schema/work/imports";
import { jobs } from "@svc/base/database/schema/work/jobs";
import { columns, condition, olderThan, rowCondition, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { ImportItemState } from "@svc/base/enumerations";
import type { CallAccess } from "@svc/images/ports";
import type { Job, NewJob } from "@svc/jobs/jobs";
import { jobEntry, selectJobs, toJob } from "@svc/jobs/jobs-store";
import { mayStillWrite } from "@svc/keys/authority-store";
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Import, ImportItem, NewImport, NewItem, PlacedImport } from "./import.ts";
import { importRunStore } from "./run-store.ts";

/** Items that one statement writes: together they may have eight megabytes. */
const AT_ONCE = 100;
/** No list has as many: the number of an item falls as its place rises. */
const PLACES = 1_000_000;

interface Making {
	readonly made: NewImport;
	readonly job: NewJob;
	readonly items: readonly NewItem[];
}

export function importStore(database: Database) {
	return {
		...importRunStore(database),
		/** One guarded commit. "full" while the App has `most` that are not finished, "closed" for a caller who may not write any more. */
		create: createImport.bind(null, database),
		/** Undefined unless it is of that storage. */
		async find(storagePk: number, id: string): Promise<Import | undefined> {
			const named = and(eq(imports.id, id), eq(imports.storagePk, storagePk));
			const [row] = await database.read(() => database.queries.select().from(imports).where(named));
			return row;
		},
		findPlaced: findPlaced.bind(null, database),
		async list(storagePk: number, { limit, beforePk }: Span): Promise<readonly Job[]> {
			const where = and(eq(imports.storagePk, storagePk), olderThan(jobs.pk, beforePk));
			const select = selectJobs(database).innerJoin(imports, eq(imports.id, jobs.id)).where(where);
			return (await database.read(() => select.orderBy(desc(jobs.pk)).limit(limit))).map(toJob);
		},
		listItems: listItems.bind(null, database),
		/** What is queued becomes cancelled; "closed" for a caller who may not write any more. */
		async cancel({ pk, id, appPk }: Import, access: CallAccess, by: Actor): Promise<"closed" | undefined> {
			const queued = and(eq(importItems.importPk, pk), eq(importItems.state, "queued"));
			const { refused } = await database.write([
				condition(appPk, mayStillWrite(access), "closed"),
				updateStep(importItems, { state: "cancelled" }, queued),
				{ run: auditOnChange(by, { appPk, event: "import.cancelled", target: id }) },
			]);
			return refused;
		},
		/** Removes at most `limit` that were made before `beforeMs` and whose job is gone; returns how many. */
		async forget(beforeMs: number, limit: number): Promise<number> {
			const over = sql`${imports.createdMs} <= ${beforeMs}
				AND NOT EXISTS (SELECT 1 FROM ${jobs} WHERE ${jobs.id} = ${imports.id})`;
			const some = statements
				.select({ pk: imports.pk })
				.from(imports)
				.where(over)
				.orderBy(imports.createdMs)
				.limit(limit);
			const gone = statements.delete(imports).where(inArray(imports.pk, some)).returning({ pk: imports.pk });
			const { rows } = await database.write([{ run: gone }]);
			return rows?.[0]?.length ?? 0;
		},
	};
}

async function createImport(
	{ write }: Database,
	{ made, job, items }: Making,
	access: CallAccess,
	most: number,
	by: Actor,
): Promise<"full" | "closed" | undefined> {
	const { id, appPk, storagePk } = made;
	const storage = sql`${storages.pk} = ${storagePk} AND ${storages.teamHash} = ${access.storage.teamHash}
		AND ${storages.state} = 'active' AND ${mayStillWrite(access)}`;
	const unfinished = sql`SELECT count(*) FROM ${imports} JOIN ${jobs} ON ${jobs.id} = ${imports.id}
		WHERE ${imports.appPk} = ${appPk} AND ${jobs.state} IN ('queued', 'running')`;
	const { refused } = await write([
		rowCondition(storages.createdMs, storage, "closed"),
		rowCondition(apps.name, sql`${apps.pk} = ${appPk} AND (${unfinished}) < ${most}`, "full"),
		{ run: statements.insert(imports).values(made) },
		...itemSteps(id, items),
		{ run: jobEntry(job, by.nowMs) },
		updateStep(jobs, { total: items.length }, eq(jobs.id, id)),
		{ run: auditBy(by, { appPk, event: "import.created", target: id, changes: { items: items.length } }) },
	]);
	return refused;
}

function itemSteps(id: string, items: readonly NewItem[]): readonly Step<never>[] {
	const steps: Step<never>[] = [];
	const { importPk, place, url, fields, imageId, state } = importItems;
	for (let from = 0; from < items.length; from += AT_ONCE) {
		const json = JSON.stringify(items.slice(from, from + AT_ONCE));
		steps.push({
			run: sql`INSERT INTO ${importItems} (${columns(importPk, place, url, fields, imageId, state)})
				SELECT ${imports.pk}, ${from} + item.key, item.value ->> 'url', item.value -> 'fields', item.value ->> 'imageId', 'queued'
				FROM ${imports}, json_each(${json}) AS item WHERE ${imports.id} = ${id}`,
		});
	}
	return steps;
}

/** Undefined once its storage is gone. */
async function findPlaced({ queries, read }: Database, id: string): Promise<PlacedImport | undefined> {
	const reachable = sql<number>`(${storages.kind} <> 'user' OR EXISTS (SELECT 1 FROM ${connections}
		JOIN ${accounts} ON ${accounts.pk} = ${connections.accountPk}
		WHERE ${connections.storagePk} = ${storages.pk} AND ${connections.state} = 'connected' AND ${accounts.status} = 'active'))`;
	const [row] = await read(() =>
		queries
			.select({ made: imports, app: apps, storage: storageFields, reachable })
			.from(imports)
			.innerJoin(apps, eq(apps.pk, imports.appPk))
			.innerJoin(storages, eq(storages.pk, imports.storagePk))
			.where(eq(imports.id, id)),
	);
	return row && { made: row.made, app: toApp(row.app), storage: row.storage, isReachable: row.reachable === 1 };
}

async function listItems(
	{ queries, read }: Database,
	pk: number,
	{ limit, beforePk, state }: Span & { readonly state?: ImportItemState | undefined },
): Promise<readonly ImportItem[]> {
	const after = beforePk === undefined ? undefined : sql`${importItems.place} > ${PLACES - beforePk}`;
	const where = and(eq(importItems.importPk, pk), state && eq(importItems.state, state), after);
	const { place, url, imageId, error } = importItems;
	const select = queries.select({ place, url, state: importItems.state, imageId, error }).from(importItems);
	const rows = await read(() => select.where(where).orderBy(place).limit(limit));
	return rows.map((row) => ({
		...row,
		pk: PLACES - row.place,
		imageId: row.state === "created" ? row.imageId : null,
	}));
}
