import type { WebhookAttempt, WebhookDelivery, WebhookEndpoint } from "@svc/sdk/shapes";
import { Moment } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import { t } from "../messages.ts";

/* How an endpoint and a delivery do, in words. A word that another release has is shown as it is. */

export const DELIVERY_STATES = {
	pending: t("deliveries.pending"),
	delivered: t("deliveries.delivered"),
	failed: t("deliveries.failed"),
} as const;

const DISABLED = {
	failing: t("webhooks.failing"),
	gone: t("webhooks.gone"),
	manual: t("webhooks.manual"),
} as const;

const ERRORS = {
	timeout: t("deliveries.timeout"),
	connection_failed: t("deliveries.connection_failed"),
	address_not_allowed: t("deliveries.address_not_allowed"),
} as const;

function wordOf(words: Readonly<Record<string, Text>>, word: string): Text {
	return Object.hasOwn(words, word) ? (words[word] ?? word) : word;
}

export function EndpointState({ of: { state, disabled_reason } }: { readonly of: WebhookEndpoint }) {
	if (state === "enabled") return t("webhooks.enabled");
	return (
		<>
			<span className={disabled_reason === "manual" ? "tag" : "tag warns"}>{t("webhooks.disabled")}</span>{" "}
			{disabled_reason !== null && <span className="fine">{wordOf(DISABLED, disabled_reason)}</span>}
		</>
	);
}

export function DeliveryState({ of: { state } }: { readonly of: Pick<WebhookDelivery, "state"> }) {
	const text = wordOf(DELIVERY_STATES, state);
	return state === "failed" ? <span className="tag warns">{text}</span> : text;
}

/** What came of a try: the status of the answer, or why there was none. */
export function AnswerText({ of: attempt }: { readonly of: WebhookAttempt | undefined }) {
	if (attempt === undefined) return "–";
	return attempt.status ?? wordOf(ERRORS, attempt.error ?? "");
}

export function NextTry({ of: { next_attempt_at } }: { readonly of: Pick<WebhookDelivery, "next_attempt_at"> }) {
	return next_attempt_at === null ? "–" : <Moment ms={Date.parse(next_attempt_at)} />;
}

export function LastDelivered({ of: { last_delivered_at: at } }: { readonly of: WebhookEndpoint }) {
	return at === null ? t("keys.never") : <Moment ms={Date.parse(at)} />;
}

/** Somebody who looks may wait for it. */
const SOON_MS = 60_000;

/** Whether a screen is worth looking at again and again. */
export function isUnderWay({ next_attempt_at }: WebhookDelivery, nowMs: number): boolean {
	return next_attempt_at !== null && Date.parse(next_attempt_at) < nowMs + SOON_MS;
}
