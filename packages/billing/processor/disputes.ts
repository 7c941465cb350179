import { attempt, withinChange } from "../patience.ts";
import type { Billing } from "../room.ts";
import type { Subscription } from "../subscription.ts";
import { endNow, syncSubscription } from "../subscriptions/subscription-readings.ts";

/*
 * What follows from a payment that the payer's bank asks back (decision 0060). While it is open access stays, and nothing more is charged; lost,
 * the subscription ends at once; won, it goes on, once nothing else holds it. Each step looks at the last reading alone, so that deliveries may
 * come twice, late, in any order or not at all.
 */

const AT_ONCE = 100;

export async function followDispute(room: Billing, subscription: Subscription | undefined): Promise<void> {
	if (!subscription?.dispute || subscription.endedMs !== null) return;
	const { ref, dispute, collectionPaused } = subscription;
	if (dispute.state === "lost") return await endNow(room, subscription);
	if (dispute.state !== "open" || collectionPaused) return;
	await withinChange(room.processor.pauseCollection(ref, dispute.atMs));
	await syncSubscription(room, ref);
}

/** What was interrupted, or the processor did not do. */
export async function followDisputes(room: Billing): Promise<void> {
	for (const disputed of await room.subscriptions.listToFollow(room.processor.name, AT_ONCE)) {
		await attempt(room, () => followDispute(room, disputed));
	}
}
