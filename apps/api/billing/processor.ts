import { receiveEvent } from "@svc/billing/billing";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { readText } from "../kit/body.ts";
import { openRoute } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers } from "../kit/document.ts";

const MAX_BYTES = 1_024 * 1_024;

/** Where the payment processor delivers; its signature is all that it is known by. */
export function processor(app: Elysia, deps: ApiDeps): void {
	app.post(
		"/v1/processor/events",
		openRoute(deps, async ({ request }) => {
			// The signature is over the very bytes: nothing may parse them before.
			const raw = await readText(request, MAX_BYTES);
			await receiveEvent(deps, await deps.processor.parseEvent(raw, request.headers));
			return { status: 200, body: { object: "processor_event", received: true } };
		}),
		{
			parse: "none",
			detail: {
				operationId: "receiveProcessorEvent",
				summary: "Takes the payment processor's own deliveries, which it signs",
				tags: ["billing"],
				security: [],
				...answers(200, v.object({ object: v.literal("processor_event"), received: v.literal(true) })),
			},
		},
	);
}
