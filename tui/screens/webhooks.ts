import type { WebhookAttempt, WebhookDelivery, WebhookEndpoint } from "@svc/sdk/shapes";
import { ageText } from "../text.ts";
import { type Section, screenOf, type Tone } from "./describe.ts";

const DISABLED_FOR: Readonly<Record<string, string>> = {
	failing: "nothing was delivered for three days",
	gone: "it answered 410: gone",
	manual: "somebody disabled it",
};

export const webhooks = screenOf<WebhookEndpoint>({
	object: "webhook_endpoint",
	columns: [
		{
			title: "State",
			width: 10,
			text: ({ state }) => (state === "enabled" ? "○ enabled" : "⛒ disabled"),
			tone: ({ state }) => (state === "enabled" ? undefined : "danger"),
		},
		{ title: "Address", text: ({ url }) => url.replace(/^https:\/\//, "") },
		{ title: "Types", width: 24, text: ({ types }) => types.join(",") },
		{ title: "Delivered", width: 9, text: ({ last_delivered_at }, nowMs) => ageText(last_delivered_at, nowMs) },
		{ title: "Made", width: 8, more: true, text: ({ created_at }, nowMs) => ageText(created_at, nowMs) },
		{ title: "About", width: 32, more: true, text: ({ description }) => description },
	],
	empty: "This App's events are sent nowhere. c adds an address, as svc webhooks create does.",
	sections: (endpoint, nowMs) => [
		{
			title: "Webhook endpoint",
			rows: [
				["id", endpoint.id],
				["address", endpoint.url],
				["types", endpoint.types.join(", ")],
				["about", endpoint.description === "" ? "—" : endpoint.description],
				["state", endpoint.state],
				...disabledRows(endpoint, nowMs),
				["delivered", ageText(endpoint.last_delivered_at, nowMs)],
				["made", ageText(endpoint.created_at, nowMs)],
				["deliveries", "Enter shows them"],
			],
		},
	],
});

function disabledRows({ disabled_at, disabled_reason }: WebhookEndpoint, nowMs: number): Section["rows"] {
	if (disabled_reason === null) return [];
	return [["disabled", `${ageText(disabled_at, nowMs)}: ${DISABLED_FOR[disabled_reason] ?? disabled_reason}`]];
}

const DELIVERY_SIGNS: Readonly<Record<string, readonly [string, Tone]>> = {
	pending: ["… pending", "accent"],
	delivered: ["✓ delivered", "good"],
	failed: ["⛒ failed", "danger"],
};

export const deliveries = screenOf<WebhookDelivery>({
	object: "webhook_delivery",
	columns: [
		{
			title: "State",
			width: 11,
			text: ({ state }) => DELIVERY_SIGNS[state]?.[0] ?? state,
			tone: ({ state }) => DELIVERY_SIGNS[state]?.[1],
		},
		{ title: "What", text: ({ type }) => type },
		{ title: "Tries", width: 5, text: ({ attempts }) => String(attempts.length) },
		{ title: "Answer", width: 10, text: ({ attempts }) => answerOf(attempts.at(-1)) },
		{ title: "Made", width: 8, text: ({ created_at }, nowMs) => ageText(created_at, nowMs) },
		{ title: "Next try", width: 8, more: true, text: ({ next_attempt_at }, nowMs) => ageText(next_attempt_at, nowMs) },
		{ title: "Event", width: 28, more: true, text: ({ event_id }) => event_id },
	],
	empty:
		"Nothing was sent to this endpoint in 30 days, or nothing in this state. s shows the next one, t sends a test.",
	sections: (delivery, nowMs) => [
		{
			title: "Delivery",
			rows: [
				["id", delivery.id],
				["what", delivery.type],
				["event", `${delivery.event_id}, sent as webhook-id`],
				["state", delivery.state],
				["next try", ageText(delivery.next_attempt_at, nowMs)],
				["made", ageText(delivery.created_at, nowMs)],
			],
		},
		{
			title: `Tries: ${delivery.attempts.length}`,
			rows: delivery.attempts.toReversed().flatMap((attempt) => attemptRows(attempt, nowMs)),
		},
	],
});

/** A status, or why there was none. */
function answerOf(attempt: WebhookAttempt | undefined): string {
	if (attempt === undefined) return "—";
	return attempt.status === null ? (attempt.error ?? "none").replaceAll("_", " ") : String(attempt.status);
}

function attemptRows(attempt: WebhookAttempt, nowMs: number): Section["rows"] {
	const { at, ms, response } = attempt;
	const line: readonly [string, string] = [ageText(at, nowMs), `${answerOf(attempt)} after ${ms} ms`];
	return response === null || response === "" ? [line] : [line, ["", response]];
}
