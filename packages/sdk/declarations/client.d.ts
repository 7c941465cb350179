import { type Addresses } from "./calls/addresses.js";
import { type Events } from "./calls/events.js";
import { type Images } from "./calls/images.js";
import { type Imports } from "./calls/imports.js";
import { type Tickets } from "./calls/tickets.js";
import { type UsageCalls } from "./calls/usage.js";
import type { AuthContext, BillingStatus, ConnectedUser, Key, Plan, PlansOnSale } from "./shapes.js";
import { type Pages } from "./wire/calls.js";
import type { CallOptions, ClientOptions, RequestOptions } from "./wire/request.js";
export type { CreateCall, CreateOptions, DeleteOptions, ImageChanges, Images, IncludeOptions, ReplaceOptions, SignImageOptions, StreamOptions, StringMapChange, UploadOptions, } from "./calls/images.js";
/**
 * Every call rejects with ApiError when the service refused, with ConnectionError when no answer came, and with the signal's
 * reason when it was aborted.
 */
export interface Client extends Addresses {
    readonly images: Images;
    /** What happened to the App. */
    readonly events: Events;
    /** Permissions to upload one image each, for browsers and phones; they upload with `uploadWithTicket`. */
    readonly tickets: Tickets;
    /** Images made of many addresses at once. */
    readonly imports: Imports;
    readonly usage: UsageCalls;
    /** The App's connected users, for an App-wide key with `read`, on a client without a user. */
    readonly users: Pages<ConnectedUser, {
        readonly email: string;
    }> & {
        /**
         * With `images` and `limits`: "2 of 3". Null in `limits` means any number.
         * @throws ApiError `not_found`
         */
        get(id: string, options?: CallOptions): Promise<ConnectedUser>;
    };
    /** The key itself: what it reaches and may do. */
    readonly key: {
        get(options?: CallOptions): Promise<Key>;
    };
    readonly billing: {
        /**
         * The status of the selected user, or of the one who owns the key. While a renewal is being confirmed, calls wait and try again.
         * @throws ApiError `forbidden` without a user
         */
        status(options?: CallOptions): Promise<BillingStatus>;
        /** Does the same without waiting: while a renewal is being confirmed, returns the status that was read last. */
        statusOr(kept: BillingStatus, options?: CallOptions): Promise<KeptStatus>;
        /** The plans that the key's App has on sale, for an App-wide key. */
        readonly plans: Pages<Plan, Record<never, never>, PlansOnSale>;
    };
    /**
     * The person who signed in, for the code that the callback was given: once, within a minute, with an App-wide key.
     * @throws ApiError `invalid_code`
     */
    exchange(code: string, options?: CallOptions): Promise<AuthContext>;
    /**
     * The same calls for one connected user: nothing that it does is about anybody else, or about the App storage.
     * @throws TypeError for what is no id of a user: `usr_…`
     */
    forUser(id: string): UserClient;
    /** Makes any other call. `path` begins with `/v1/`; the answer's type is the caller's claim. */
    request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<T>;
}
/** The calls that are about one connected user, and name no other. */
export interface UserClient {
    readonly images: Omit<Images, "copy" | "move">;
    readonly tickets: Tickets;
    readonly imports: Imports;
    /** Daily usage can tell of the whole App: it is the client's own. */
    readonly usage: Pick<UsageCalls, "get">;
    readonly billing: Pick<Client["billing"], "status" | "statusOr">;
}
/** @throws TypeError for an option that is missing, unknown or of a wrong kind */
export declare function createClient(options: ClientOptions): Client;
/** A billing status, fresh or from the last read. */
export interface KeptStatus {
    readonly status: BillingStatus;
    /** Undefined for a fresh status; otherwise the seconds before a new one can be had. */
    readonly retryAfterSeconds: number | undefined;
}
