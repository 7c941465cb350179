import { keyHash } from "@svc/images/create/idempotency";
import type { Elysia } from "elysia";
import type { GenericSchema } from "valibot";
import { billingPlans } from "./billing/billing-plans.ts";
import { userStatus } from "./billing/billing-status.ts";
import { personKeyRoute } from "./connect/user-keys.ts";
import { presets } from "./delivery/presets.ts";
import { signingKeys } from "./delivery/signing-keys.ts";
import { events } from "./events/events.ts";
import { storageLabels } from "./images/app-usage.ts";
import { answerCreate, readCreateRequest } from "./images/create.ts";
import { dailyUsage } from "./images/daily-usage.ts";
import { imageMoves } from "./images/image-moves.ts";
import { USER_HEADER } from "./images/images-document.ts";
import { imports } from "./imports/imports.ts";
import { keyExpiry, keyName, keyPermissions } from "./keys/key.ts";
import { readInput } from "./kit/body.ts";
import { type KeyCall, openRoute, respond, storageRoute } from "./kit/call.ts";
import { exposing, readKey } from "./kit/headers.ts";
import type { ApiRooms } from "./kit/rooms.ts";
import { uploadTickets } from "./tickets/upload-tickets.ts";
import { uploads } from "./tickets/uploads.ts";
import { webhookDeliveries } from "./webhooks/webhook-deliveries.ts";
import { webhookEndpoints } from "./webhooks/webhook-endpoints.ts";

/* What the API hands to the interface version that is served, for the routes in which it differs: a version imports no face. */

/** Registers routes. */
export type AddRoutes = (app: Elysia, rooms: ApiRooms) => void;

/** What `GET /v1/billing/status` tells, and how the API document describes it. */
export interface BillingStatus {
	readonly summary: string;
	readonly parameters: typeof USER_HEADER;
	readonly schema: GenericSchema;
	read(rooms: ApiRooms, call: KeyCall): Promise<unknown>;
}

export interface ApiParts {
	readonly rooms: ApiRooms;
	readonly openRoute: typeof openRoute;
	readonly storageRoute: typeof storageRoute;
	readonly respond: typeof respond;
	readonly readInput: typeof readInput;
	/** Headers that scripts of other origins may read, besides those of all answers. */
	readonly exposing: typeof exposing;
	readonly readKey: typeof readKey;
	/** The digest under which an Idempotency-Key is remembered. */
	readonly keyHash: typeof keyHash;
	readonly readCreateRequest: typeof readCreateRequest;
	readonly answerCreate: typeof answerCreate;
	readonly userHeader: typeof USER_HEADER;
	readonly keyFields: {
		readonly name: typeof keyName;
		readonly permissions: typeof keyPermissions;
		readonly expiry: typeof keyExpiry;
	};
	/** A route by which people make keys to a storage of theirs. */
	readonly personKeyRoute: typeof personKeyRoute;
	/** `GET /v1/billing/plans`. */
	readonly billingPlans: AddRoutes;
	readonly userStatus: BillingStatus;
	/** What an App's backend gets beyond the specification. */
	readonly platform: readonly AddRoutes[];
}

export function apiParts(rooms: ApiRooms): ApiParts {
	return {
		rooms,
		openRoute,
		storageRoute,
		respond,
		readInput,
		exposing,
		readKey,
		keyHash,
		readCreateRequest,
		answerCreate,
		userHeader: USER_HEADER,
		keyFields: { name: keyName, permissions: keyPermissions, expiry: keyExpiry },
		personKeyRoute,
		billingPlans,
		userStatus,
		platform: [
			...[events, webhookEndpoints, webhookDeliveries],
			...[dailyUsage, imageMoves, presets, signingKeys, storageLabels, uploadTickets, uploads, imports],
		],
	};
}
