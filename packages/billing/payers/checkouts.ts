import { isId } from "@svc/base/ids";
import type { Recipient } from "../mails/billing-mails.ts";
import { findRecipient } from "../mails/recipients.ts";
import { attempt, withinRequest } from "../patience.ts";
import type { SimulatedPage } from "../ports.ts";
import type { Billing } from "../room.ts";
import type { Subscriber } from "../subscription.ts";
import { readSubscription, syncSubscription } from "../subscriptions/subscription-readings.ts";
import type { Checkout, OpenCheckout } from "./checkouts-store.ts";

export interface FinishedCheckout {
	readonly checkout: Checkout;
	/** Whether it was paid, or a card left for the time after a trial; false for what was paid back at once, too. */
	readonly completed: boolean;
}

/**
 * A payer comes back from the processor's page. What they bought is there before they are sent on, whether or not the processor's
 * delivery has come; coming back by itself grants nothing.
 * @returns undefined where there is no such checkout of ours
 * @throws Failure server_error with Retry-After when the processor does not answer
 */
export async function finishCheckout(room: Billing, id: string): Promise<FinishedCheckout | undefined> {
	const checkout = isId("chk", id) ? await room.checkouts.find(id) : undefined;
	if (!checkout) return undefined;
	const ref = await withinRequest(room.processor.findCompleted(checkout.ref));
	const begun = ref === undefined ? undefined : await syncSubscription(room, ref);
	// Where two were paid, the second has given way to the first, and everything that it cost was paid back.
	return { checkout, completed: ref !== undefined && (!begun || begun.endedMs === null) };
}

/** Who pays on a page of the simulated processor, and in which App; undefined where nobody is known any more. */
export async function findPagePayer(
	room: Billing,
	{ checkout, subscription }: SimulatedPage,
): Promise<Recipient | undefined> {
	const { subscriptions, processor } = room;
	const paid = isId("chk", checkout)
		? await room.checkouts.find(checkout)
		: await subscriptions.findByRef(processor.name, subscription ?? "");
	return paid && (await findRecipient(room, paid));
}

/** No processor's page stays open for longer than a day. */
const PAYABLE_MS = 25 * 3_600_000;
const AT_ONCE = 1_000;

/** A checkout that was paid although no delivery told of it. */
export interface PaidCheckout {
	readonly id: string;
	/** Public id of what it began; null where that stayed nobody's. */
	readonly subscription: string | null;
}

/** Asks for every checkout that may still be paid, whoever opened it; what has been bought is there afterwards. */
export async function takeOverAll(room: Billing): Promise<readonly PaidCheckout[]> {
	const open = await room.checkouts.listOpen(room.processor.name, sinceMs(room), AT_ONCE);
	const taken: PaidCheckout[] = [];
	for (const one of open) {
		await attempt(room, async () => {
			const paid = await takeOver(room, one);
			if (paid) taken.push(paid);
		});
	}
	return taken;
}

/**
 * Asks for the checkouts that one subscriber has open, before another one is opened: what was paid is what they have.
 * @throws Failure server_error with Retry-After when the processor does not answer
 */
export async function takeOverPaid(room: Billing, subscriber: Subscriber): Promise<boolean> {
	const open = await room.checkouts.listOpen(room.processor.name, sinceMs(room), AT_ONCE, subscriber);
	let taken = false;
	for (const one of open) taken = (await takeOver(room, one)) !== undefined || taken;
	return taken;
}

function sinceMs({ clock }: Billing): number {
	return clock.now() - PAYABLE_MS;
}

async function takeOver(room: Billing, { id, ref }: OpenCheckout): Promise<PaidCheckout | undefined> {
	const subscription = await withinRequest(room.processor.findCompleted(ref));
	if (subscription === undefined) return undefined;
	const found = await readSubscription(room, subscription);
	if (found.is !== "ours") return undefined;
	room.log.warn("a checkout was paid, and no delivery told of it", {
		checkout: id,
		subscription: found.subscription?.id,
	});
	return { id, subscription: found.subscription?.id ?? null };
}
