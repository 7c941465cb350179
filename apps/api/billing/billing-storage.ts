import type { Variant } from "@svc/variants/variant";
import type { Elysia } from "elysia";
import { USER_HEADER } from "../images/images-document.ts";
import { type KeyCall, keyRoute, ok } from "../kit/call.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

/* What a storage may take in, as the App's backend reads it (specification, "GET /v1/billing/status [T][L]"). */

type StorageStatus = NonNullable<Variant["billing"]["storageStatus"]>;

export function storageBillingStatus(app: Elysia, rooms: ApiRooms, status: StorageStatus): void {
	route(app, "GET", "/v1/billing/status", keyRoute(rooms, "read"), {
		operationId: "getBillingStatus",
		summary: "The plan and the usage of the selected storage, and the plans that there are",
		tags: ["billing"],
		parameters: [USER_HEADER],
		answers: { 200: status.schema },
		run: (call) => read(rooms, call, status),
	});
}

/** Reads alone, and asks no payment processor: the tier of a storage changes with what the processor has told. */
async function read({ variant, addresses }: ApiRooms, { access, usage }: KeyCall, status: StorageStatus) {
	const counted = variant.usage.encode(await usage(), access);
	return ok(status.encode(counted, access, addresses));
}
