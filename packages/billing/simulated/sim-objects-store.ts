import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { simObjects } from "@svc/base/database/schema/billing/processor";
import type { Step } from "@svc/base/database/step";
import type { SimKind } from "@svc/base/enumerations";
import { and, asc, eq, gt, isNotNull, lte } from "drizzle-orm";
import type { Simulated, SimulatedOutcome } from "../ports.ts";

/** One object that the simulated processor stores. */
export interface SimObject {
	readonly kind: SimKind;
	readonly id: string;
	/** The revision as it was read; 0 for a new object. */
	readonly revision: number;
	/** When something has to be done about it. */
	readonly dueMs: number | null;
	/** A JSON value. */
	readonly value: unknown;
}

interface SimulationEntry extends Simulated {
	readonly outcome: SimulatedOutcome;
}

function auditOf({ by, appPk, target, outcome }: SimulationEntry) {
	return auditBy(by, { appPk, event: "operator.billing_simulated", target, changes: { outcome } });
}

export type SimStore = ReturnType<typeof simStore>;

export function simStore(database: Database) {
	const { queries, read, write } = database;
	return {
		async find(kind: SimKind, id: string): Promise<SimObject | undefined> {
			const named = and(eq(simObjects.kind, kind), eq(simObjects.id, id));
			const [row] = await read(() => queries.select().from(simObjects).where(named));
			return row && toObject(row);
		},
		/** Lists objects that are due, soonest first. */
		async listDue(kind: SimKind, nowMs: number, limit: number): Promise<readonly SimObject[]> {
			const { dueMs } = simObjects;
			const due = and(eq(simObjects.kind, kind), lte(dueMs, nowMs), isNotNull(dueMs));
			const rows = await read(() => queries.select().from(simObjects).where(due).orderBy(asc(dueMs)).limit(limit));
			return rows.map(toObject);
		},
		/** Lists objects of a kind by their ids. */
		async list(kind: SimKind, afterId: string, limit: number): Promise<readonly SimObject[]> {
			const later = and(eq(simObjects.kind, kind), gt(simObjects.id, afterId));
			const rows = await read(() =>
				queries.select().from(simObjects).where(later).orderBy(asc(simObjects.id)).limit(limit),
			);
			return rows.map(toObject);
		},
		/** Saves all of them or none; false when one has changed since it was read. */
		async save(objects: readonly SimObject[], audited?: SimulationEntry): Promise<boolean> {
			const steps = objects.map((object) => saveStep(database, object));
			const { refused } = await write([...steps, ...(audited ? [{ run: auditOf(audited) }] : [])]);
			return refused === undefined;
		},
	};
}

type SimRow = typeof simObjects.$inferSelect;

function toObject({ value, ...row }: SimRow): SimObject {
	return { ...row, value: JSON.parse(value) as unknown };
}

function saveStep({ queries }: Database, { kind, id, revision, dueMs, value }: SimObject): Step<"moved"> {
	const fields = { revision: revision + 1, dueMs, value: JSON.stringify(value) } satisfies Partial<SimRow>;
	const asRead = and(eq(simObjects.kind, kind), eq(simObjects.id, id), eq(simObjects.revision, revision));
	const row = { kind, id, ...fields };
	const run =
		revision === 0
			? queries.insert(simObjects).values(row).onConflictDoNothing()
			: queries.update(simObjects).set(fields).where(asRead);
	return { run, guard: "moved" };
}
