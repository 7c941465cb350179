import { isId } from "@svc/base/ids";
import { syncSubscription, withinRequest } from "./billing.ts";
import type { Billing } from "./room.ts";
import type { Bought, Subscriber } from "./subscriptions.ts";

/** A payer was sent to the processor to pay. */
export interface NewCheckout {
	readonly id: string;
	readonly subscriber: Subscriber;
	readonly bought:
		| Pick<Extract<Bought, { subject: "user" }>, "subject" | "pricePk">
		| Extract<Bought, { subject: "app" }>;
	readonly trialDays: number;
	/** Where the browser goes afterwards, with `state`; null for a page of ours. */
	readonly redirectUri: string | null;
	readonly state: string | null;
	readonly processor: string;
	readonly ref: string;
}

export interface Checkout extends Omit<NewCheckout, "bought"> {
	readonly pk: number;
	readonly app: { readonly pk: number; readonly id: string; readonly name: string };
	/** Public id of the account that opened it. */
	readonly startedBy: string;
	readonly doneMs: number | null;
}

export interface FinishedCheckout {
	readonly checkout: Checkout;
	/** Whether it was paid, or a card left for the time after a trial. */
	readonly completed: boolean;
}

/**
 * A payer comes back from the processor's page. What they bought is there before they are sent on, whether or not the processor's
 * delivery has come; coming back by itself grants nothing.
 * @returns undefined where there is no such checkout of ours
 * @throws Failure server_error with Retry-After when the processor does not answer
 */
export async function finishCheckout(room: Billing, id: string): Promise<FinishedCheckout | undefined> {
	const checkout = isId("chk", id) ? await room.subscriptions.findCheckout(id) : undefined;
	if (!checkout) return undefined;
	const subscription = await withinRequest(room.processor.findCompleted(checkout.ref));
	if (subscription !== undefined) await syncSubscription(room, subscription);
	return { checkout, completed: subscription !== undefined };
}
