import type { ClaimedDelivery } from "./deliveries.ts";
import type { Receiver } from "./deliveries-store.ts";
import type { Webhooks } from "./room.ts";

/** What is sent. Of an event that is not kept any more it is what is left of it. */
export async function bodyOf(
	room: Pick<Webhooks, "events" | "describe">,
	{ appPk, appId }: Pick<Receiver, "appPk" | "appId">,
	{ body, eventId }: Pick<ClaimedDelivery, "body" | "eventId">,
): Promise<string> {
	if (body !== null) return body;
	const event = await room.events.store.find(appPk, eventId, 0);
	return JSON.stringify(event ? room.describe.event(event, appId) : { id: eventId, object: "event" });
}
