import { attempt, syncSubscription, withinChange } from "./billing.ts";
import type { Billing } from "./room.ts";

/* While an App is paused or blocked nobody is charged for it: its keys answer 403, so that who pays would get nothing. */

const AT_ONCE = 100;

/** Holds what is charged for Apps that are paused or blocked, and lets go what was held for Apps that are back. */
export async function followPauses(room: Billing): Promise<void> {
	const { processor, subscriptions } = room;
	for (const { ref, sinceMs } of await subscriptions.listToPause(processor.name, AT_ONCE)) {
		await attempt(room, async () => {
			await withinChange(processor.pauseCollection(ref, sinceMs));
			await syncSubscription(room, ref);
		});
	}
	for (const { ref } of await subscriptions.listToResume(processor.name, AT_ONCE)) {
		await attempt(room, async () => {
			await withinChange(processor.resumeCollection(ref));
			await syncSubscription(room, ref);
		});
	}
}
