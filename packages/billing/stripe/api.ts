import { noteChange } from "@svc/base/change-notes";
import type { Clock } from "@svc/base/ports";
import { Stripe } from "stripe";

/* The connection to Stripe: its client, what makes two requests one, and its errors as a log may show them. */

/** The version of objects, whatever the account's own version is; the webhook's events must have it too. */
export const STRIPE_API_VERSION = "2026-10-28.endive";

export interface StripeAddress {
	readonly secretKey: string;
	/** An origin that replaces Stripe's own, for tests. */
	readonly apiBase: string | undefined;
}

/** Limit for one request, answer included. */
const TIMEOUT_MS = 8_000;
const RETRIES = 2;
const HOUR_MS = 3_600_000;

export function openStripe({ secretKey, apiBase }: StripeAddress): Stripe {
	const { protocol, hostname, port } = new URL(apiBase ?? "https://api.stripe.com");
	const plain = protocol === "http:";
	return new Stripe(secretKey, {
		apiVersion: STRIPE_API_VERSION,
		httpClient: Stripe.createFetchHttpClient(Object.assign(fetchAnswer, { preconnect: fetch.preconnect })),
		timeout: TIMEOUT_MS,
		maxNetworkRetries: RETRIES,
		telemetry: false,
		protocol: plain ? "http" : "https",
		host: hostname,
		port: port || (plain ? 80 : 443),
	});
}

/** The client repeats failed requests; one that was rate-limited it repeats only where it is told to. */
async function fetchAnswer(url: string | URL | Request, init?: RequestInit): Promise<Response> {
	if (init?.method !== undefined && init.method !== "GET") noteChange();
	// An API does not redirect: the target would get to see the request.
	const response = await fetch(url, { ...init, redirect: "error" });
	if (response.status !== 429 || response.headers.has("stripe-should-retry")) return response;
	const headers = new Headers(response.headers);
	headers.set("stripe-should-retry", "true");
	return new Response(response.body, { status: response.status, headers });
}

/** Makes a request that is sent again, or by two processes at once, happen once. */
export type KeyedOnce = (...facts: readonly unknown[]) => Promise<{ readonly idempotencyKey: string }>;

/**
 * Stripe gives one key the same answer for at least a day, its own errors included: the next hour therefore has another key, which is
 * why a caller first checks whether the change has been made already.
 */
export function onceAnHour(clock: Clock): KeyedOnce {
	return async (...facts) => {
		const change = JSON.stringify([Math.floor(clock.now() / HOUR_MS), ...facts]);
		const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(change));
		return { idempotencyKey: `svc_${new Uint8Array(digest).toHex()}` };
	};
}

export function idOf(object: string | { readonly id: string }): string {
	return typeof object === "string" ? object : object.id;
}

/** Stripe understood a request and refuses it in the present state. */
export function isRefusal(cause: unknown): boolean {
	const { StripeInvalidRequestError, StripeCardError } = Stripe.errors;
	return cause instanceof StripeInvalidRequestError || cause instanceof StripeCardError;
}

/** A restricted key does not reach so far. */
export function isForbidden(cause: unknown): boolean {
	return cause instanceof Stripe.errors.StripePermissionError;
}

/** Stripe has no object of that id. */
export function isMissing(cause: unknown): boolean {
	return cause instanceof Stripe.errors.StripeInvalidRequestError && cause.code === "resource_missing";
}

/** API keys, and numbers as long as a card's. */
const SECRETS = /\b(?:sk|rk|pk|whsec)_\w+|\b\d(?:[ -]?\d){11,18}\b/g;
const MAX_MESSAGE = 300;

/** Stripe's client throws errors that hold whole requests, answers and headers: this keeps what may be logged, and nothing else. */
export async function plainly<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (cause) {
		if (!(cause instanceof Stripe.errors.StripeError)) throw cause;
		const { type, code, param, statusCode, requestId, message } = cause;
		const facts = Object.entries({ code, param, status: statusCode, request: requestId })
			.filter(([, value]) => value !== undefined)
			.map(([name, value]) => `${name} ${value}`);
		const change = message.replace(SECRETS, "[redacted]").slice(0, MAX_MESSAGE);
		throw new Error(`${[type, ...facts].join(", ")}: ${change}`);
	}
}
