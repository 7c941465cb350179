import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { refundBySeller } from "@svc/billing/operators/operator-billing";
import type { OwnedSubscription } from "@svc/billing/subscription";
import type { Elysia } from "elysia";
import type * as v from "valibot";
import { ok } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { appRoute, freshAgain } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";
import { encodeInvoice, invoiceSchema, refundEntries } from "./invoice-document.ts";
import {
	encodeDispute,
	encodePrice,
	encodeSeller,
	encodeSubscription,
	managedSubscriptionSchema,
} from "./subscription-document.ts";

/** Who pays an App, as its team sees them. What the App pays itself is its billing. */
export function subscriptions(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, "/v1/apps/:id/subscriptions", appRoute(rooms, "plans:read", "viewer"), {
		operationId: "listSubscriptions",
		summary: "The App's subscribers with what they were charged and paid back, newest first",
		tags: ["plans"],
		of: managedSubscriptionSchema,
		find: (page, call) => rooms.billing.subscriptions.listSold(call.app.pk, page),
		encode: (owned) => encodeManaged(rooms, owned),
	});
	route(app, "GET", "/v1/apps/:id/subscriptions/:subscription", appRoute(rooms, "plans:read", "viewer"), {
		operationId: "getSubscription",
		summary: "One subscription with its invoices and refunds",
		tags: ["plans"],
		answers: { 200: managedSubscriptionSchema },
		run: async ({ app: { pk }, params }) => {
			const { subscription: id = "" } = params;
			const found = isId("sub", id) ? await rooms.billing.subscriptions.findSold(pk, id) : undefined;
			if (!found) throw new Failure("not_found");
			return ok(encodeManaged(rooms, found));
		},
	});
	route(app, "POST", "/v1/apps/:id/subscriptions/:subscription/refund", appRoute(rooms, "plans:write", "owner"), {
		operationId: "refundSubscription",
		summary: "Pays an invoice of a subscriber back, or part of it, and tells them why",
		tags: ["plans"],
		body: refundEntries,
		answers: { 200: invoiceSchema },
		again: freshAgain,
		run: async (call) => {
			const { subscription = "" } = call.params;
			return ok(encodeInvoice(rooms, await refundBySeller(rooms.billing, call, subscription, await call.input())));
		},
	});
}

export function encodeManaged(
	rooms: ApiRooms,
	owned: OwnedSubscription,
): v.InferOutput<typeof managedSubscriptionSchema> {
	return {
		...encodeSubscription(owned),
		created_at: isoDate(owned.createdMs),
		user_id: owned.userId,
		email: owned.email,
		ended_at: owned.endedMs === null ? null : isoDate(owned.endedMs),
		seller: encodeSeller(rooms, owned.seller),
		price: encodePrice(owned.bought),
		dispute: encodeDispute(owned),
		invoices: owned.invoices.map((invoice) => encodeInvoice(rooms, invoice)),
	};
}
