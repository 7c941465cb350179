import type {
	Event,
	Job,
	WebhookDelivery,
	WebhookDeliveryState,
	WebhookEndpoint,
	WebhookEndpointState,
} from "../shapes.ts";
import type { Open, WithSecret } from "../types.ts";
import { type Calls, pagesOf, pathOf, withOldNames } from "../wire/calls.ts";
import { checkArguments } from "../wire/check.ts";
import type { CallOptions, PostOptions } from "../wire/request.ts";
import { VERIFY_WEBHOOK } from "../wire/takes.ts";
import type { Transport } from "../wire/transport.ts";

export interface NewWebhookEndpoint {
	/** https, on port 443. */
	readonly url: string;
	/** `*`, `image.*` and the like, or types. Default: all. */
	readonly types?: readonly string[] | undefined;
	readonly description?: string | undefined;
}

export interface WebhookEndpointChanges extends Partial<NewWebhookEndpoint> {
	readonly state?: Open<WebhookEndpointState> | undefined;
}

export interface DeliveryOptions extends CallOptions {
	/** `request`: what is sent, and where to. */
	readonly include?: "request" | undefined;
}

/** Where an App's events are sent, and what became of it. */
export function webhooksOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "webhook_endpoints", ...rest);
	return withOldNames(
		{
			...pagesOf<WebhookEndpoint>(transport, path()),
			get: (id: string, options?: CallOptions) => calls.get<WebhookEndpoint>(path(id), options),
			create: (endpoint: NewWebhookEndpoint, options?: PostOptions) =>
				calls.post<WebhookEndpoint & WithSecret>(path(), { ...endpoint }, options),
			edit: (id: string, changes: WebhookEndpointChanges, options?: CallOptions) =>
				calls.patch<WebhookEndpoint>(path(id), { ...changes }, options),
			delete: (id: string, options?: CallOptions) => calls.remove("webhook_endpoint", path(id), id, options),
			/** The old secret signs as well for `oldExpiresIn`: seconds or a duration, a day by default. */
			rotate: (id: string, oldExpiresIn?: string | number, options?: PostOptions) =>
				calls.post<WebhookEndpoint & WithSecret>(
					path(id, "rotate"),
					{ ...(oldExpiresIn !== undefined && { old_expires_in: oldExpiresIn }) },
					options,
				),
			test: (id: string, options?: PostOptions) => calls.post<WebhookDelivery>(path(id, "test"), {}, options),
			/** Sends what was not delivered since then. */
			recover: (id: string, since: Date | string, options?: PostOptions) =>
				calls.post<Job>(path(id, "recover"), { since: since instanceof Date ? since.toISOString() : since }, options),
			deliveries: (id: string) => ({
				...pagesOf<WebhookDelivery, { state: Open<WebhookDeliveryState>; event_id: string; types: string }>(
					transport,
					path(id, "deliveries"),
					{ filters: ["state", "event_id", "types"] },
				),
				get: (delivery: string, { include, ...options }: DeliveryOptions = {}) =>
					calls.get<WebhookDelivery>(path(id, "deliveries", delivery), { ...options, query: { include } }),
				redeliver: (delivery: string, options?: PostOptions) =>
					calls.post<WebhookDelivery>(path(id, "deliveries", delivery, "redeliver"), {}, options),
			}),
		},
		{
			/** @deprecated It is called `edit`. */ update: "edit",
			/** @deprecated It is called `delete`. */ remove: "delete",
		},
	);
}

/** What came with a webhook: a `Headers`, or an object of them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
	/** How old, or how far ahead, `webhook-timestamp` may be, in seconds. Default: 300. */
	readonly toleranceSeconds?: number | undefined;
	/** Milliseconds since 1970. Default: now. */
	readonly now?: number | undefined;
}

const TOLERANCE_SECONDS = 300;
const PREFIX = "whsec_";
const SECRET = /^whsec_(?:[\w+/]{4})+(?:[\w+/]{2}==|[\w+/]{3}=)?$/;

/**
 * The event of a webhook, once it is certain that the service sent it. `body` is the request's body as it came, before it was parsed. One event may come
 * more than once: its `id` tells.
 * @throws TypeError for an argument that is missing or of a wrong kind, and for a body that was signed with none of the secrets, or not lately
 */
export async function verifyWebhook(
	body: string,
	headers: WebhookHeaders,
	secret: string | readonly string[],
	options: VerifyOptions = {},
): Promise<Event> {
	checkArguments("verifyWebhook", VERIFY_WEBHOOK, [body, headers, secret, options]);
	const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = options;
	const secrets = secretsOf(secret);
	const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
		headerOf(headers, name),
	);
	if (!id || !timestamp || !signatures) throw new TypeError("This request has no signature of a webhook.");
	if (!/^\d+$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds)
		throw new TypeError("This webhook was not signed lately.");
	const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
	for (const one of secrets) {
		for (const signature of signatures.split(" ")) {
			if (await isSigned(signed, signature, one)) return JSON.parse(body) as Event;
		}
	}
	throw new TypeError("This webhook was signed with another secret.");
}

function secretsOf(secret: string | readonly string[]): readonly string[] {
	const secrets = typeof secret === "string" ? [secret] : secret;
	if (secrets.length > 0 && secrets.every((one) => SECRET.test(one))) return secrets;
	throw new TypeError("verifyWebhook: secret must be that of a webhook endpoint, whsec_…; its value is not shown.");
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
	if (headers instanceof Headers) return headers.get(name) ?? undefined;
	const entry = Object.entries(headers).find(([sent]) => sent.toLowerCase() === name);
	return typeof entry?.[1] === "string" ? entry[1] : entry?.[1]?.[0];
}

/** The platform compares, in a time that tells nothing. */
async function isSigned(signed: Uint8Array<ArrayBuffer>, signature: string, secret: string): Promise<boolean> {
	if (!signature.startsWith("v1,")) return false;
	const algorithm = { name: "HMAC", hash: "SHA-256" };
	const key = await crypto.subtle.importKey("raw", bytesOf(secret.slice(PREFIX.length)), algorithm, false, ["verify"]);
	try {
		return await crypto.subtle.verify("HMAC", key, bytesOf(signature.slice("v1,".length)), signed);
	} catch {
		return false;
	}
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
	return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
