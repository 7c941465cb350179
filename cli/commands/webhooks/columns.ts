import type { WebhookDelivery, WebhookEndpoint } from "@svc/sdk/shapes";
import { type Column, fields } from "../../kit/output/table.ts";
import type { Advice } from "../../kit/refusal.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const ENDPOINT_COLUMNS: readonly Column<WebhookEndpoint>[] = [
	...fields("id", "state"),
	{ name: "types", value: ({ types }) => types.join(","), shrinks: true },
	{ name: "url", value: ({ url }) => url, shrinks: true },
	...fields("last_delivered_at"),
];

export const ENDPOINT_DETAILS: readonly Column<WebhookEndpoint>[] = [
	...ENDPOINT_COLUMNS,
	...fields("description", "disabled_reason", "disabled_at", "created_at"),
];

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
	...fields("id", "type", "state"),
	{ name: "attempts", value: ({ attempts }) => attempts.length },
	{ name: "answer", value: lastAnswer },
	...fields("next_attempt_at", "event_id", "created_at"),
];

const SEE = "See which there are: svc webhooks list";

export const ENDPOINT_ADVICE: Advice = { not_found: SEE };

/** For what only an enabled endpoint does. */
export function sendingAdvice(id: string): Advice {
	return { not_found: SEE, state_conflict: `Enable it first: svc webhooks edit ${id} --state enabled` };
}

/** What the receiver answered last, or why it did not; null before the first attempt. */
function lastAnswer({ attempts }: WebhookDelivery): number | string | null {
	const last = attempts.at(-1);
	return last?.status ?? last?.error ?? null;
}
