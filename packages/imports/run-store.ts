import type { Database } from "@svc/base/database/client";
import { importItems } from "@svc/base/database/schema/work/imports";
import { jobs } from "@svc/base/database/schema/work/jobs";
import { returned, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { ImportItemState } from "@svc/base/enumerations";
import { newEvent } from "@svc/events/event-entries-store";
import { snapshotOf } from "@svc/events/snapshots-store";
import type { CreateFields } from "@svc/images/create/create-request";
import type { JobLease } from "@svc/jobs/jobs";
import { leaseStep } from "@svc/jobs/jobs-store";
import { and, count, eq, sql } from "drizzle-orm";
import type { Import } from "./import.ts";
import type { WaitingItem } from "./line.ts";

/** An item of an import. */
export interface ItemPlace {
	readonly importPk: number;
	readonly place: number;
}

/** What an item's image is made with. */
export interface StartedItem {
	readonly imageId: string;
	readonly fields: CreateFields;
}

/** Every method that takes a lease changes nothing once another worker has the job. */
export function importRunStore({ queries, read, write }: Database) {
	const move = async (
		item: ItemPlace,
		lease: JobLease,
		to: Partial<typeof importItems.$inferInsert>,
		done: number,
		nowMs: number,
	) => {
		const { refused } = await write([leaseStep({ lease, done, nowMs }), updateStep(importItems, to, isRunning(item))]);
		return refused;
	};
	return {
		/** Puts back what an earlier try had begun. */
		async begin(importPk: number, lease: JobLease, nowMs: number): Promise<"lost" | undefined> {
			const begun = and(eq(importItems.importPk, importPk), eq(importItems.state, "running"));
			const { refused } = await write([
				leaseStep({ lease, done: 0, nowMs }),
				updateStep(importItems, { state: "queued" }, begun),
			]);
			return refused;
		},
		/** All that are left, in their order. */
		async listQueued(importPk: number): Promise<readonly WaitingItem[]> {
			const { place, url, state, tries, sinceMs, dueMs } = importItems;
			const where = and(eq(importItems.importPk, importPk), eq(state, "queued"));
			const select = queries.select({ place, url, tries, sinceMs, dueMs }).from(importItems);
			return await read(() => select.where(where).orderBy(place));
		},
		/** "gone" for one that was cancelled meanwhile. */
		async start(item: ItemPlace, lease: JobLease, nowMs: number): Promise<StartedItem | "lost" | "gone"> {
			const { imageId, fields } = importItems;
			const queued = and(isPlace(item), eq(importItems.state, "queued"));
			const begin = statements.update(importItems).set({ state: "running" }).where(queued);
			const written = await write([
				leaseStep({ lease, done: 0, nowMs }),
				{ run: begin.returning(returned({ imageId, fields })), guard: "gone" },
			]);
			if (written.refused !== undefined) return written.refused;
			const row = written.rows?.[1]?.[0] as { readonly imageId: string; readonly fields: string };
			return { imageId: row.imageId, fields: JSON.parse(row.fields) };
		},
		/** For another try later. */
		putBack: (item: ItemPlace, lease: JobLease, tried: Omit<WaitingItem, "place" | "url">, nowMs: number) =>
			move(item, lease, { state: "queued", ...tried }, 0, nowMs),
		fail: (item: ItemPlace, lease: JobLease, error: Readonly<Record<string, unknown>>, nowMs: number) =>
			move(item, lease, { state: "failed", error }, 1, nowMs),
		/** How many items are in each state. */
		async countItems(importPk: number): Promise<ReadonlyMap<ImportItemState, number>> {
			const { state } = importItems;
			const select = queries.select({ state, items: count() }).from(importItems);
			const rows = await read(() => select.where(eq(importItems.importPk, importPk)).groupBy(state));
			return new Map(rows.map((row) => [row.state, row.items]));
		},
	};
}

/** The steps of an image's commit by which its item is made: refused once another worker has the job. */
export function madeSteps(item: ItemPlace, lease: JobLease, nowMs: number): readonly Step<"withdrawn">[] {
	return [
		{ run: leaseStep({ lease, done: 1, nowMs }).run, guard: "withdrawn" },
		updateStep(importItems, { state: "created" }, isRunning(item), "withdrawn"),
	];
}

const { id, state, done, total, failure, createdMs, endedMs } = jobs;
/** What an event keeps of the job that has ended, besides its result. */
export const jobKept = { id, state, done, total, failure, createdMs, endedMs };
const SNAPSHOT = sql`json_object('object', json_set(${snapshotOf(jobKept)}, '$.result', json(${jobs.result})))`;

/** Behind the end of its job, in the same commit. */
export function doneSteps({ id, appPk, userId, requestId }: Import, nowMs: number): readonly Step[] {
	const event = { type: "import.done", appPk, userId, subject: id, data: SNAPSHOT } as const;
	return [newEvent({ nowMs, requestId }, event, sql`FROM ${jobs} WHERE ${jobs.id} = ${id}`)];
}

function isPlace({ importPk, place }: ItemPlace) {
	return and(eq(importItems.importPk, importPk), eq(importItems.place, place));
}

function isRunning(item: ItemPlace) {
	return and(isPlace(item), eq(importItems.state, "running"));
}
