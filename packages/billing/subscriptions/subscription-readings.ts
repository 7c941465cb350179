import type { Actor } from "@svc/base/actor";
import { withinChange, withinRequest } from "../patience.ts";
import { type Snapshot, UnknownSubscription } from "../ports.ts";
import type { Billing } from "../room.ts";
import type { FoundSubscription, ReadingOutcome, RefusedReading } from "../subscription.ts";
import { accessOf, type Reading, type Subscriber, type Subscription } from "../subscription.ts";
import { toReading } from "./reading.ts";

/* The tables mirror the payment processor: after each of its events, the present state is read from it and stored. */

const ATTEMPTS = 20;

/**
 * Reads a subscription from the processor and stores its present state. However many processes do it at once, in whatever order they
 * began, the last reading stays: one that began before another was stored is discarded and repeated.
 * @returns undefined for a subscription that none of our checkouts began, or that the processor does not have
 * @throws Failure server_error with Retry-After when the processor does not answer
 */
export async function syncSubscription(room: Billing, ref: string): Promise<Subscription | undefined> {
	const found = await readSubscription(room, ref);
	return found.is === "ours" ? found.subscription : undefined;
}

/** {@link syncSubscription} for those who need to know why there is none. Many who ask at once share a reading. */
export async function readSubscription(room: Billing, ref: string): Promise<FoundSubscription> {
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const read = await room.readings(ref, () => readAlone(room, ref));
		if (read.is !== "refused") return read;
		// The processor tells of what it does here, and that must find nobody reading.
		await room.readings(`${ref} gives way`, () => giveWay(room, read));
	}
	throw movedOn();
}

async function readAlone(room: Billing, ref: string): Promise<ReadingOutcome> {
	const { processor, subscriptions } = room;
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const before = await subscriptions.findByRef(processor.name, ref);
		const snapshot = await retrieve(room, ref);
		if (!snapshot) return { is: "unknown" };
		const reading = await toReading(room, before, snapshot);
		if (!reading) return { is: "foreign" };
		if (isClosed(reading)) return { is: "refused", why: "closed", reading };
		const refused = await subscriptions.save(reading);
		if (refused === undefined) {
			return { is: "ours", subscription: await subscriptions.findByRef(processor.name, ref) };
		}
		if (refused !== "moved") return { is: "refused", why: refused, reading };
	}
	throw movedOn();
}

/** It was bought while nothing is sold for its App: at a page that was open already, say. */
function isClosed({ before, snapshot, closed }: Reading): boolean {
	return !before && snapshot.endedMs === null && closed;
}

function movedOn(): Error {
	return new Error(`The subscription moved ${ATTEMPTS} times while it was to be read.`);
}

async function giveWay(room: Billing, refused: RefusedReading): Promise<ReadingOutcome> {
	if (refused.why === "second") await makeWay(room, refused.reading);
	// What nobody could have bought is paid back; of two trials that were begun at once the second one ends before it costs anything.
	else await withinChange(room.processor.withdraw(refused.reading.snapshot.ref));
	return refused;
}

/** Undefined where the processor answers that it has no such subscription. */
export function retrieve({ processor }: Billing, ref: string): Promise<Snapshot | undefined> {
	return withinRequest(
		processor.retrieve(ref).catch((cause: unknown) => {
			if (cause instanceof UnknownSubscription) return undefined;
			throw cause;
		}),
	);
}

/**
 * Asks the processor for a change that a person wants, and reads what became of it. What is read meanwhile, a delivery about it too, is
 * audited as that person's.
 */
export async function syncAfter(
	room: Billing,
	ref: string,
	by: Actor,
	ask: () => Promise<unknown>,
): Promise<Subscription | undefined> {
	room.deeds.set(ref, by);
	try {
		await withinChange(ask());
		return await syncSubscription(room, ref);
	} finally {
		if (room.deeds.get(ref) === by) room.deeds.delete(ref);
	}
}

/** Two checkouts were paid for one subscriber. Unless the other has ended meanwhile, this one is withdrawn with all that it cost. */
async function makeWay(room: Billing, { subscriber, snapshot }: Reading): Promise<void> {
	const other = await room.subscriptions.findLive(subscriber);
	const known = other && other.ref !== snapshot.ref ? await syncSubscription(room, other.ref) : undefined;
	if (!known || known.endedMs !== null) return;
	// What was bought for an earlier storage gives nothing any more: that one ends.
	if ((await room.subscriptions.findLatest(subscriber))?.pk !== known.pk) await endNow(room, known);
	else await withinChange(room.processor.withdraw(snapshot.ref));
}

/** Ends a subscription that was withdrawn from, and refunds all that it cost; what is held back comes with a later call. */
export async function payBack(room: Billing, { ref }: Pick<Subscription, "ref">, by?: Actor): Promise<void> {
	const ask = () => room.processor.withdraw(ref);
	if (by) await syncAfter(room, ref, by, ask);
	else {
		await withinChange(ask());
		await syncSubscription(room, ref);
	}
}

/** Ends the subscription at once, without a refund. */
export async function endNow(room: Billing, { ref }: Pick<Subscription, "ref">): Promise<void> {
	await withinChange(room.processor.cancel(ref, "now"));
	await syncSubscription(room, ref);
}

/** The live subscription, read anew where the processor answers. */
export async function findLive(room: Billing, subscriber: Subscriber): Promise<Subscription | undefined> {
	const known = await room.subscriptions.findLive(subscriber);
	if (!known || accessOf(known, room.clock.now(), room.graceMs).status !== "unconfirmed") return known;
	const read = await syncSubscription(room, known.ref);
	return read?.endedMs === null ? read : undefined;
}
