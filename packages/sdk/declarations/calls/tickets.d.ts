import type { UploadTicket, UploadTicketFormat, UploadTicketState } from "../shapes.js";
import { type Pages } from "../wire/calls.js";
import type { CallOptions } from "../wire/request.js";
import type { Transport } from "../wire/transport.js";
/** Of the image to be. Whoever uploads sees them in the answer. */
export interface TicketFields {
    readonly caption?: string | undefined;
    /** A Date, ISO 8601, or a unix timestamp in seconds. Default: the time of the upload. */
    readonly publishedAt?: Date | string | number | undefined;
    /** Seconds, or a duration such as `24h` or `7d`, counted from the upload. Default: no expiry. */
    readonly ttl?: string | number | undefined;
    readonly metadata?: Readonly<Record<string, string>> | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    /** A name of your own, of which a storage has each once: the upload is refused where another image has it by then. */
    readonly externalId?: string | undefined;
}
export interface TicketOptions extends CallOptions {
    /** Until when an upload may begin: seconds, or a duration such as `10m`, from a minute to a day. Default: `1h`. */
    readonly expiresIn?: string | number | undefined;
    /** Default: what the service takes. */
    readonly maxBytes?: number | undefined;
    /** Judged by the bytes. Default: all. */
    readonly formats?: readonly UploadTicketFormat[] | undefined;
    /** The pages that may upload, as `https://app.example.com`. Default: any. */
    readonly origins?: readonly string[] | undefined;
    readonly fields?: TicketFields | undefined;
    /** Repeating a create with its key makes no second ticket, for 24 hours. Default: a new random key for each call. */
    readonly idempotencyKey?: string | undefined;
}
type TicketFilter = {
    readonly state: UploadTicketState;
};
/** Upload tickets of the App storage, or of the selected user's. */
export interface Tickets extends Pages<UploadTicket, TicketFilter> {
    /** A permission to upload one image without a key, for a browser or a phone. Its `url` is a secret between the two. */
    create(options?: TicketOptions): Promise<UploadTicket>;
    get(id: string, options?: CallOptions): Promise<UploadTicket>;
    /** Ends an open ticket. @throws ApiError `state_conflict` for one that was used */
    cancel(id: string, options?: CallOptions): Promise<UploadTicket>;
}
export declare function ticketsOn(transport: Transport): Tickets;
export {};
