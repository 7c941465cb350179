import { Failure } from "@svc/base/failure";
import { attempt, withinChange } from "../patience.ts";
import type { ProcessorEvent } from "../ports.ts";
import type { Billing } from "../room.ts";
import type { FoundSubscription } from "../subscription.ts";
import { readSubscription } from "../subscriptions/subscription-readings.ts";
import type { LeftEvent } from "./deliveries-store.ts";
import { followDispute } from "./disputes.ts";

/* What the payment processor delivers. A delivery is never believed: it only says what has to be read. */

/** A delivery is processed as it comes; what remains after this was interrupted, or the processor did not answer. */
const EVENT_GRACE_MS = 30_000;
/** What the processor did not answer in that time it never will. */
const EVENT_USEFUL_MS = 30 * 24 * 3_600_000;
const AT_ONCE = 100;
const MINUTE_MS = 60_000;
/** After these a subscription is asked for again that the processor did not know: five times in all, within an hour. */
const UNKNOWN_AGAIN_MS = [5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS);
/** How many types of deliveries are remembered as logged. */
const LOGGED_MAX = 200;

/** @throws Failure unauthorized for a delivery that the processor did not sign */
export async function receiveDelivery(room: Billing, raw: string, headers: Headers): Promise<void> {
	const event = await parsed(room, raw, headers);
	if (event) await receiveEvent(room, event);
	else count(room, "ignored");
}

/** Takes an event once. A failure to process it leaves it to {@link workOffLeft}. */
export async function receiveEvent(room: Billing, event: ProcessorEvent): Promise<void> {
	if (!(await room.received.take(room.processor.name, event, room.clock.now()))) {
		return count(room, "repeated");
	}
	if (event.subscription === null) logOnce(room, event.type);
	await attempt(room, () => workOff(room, [{ ...event, tries: 0 }]));
}

async function parsed(room: Billing, raw: string, headers: Headers): Promise<ProcessorEvent | undefined> {
	try {
		const event = await room.processor.parseEvent(raw, headers);
		room.deliveries.signed(room.clock.now());
		if (!event) logOnce(room, "(none)");
		return event;
	} catch (cause) {
		const refused = cause instanceof Failure && cause.code === "unauthorized";
		count(room, refused ? "refused" : "failed");
		if (refused) room.deliveries.refused(room.clock.now());
		throw cause;
	}
}

function logOnce({ deliveries, log }: Billing, type: string): void {
	if (deliveries.logged.has(type) || deliveries.logged.size >= LOGGED_MAX) return;
	deliveries.logged.add(type);
	log.info("the payment processor delivers what concerns no subscription; each kind is logged once", { type });
}

type DeliveryOutcome = "done" | "repeated" | "ignored" | "refused" | "failed" | "unknown" | "dropped";

function count({ meters }: Billing, outcome: DeliveryOutcome): void {
	meters.count("svc_billing_deliveries_total", { outcome });
}

/** Processes deliveries about one subscription, or about none: it is read once for all of them. */
async function workOff(room: Billing, events: readonly LeftEvent[]): Promise<void> {
	const { processor, received, clock } = room;
	for (const event of events) {
		if (processor.settle) await withinChange(processor.settle(event));
	}
	const ref = events[0]?.subscription ?? null;
	const found = ref === null ? undefined : await readAndFollow(room, ref);
	for (const event of events) {
		if (found?.is === "unknown") await putOff(room, event);
		else {
			await received.end(processor.name, event.id, clock.now());
			count(room, ref === null ? "ignored" : "done");
		}
	}
}

async function readAndFollow(room: Billing, ref: string): Promise<FoundSubscription> {
	const found = await readSubscription(room, ref);
	if (found.is === "ours") await followDispute(room, found.subscription);
	return found;
}

/** The processor tells of a subscription before every part of it knows it, at times; for ever, it is none of ours. */
async function putOff(room: Billing, { id, subscription, tries }: LeftEvent): Promise<void> {
	const { processor, received, clock, log } = room;
	const again = UNKNOWN_AGAIN_MS[tries];
	if (again !== undefined) {
		count(room, "unknown");
		return await received.putOff(processor.name, id, { tries: tries + 1, nextMs: clock.now() + again });
	}
	count(room, "dropped");
	log.warn("a delivery is dropped: the payment processor does not know its subscription", { event: id, subscription });
	await received.end(processor.name, id, clock.now());
}

/** Processes what was interrupted, what the processor did not answer, and what was put off. */
export async function workOffLeft(room: Billing): Promise<void> {
	const nowMs = room.clock.now();
	const left = { fromMs: nowMs - EVENT_USEFUL_MS, beforeMs: nowMs - EVENT_GRACE_MS, nowMs };
	const events = await room.received.listLeft(room.processor.name, left, AT_ONCE);
	for (const [, about] of Map.groupBy(events, ({ id, subscription }) => subscription ?? id)) {
		await attempt(room, () => workOff(room, about));
	}
}
