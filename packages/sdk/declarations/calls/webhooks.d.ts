import type { Event, Job, WebhookDelivery, WebhookDeliveryState, WebhookEndpoint, WebhookEndpointState } from "../shapes.js";
import type { Open, WithSecret } from "../types.js";
import { type Calls } from "../wire/calls.js";
import type { CallOptions, PostOptions } from "../wire/request.js";
import type { Transport } from "../wire/transport.js";
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
export declare function webhooksOf(transport: Transport, calls: Calls, appId: string): {
    list(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("../types.js").List<WebhookEndpoint>>;
    all(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<WebhookEndpoint, void, undefined>;
    get: (id: string, options?: CallOptions) => Promise<WebhookEndpoint>;
    create: (endpoint: NewWebhookEndpoint, options?: PostOptions) => Promise<WebhookEndpoint & WithSecret>;
    edit: (id: string, changes: WebhookEndpointChanges, options?: CallOptions) => Promise<WebhookEndpoint>;
    delete: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
    /** The old secret signs as well for `oldExpiresIn`: seconds or a duration, a day by default. */
    rotate: (id: string, oldExpiresIn?: string | number, options?: PostOptions) => Promise<WebhookEndpoint & WithSecret>;
    test: (id: string, options?: PostOptions) => Promise<WebhookDelivery>;
    /** Sends what was not delivered since then. */
    recover: (id: string, since: Date | string, options?: PostOptions) => Promise<Job>;
    deliveries: (id: string) => {
        list(options?: (import("../wire/calls.js").PageOptions & Partial<{
            state: Open<WebhookDeliveryState>;
            event_id: string;
            types: string;
        }>) | undefined): Promise<import("../types.js").List<WebhookDelivery>>;
        all(options?: (import("../wire/calls.js").PageOptions & Partial<{
            state: Open<WebhookDeliveryState>;
            event_id: string;
            types: string;
        }>) | undefined): AsyncGenerator<WebhookDelivery, void, undefined>;
        get: (delivery: string, { include, ...options }?: DeliveryOptions) => Promise<WebhookDelivery>;
        redeliver: (delivery: string, options?: PostOptions) => Promise<WebhookDelivery>;
    };
} & {
    readonly update: (id: string, changes: WebhookEndpointChanges, options?: CallOptions) => Promise<WebhookEndpoint>;
    readonly remove: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
};
/** What came with a webhook: a `Headers`, or an object of them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
export interface VerifyOptions {
    /** How old, or how far ahead, `webhook-timestamp` may be, in seconds. Default: 300. */
    readonly toleranceSeconds?: number | undefined;
    /** Milliseconds since 1970. Default: now. */
    readonly now?: number | undefined;
}
/**
 * The event of a webhook, once it is certain that the service sent it. `body` is the request's body as it came, before it was parsed. One event may come
 * more than once: its `id` tells.
 * @throws TypeError for an argument that is missing or of a wrong kind, and for a body that was signed with none of the secrets, or not lately
 */
export declare function verifyWebhook(body: string, headers: WebhookHeaders, secret: string | readonly string[], options?: VerifyOptions): Promise<Event>;
