import { receiveEvent } from "@svc/billing/billing";
import { named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { readText } from "../kit/body.ts";
import { ok, openRoute } from "../kit/call.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

const MAX_BYTES = 1_024 * 1_024;

const receivedSchema = named(
	"ProcessorEvent",
	v.object({ object: v.literal("processor_event"), received: v.literal(true) }),
);

/** Where the payment processor delivers; its signature is all that it is known by. */
export function processor(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", "/v1/processor/events", openRoute(rooms), {
		operationId: "receiveProcessorEvent",
		summary: "Takes the payment processor's own deliveries, which it signs",
		tags: ["billing"],
		security: [],
		answers: { 200: receivedSchema },
		run: async ({ request }) => {
			// The signature is over the very bytes: nothing may parse them before.
			const raw = await readText(request, MAX_BYTES);
			await receiveEvent(rooms.billing, await rooms.billing.processor.parseEvent(raw, request.headers));
			return ok({ object: "processor_event", received: true });
		},
	});
}
