import type { Elysia } from "elysia";
import type { GenericSchema } from "valibot";
import type { Answer, KeyCall, RouteHandler, StorageCall } from "./kit/call-types.ts";
import type { ApiRooms } from "./kit/rooms.ts";
import type { RouteParameter } from "./kit/route.ts";

/* What an interface version has of its own in the API. */

/** Registers routes. */
export type AddRoutes = (app: Elysia, rooms: ApiRooms) => void;

/** What describes a route in the API document besides what all versions say of it. */
type Described = Readonly<Record<string, unknown>>;

/** What `GET /v1/billing/status` tells, and how the API document describes it. */
export interface BillingStatus {
	readonly summary: string;
	readonly parameters: RouteParameter;
	readonly schema: GenericSchema;
	read(rooms: ApiRooms, call: KeyCall): Promise<unknown>;
}

export interface ApiVersion {
	/** The create of an image: `keyed` is the route for key holders. */
	readonly creates: { route(keyed: RouteHandler, rooms: ApiRooms): RouteHandler; readonly detail: Described };
	/** The read of one image: `own` answers with an image of the caller's storage. */
	readonly reads: {
		route(own: (call: StorageCall) => Promise<Answer>, rooms: ApiRooms): RouteHandler;
		readonly detail: Described;
	};
	readonly billingStatus: BillingStatus;
	/** The routes that it adds to those of all; one with the path of another takes its place. */
	readonly routes: readonly AddRoutes[];
}
