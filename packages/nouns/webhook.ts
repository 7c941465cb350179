import type { WebhookAttempt, WebhookDelivery, WebhookEndpoint } from "@svc/sdk/shapes";
import { type NounSection, noun, signedBy } from "./noun.ts";
import { ageText } from "./words.ts";

const DISABLED_FOR: Readonly<Record<string, string>> = {
	failing: "nothing was delivered for three days",
	gone: "it answered 410: gone",
	manual: "somebody disabled it",
};

export const WEBHOOK = noun<WebhookEndpoint>()({
	fields: {
		id: {},
		state: {
			title: "State",
			width: 10,
			cell: ({ state }) => (state === "enabled" ? "○ enabled" : "⛒ disabled"),
			tone: ({ state }) => (state === "enabled" ? undefined : "danger"),
			line: ({ state }) => state,
		},
		types: {
			value: ({ types }) => types.join(","),
			shrinks: true,
			title: "Types",
			width: 24,
			line: ({ types }) => types.join(", "),
		},
		url: {
			shrinks: true,
			title: "Address",
			cell: ({ url }) => url.replace(/^https:\/\//, ""),
			label: "address",
			line: ({ url }) => url,
		},
		last_delivered_at: { kind: "time", title: "Delivered", width: 9, label: "delivered" },
		description: { title: "About", width: 32, more: true, label: "about" },
		disabled_reason: {},
		disabled_at: {
			kind: "time",
			label: "disabled",
			line: ({ disabled_at: at, disabled_reason: reason }, nowMs) =>
				reason === null ? undefined : `${ageText(at, nowMs)}: ${DISABLED_FOR[reason] ?? reason}`,
		},
		created_at: { kind: "time", title: "Made", width: 8, more: true, label: "made" },
		deliveries: { value: () => "Enter shows them" },
	},
	list: ["id", "state", "types", "url", "last_delivered_at"],
	detail: ["description", "disabled_reason", "disabled_at", "created_at"],
	dashboard: {
		title: "Webhook endpoint",
		empty: "This App's events are sent nowhere. c adds an address, as svc webhooks create does.",
		columns: ["state", "url", "types", "last_delivered_at", "created_at", "description"],
		lines: [
			...["id", "url", "types", "description", "state", "disabled_at", "last_delivered_at", "created_at"],
			"deliveries",
		] as const,
	},
});

export const DELIVERY = noun<WebhookDelivery>()({
	fields: {
		id: {},
		type: { title: "What", label: "what" },
		state: {
			title: "State",
			width: 11,
			...signedBy("state", {
				pending: ["… pending", "accent"],
				delivered: ["✓ delivered", "good"],
				failed: ["⛒ failed", "danger"],
			}),
			line: ({ state }) => state,
		},
		attempts: { value: ({ attempts }) => attempts.length, title: "Tries", width: 5 },
		answer: { value: lastAnswer, title: "Answer", width: 10, cell: ({ attempts }) => answerOf(attempts.at(-1)) },
		next_attempt_at: { kind: "time", title: "Next try", width: 8, more: true, label: "next try" },
		event_id: {
			title: "Event",
			width: 28,
			more: true,
			label: "event",
			line: ({ event_id: id }) => `${id}, sent as webhook-id`,
		},
		created_at: { kind: "time", title: "Made", width: 8, label: "made" },
	},
	list: ["id", "type", "state", "attempts", "answer", "next_attempt_at", "event_id", "created_at"],
	detail: [],
	dashboard: {
		title: "Delivery",
		empty:
			"Nothing was sent to this endpoint in 30 days, or nothing in this state. s shows the next one, t sends a test.",
		columns: ["state", "type", "attempts", "answer", "created_at", "next_attempt_at", "event_id"],
		lines: ["id", "type", "event_id", "state", "next_attempt_at", "created_at"],
		more: ({ attempts }, nowMs) => [
			{
				title: `Tries: ${attempts.length}`,
				rows: attempts.toReversed().flatMap((attempt) => attemptRows(attempt, nowMs)),
			},
		],
	},
});

/** What the receiver answered last, or why it did not; null before the first attempt. */
function lastAnswer({ attempts }: WebhookDelivery): number | string | null {
	const last = attempts.at(-1);
	return last?.status ?? last?.error ?? null;
}

/** A status, or why there was none. */
function answerOf(attempt: WebhookAttempt | undefined): string {
	if (attempt === undefined) return "—";
	return attempt.status === null ? (attempt.error ?? "none").replaceAll("_", " ") : String(attempt.status);
}

function attemptRows(attempt: WebhookAttempt, nowMs: number): NounSection["rows"] {
	const { at, ms, response } = attempt;
	const line: readonly [string, string] = [ageText(at, nowMs), `${answerOf(attempt)} after ${ms} ms`];
	return response === null || response === "" ? [line] : [line, ["", response]];
}
