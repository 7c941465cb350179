import type { Access } from "@svc/apps/access";
import type { Usage } from "@svc/images/usage/usage";
import type { KeyAccess } from "@svc/keys/keys";
import type * as v from "valibot";
import type { JsonBounds } from "./body/json-bounds.ts";

/* One request as a route's function gets it, and what is answered. */

export interface Call {
	readonly request: Request;
	readonly url: URL;
	readonly params: Readonly<Record<string, string>>;
	readonly requestId: string;
	/** Of a POST whose answer is kept under its Idempotency-Key. */
	readonly posted: PostedRoute | undefined;
	/** The address that shows what the call may have changed. */
	readonly seenAt: () => string | undefined;
	/** Answers a POST once under its Idempotency-Key. Guards bind it to the caller; where nobody is known it runs each time. */
	readonly once: Once;
}

/** A call about the images of one storage. */
export interface StorageCall extends Call {
	readonly access: Access;
	/** Headers for whatever the answer will be, an error too. */
	readonly addHeaders: AddHeaders;
	/** Counters of the storage that the call is about, as they are now. */
	usage(): Promise<Usage>;
}

/** A call that only a key can make. */
export interface KeyCall extends StorageCall {
	readonly access: KeyAccess;
}

export type AddHeaders = (headers: Readonly<Record<string, string>>) => void;

export interface Answer<Body = unknown> {
	readonly status: number;
	/** Goes out as JSON; a stream as it is, with a Content-Type among the headers. */
	readonly body: Body;
	readonly headers?: Readonly<Record<string, string>>;
}

/** The part of Elysia's handler context that is used here. */
export interface RouteContext {
	readonly request: Request;
	/** Null where an address holds what is no percent-encoded UTF-8. */
	readonly params?: Readonly<Record<string, string | null>> | undefined;
	/** The route's path, with the names of its parameters; empty where none matched. */
	readonly template: string;
	/** The address that shows what a call of this path may have changed. */
	readonly seenAt?: ((path: string) => string | undefined) | undefined;
	readonly posted?: PostedRoute;
}

export type RouteHandler = (context: RouteContext) => Promise<Response>;

/** Decides whether a caller may make a call, and tells the route who the caller is. */
export type Guard<Known extends Call> = (run: (call: Known) => Promise<Answer>) => RouteHandler;

/** What is to be known of a POST's route. */
export interface PostedRoute {
	/** The fields of its body; undefined where it takes none. */
	readonly body: v.ObjectEntries | undefined;
	/** Of its body, where they are not the usual. */
	readonly bounds?: JsonBounds | undefined;
	readonly answers: Readonly<Record<number, v.GenericSchema<unknown, unknown>>>;
	/** Answers another request, as the API answers it from outside. */
	readonly handle: (request: Request) => Promise<Response>;
}

/** Throws where the caller may not make the call any more, or where what the answer tells of has moved. */
export type Again = (answer: Answer) => unknown;

/** Runs a route's function, unless the same POST was answered before. `again` is asked before an answer is given a second time. */
export type Once = (run: () => Promise<Answer>, again?: Again) => Promise<Answer>;
