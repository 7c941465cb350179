import { attempt, withinChange, withinRequest } from "./patience.ts";
import type { OpenCheckout } from "./payers/checkouts-store.ts";
import type { Billing } from "./room.ts";
import { readSubscription, syncSubscription } from "./subscriptions/subscription-readings.ts";

/* While an App is paused or blocked nobody is charged for it: its keys answer 403, so that who pays would get nothing. */

const AT_ONCE = 100;

/**
 * Nobody begins to pay for such an App. One that was paid already is taken over, and given back by its reading; one that began what is nobody's
 * of ours is over as well.
 */
async function closeCheckout(room: Billing, { id, ref }: OpenCheckout): Promise<void> {
	const { processor, checkouts, clock } = room;
	if (await withinChange(processor.closeCheckout(ref))) {
		return await checkouts.close(id, clock.now());
	}
	const paid = await withinRequest(processor.findCompleted(ref));
	const found = paid === undefined ? undefined : await readSubscription(room, paid);
	if (found && found.is !== "ours") await checkouts.close(id, clock.now());
}

/** Holds what is charged for Apps that are paused or blocked, and lets go what was held for Apps that are back. */
export async function followPauses(room: Billing): Promise<void> {
	const { processor, subscriptions } = room;
	for (const { ref, sinceMs } of await subscriptions.listToPause(processor.name, AT_ONCE)) {
		await attempt(room, async () => {
			await withinChange(processor.pauseCollection(ref, sinceMs));
			await syncSubscription(room, ref);
		});
	}
	for (const open of await room.checkouts.listToClose(processor.name, AT_ONCE)) {
		await attempt(room, () => closeCheckout(room, open));
	}
	for (const { ref } of await subscriptions.listToResume(processor.name, AT_ONCE)) {
		await attempt(room, async () => {
			await withinChange(processor.resumeCollection(ref));
			await syncSubscription(room, ref);
		});
	}
}
