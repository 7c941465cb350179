import type { StreamedForm } from "../uploads/upload.js";
/** What a `fetch` throws instead of sending something: it goes to the caller as it is, and nothing is tried again. @internal */
export declare class NotSent extends Error {
}
/** The part of the global `fetch` that is used; give another one to log, to proxy or to test. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
export interface ClientOptions {
    /** Address of the REST API, without `/v1`. */
    readonly baseUrl: string;
    /** Null sends none: for what a deployment allows without a key. */
    readonly apiKey: string | null;
    /** App that every call about images is about; for a person's session or token, since a key belongs to one App. */
    readonly app?: string | undefined;
    /** Connected user whose storage every call is about, unless the call says otherwise; null, or left out: the App storage. */
    readonly user?: string | null;
    readonly fetch?: Fetch | undefined;
    /** Milliseconds for each try, body included, or of a stream those in which nothing moves. Default: 60,000, and more for large uploads. */
    readonly timeoutMs?: number | undefined;
    /** Milliseconds that are left for a call, with all its tries and the waits between; asked as the call begins. Default: no end. */
    readonly leftMs?: (() => number) | undefined;
    /** How often a failed call is repeated where that is harmless. Default: 3. */
    readonly retries?: number | undefined;
}
/** What a successful answer said besides its body. */
export interface Answer {
    readonly status: number;
    readonly headers: Headers;
}
/** The options of a client whose calls may name no other user than its own. */
export interface UserClientOptions extends ClientOptions {
    readonly user: string;
    readonly isForOneUser: true;
}
export interface CallOptions {
    readonly signal?: AbortSignal | undefined;
    /** Connected user of this call; null means the App storage although the client has a user. */
    readonly user?: string | null;
    readonly timeoutMs?: number | undefined;
    /** Overrides the client's own. */
    readonly retries?: number | undefined;
    /** Called with each successful answer, for its headers. */
    readonly onAnswer?: ((answer: Answer) => void) | undefined;
}
export interface PostOptions extends CallOptions {
    /** 1 to 255 printable ASCII characters. Sent again with it within a day, the call is answered as before instead of made twice. */
    readonly idempotencyKey?: string | undefined;
}
export interface QueryOptions extends CallOptions {
    readonly query?: Query | undefined;
}
export interface RequestOptions extends QueryOptions {
    /** Sent as JSON; FormData is sent as it is. */
    readonly body?: unknown;
    /** 1 to 255 printable ASCII characters. A POST that carries one is repeated after a transient failure. */
    readonly idempotencyKey?: string | undefined;
}
/** One call, ready to be sent once or repeatedly. */
export interface PreparedRequest {
    readonly url: string;
    readonly init: RequestInit;
    /** A body that is read anew for each try, in place of one in `init`. */
    readonly form: StreamedForm | undefined;
    readonly repeatable: boolean;
    /** What a successful answer holds. */
    readonly answer: "object" | "bytes" | "stream" | "any";
    readonly timeoutMs: number;
    readonly call: CallOptions;
}
/**
 * This is checked here rather than by the runtime, whose message would quote a malformed header, and this one is a secret.
 * @throws TypeError
 */
export declare function checkClient({ apiKey, baseUrl }: ClientOptions, maker: string): void;
/** @throws TypeError for a path without its slash, and for header values that HTTP cannot carry. */
export declare function prepareRequest(client: ClientOptions | UserClientOptions, method: string, path: string, options: RequestOptions): PreparedRequest;
/** Marks a body that is read as it is sent. Known by it, uploads are loaded by those alone who upload. @internal */
export declare const STREAMED: unique symbol;
/** Null makes a flag without a value; undefined leaves the parameter out. */
export type QueryValue = string | number | boolean | null | undefined;
export type Query = Readonly<Record<string, QueryValue>>;
/** The query with its question mark, in the order given; empty when there are no parameters. */
export declare function encodeQuery(query: Query): string;
