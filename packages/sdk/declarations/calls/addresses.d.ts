import type { Key } from "../shapes.js";
import type { CallOptions } from "../wire/request.js";
/** Where a hosted page leads back to. */
export interface WayBack {
    /** One of the App's redirect URIs: `svc redirect-uris create`. */
    readonly redirectUri: string;
    /** Comes back as it is. At most 512 characters. */
    readonly state?: string | undefined;
}
export interface ConnectUrlOptions extends WayBack {
    /** Shows no page: who is signed in at the service and connected comes back at once, anybody else with `error=interaction_required`. */
    readonly silent?: boolean | undefined;
}
export interface BillingUrlOptions extends WayBack {
    /** A price that is bought at once by who has no plan. */
    readonly priceId?: string | undefined;
}
/** Addresses of the service's own pages, to which an App sends browsers. The key's App is asked for once. */
export interface Addresses {
    /** Where people sign in to the App. @throws TypeError for a `state` above 512 characters */
    connectUrl(options: ConnectUrlOptions): Promise<string>;
    /** Where a signed-in user buys, changes and cancels a plan. @throws TypeError for a `state` above 512 characters */
    billingUrl(options: BillingUrlOptions): Promise<string>;
    /** Where people see what is theirs at the service, and all their Apps. */
    accountUrl(): Promise<string>;
    /** Where a user leaves the App, with all of their pictures in it. */
    disconnectUrl(): Promise<string>;
}
export declare function addressesOf(getKey: (options?: CallOptions) => Promise<Key>, baseUrl: string): Addresses;
