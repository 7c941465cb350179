import type { Database, Step } from "@svc/base/database/client";
import { simObjects } from "@svc/base/database/schema/billing";
import type { SimKind } from "@svc/base/enumerations";
import { and, asc, eq, lte, sql } from "drizzle-orm";

/** One thing that the simulated processor knows. */
export interface SimObject {
	readonly kind: SimKind;
	readonly id: string;
	/** As it was read; 0 for a new one. */
	readonly revision: number;
	/** When something has to be done about it. */
	readonly dueMs: number | null;
	/** Of JSON. */
	readonly value: unknown;
}

export interface SimStore {
	find(kind: SimKind, id: string): Promise<SimObject | undefined>;
	/** Soonest first. */
	listDue(kind: SimKind, nowMs: number, limit: number): Promise<readonly SimObject[]>;
	/** All of them or none; false when one is not any more as it was read. */
	save(objects: readonly SimObject[]): Promise<boolean>;
}

export function simStore({ queries, read, write }: Database): SimStore {
	return {
		async find(kind, id) {
			const [row] = await read(() =>
				queries
					.select()
					.from(simObjects)
					.where(and(eq(simObjects.kind, kind), eq(simObjects.id, id))),
			);
			return row && toObject(row);
		},
		async listDue(kind, nowMs, limit) {
			const rows = await read(() =>
				queries
					.select()
					.from(simObjects)
					.where(and(eq(simObjects.kind, kind), lte(simObjects.dueMs, nowMs), sql`due_ms IS NOT NULL`))
					.orderBy(asc(simObjects.dueMs))
					.limit(limit),
			);
			return rows.map(toObject);
		},
		async save(objects) {
			const { refused } = await write(objects.map(saveStep));
			return refused === undefined;
		},
	};
}

function toObject({ value, ...row }: typeof simObjects.$inferSelect): SimObject {
	return { ...row, value: JSON.parse(value) as unknown };
}

function saveStep({ kind, id, revision, dueMs, value }: SimObject): Step<"moved"> {
	const json = JSON.stringify(value);
	const run =
		revision === 0
			? sql`INSERT INTO sim_objects (kind, id, revision, due_ms, value) VALUES (${kind}, ${id}, 1, ${dueMs}, ${json})
				ON CONFLICT DO NOTHING`
			: sql`UPDATE sim_objects SET revision = revision + 1, due_ms = ${dueMs}, value = ${json}
				WHERE kind = ${kind} AND id = ${id} AND revision = ${revision}`;
	return { run, guard: "moved" };
}
