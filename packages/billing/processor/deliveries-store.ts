import type { Database } from "@svc/base/database/client";
import { processorEvents } from "@svc/base/database/schema/billing/processor";
import { and, desc, eq, gte, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { ProcessorEvent } from "../ports.ts";

/* Deliveries of the processor, each processed once. */

export function deliveryStore(database: Database) {
	return {
		/** False for a delivery that was received before. */
		take: takeEvent.bind(undefined, database),
		end: endEvent.bind(undefined, database),
		/** Lists deliveries received from `fromMs` on and before `beforeMs` that are not processed, and not put off; newest first. */
		listLeft: listEvents.bind(undefined, database),
		putOff: putOffEvent.bind(undefined, database),
	};
}

async function takeEvent(
	{ queries, write }: Database,
	processor: string,
	{ id, type, subscription }: ProcessorEvent,
	nowMs: number,
): Promise<boolean> {
	const row = { processor, id, type, subscriptionRef: subscription, receivedMs: nowMs };
	const run = queries.insert(processorEvents).values(row).onConflictDoNothing();
	const { refused } = await write([{ run, guard: "taken" }]);
	return refused === undefined;
}

async function endEvent(
	{ queries, write }: Database,
	processor: string,
	eventId: string,
	nowMs: number,
): Promise<void> {
	const event = and(eq(processorEvents.processor, processor), eq(processorEvents.id, eventId));
	const open = isNull(processorEvents.doneMs);
	await write([{ run: queries.update(processorEvents).set({ doneMs: nowMs }).where(and(event, open)) }]);
}

async function listEvents(
	{ queries, read }: Database,
	processor: string,
	{ fromMs, beforeMs, nowMs }: { readonly fromMs: number; readonly beforeMs: number; readonly nowMs: number },
	limit: number,
): Promise<readonly LeftEvent[]> {
	const { id, type, subscriptionRef, receivedMs, doneMs, nextMs, tries } = processorEvents;
	// The plus sign keeps SQLite from walking all of the processor's deliveries rather than the few that are not processed.
	const ofProcessor = sql`+${processorEvents.processor} = ${processor}`;
	const due = or(isNull(nextMs), lte(nextMs, nowMs));
	return await read(() =>
		queries
			.select({ id, type, subscription: subscriptionRef, tries })
			.from(processorEvents)
			.where(and(ofProcessor, isNull(doneMs), gte(receivedMs, fromMs), lt(receivedMs, beforeMs), due))
			// Deliveries that always fail must not keep newer ones waiting.
			.orderBy(desc(receivedMs))
			.limit(limit),
	);
}

async function putOffEvent(
	{ queries, write }: Database,
	processor: string,
	eventId: string,
	{ tries, nextMs }: { readonly tries: number; readonly nextMs: number },
): Promise<void> {
	const event = and(eq(processorEvents.processor, processor), eq(processorEvents.id, eventId));
	await write([{ run: queries.update(processorEvents).set({ tries, nextMs }).where(event) }]);
}

/** A delivery that is not processed. */
export interface LeftEvent extends ProcessorEvent {
	/** How often its subscription was asked for in vain. */
	readonly tries: number;
}
