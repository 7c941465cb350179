import { cancelByOperator, extendByOperator, refundByOperator } from "@svc/billing/operators/operator-billing";
import { oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { ok } from "../kit/call.ts";
import { schemaOf } from "../kit/document/document.ts";
import { readWord } from "../kit/page.ts";
import { freshAgain, operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";
import { encodeInvoice, invoiceSchema, reason, refundEntries } from "./invoice-document.ts";
import { managedSubscriptionSchema } from "./subscription-document.ts";
import { encodeManaged } from "./subscriptions.ts";

/* What operators see of all subscriptions, and do for their payers. */

const STATES = ["live", "ended"] as const;
const state = oneOf("SubscriptionState", STATES);

const DAYS = "must be a whole number from 1 to 365";
const days = v.pipe(v.number(DAYS), v.integer(DAYS), v.minValue(1, DAYS), v.maxValue(365, DAYS));

const PATH = "/v1/operator/subscriptions";

export function operatorSubscriptions(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, PATH, operatorRoute(rooms, "operator:read"), {
		operationId: "listAllSubscriptions",
		summary: "Every subscription, of Apps' users and of Apps themselves, newest first",
		tags: ["operator"],
		filters: [query("app"), query("state", schemaOf(state)), query("email")],
		of: managedSubscriptionSchema,
		find({ filters: { app: seller, email, ...words }, ...page }) {
			const filter = { app: seller, email, state: readWord("state", words.state, STATES) };
			return rooms.billing.subscriptions.listAll(filter, page);
		},
		encode: (owned) => encodeManaged(rooms, owned),
	});
	route(app, "POST", `${PATH}/:subscription/cancel`, operatorRoute(rooms, "operator:write"), {
		operationId: "cancelSubscription",
		summary: "Ends a subscription, at once or with its term, and tells its payer why",
		tags: ["operator"],
		body: { at: v.picklist(["now", "period_end"], "must be now or period_end"), reason },
		answers: { 200: managedSubscriptionSchema },
		again: freshAgain,
		run: async (call) => {
			const { subscription = "" } = call.params;
			return ok(encodeManaged(rooms, await cancelByOperator(rooms.billing, subscription, await call.input(), call)));
		},
	});
	route(app, "POST", `${PATH}/:subscription/extend`, operatorRoute(rooms, "operator:write"), {
		operationId: "extendSubscription",
		summary: "Moves the end of a trial, a paid term or the time for a failed payment, without a charge",
		tags: ["operator"],
		body: { days, reason },
		answers: { 200: managedSubscriptionSchema },
		again: freshAgain,
		run: async (call) => {
			const { subscription = "" } = call.params;
			return ok(encodeManaged(rooms, await extendByOperator(rooms.billing, subscription, await call.input(), call)));
		},
	});
	route(app, "POST", `${PATH}/:subscription/refund`, operatorRoute(rooms, "operator:write"), {
		operationId: "refundInvoice",
		summary: "Pays an invoice back, or part of it, and tells its payer why",
		tags: ["operator"],
		body: refundEntries,
		answers: { 200: invoiceSchema },
		again: freshAgain,
		run: async (call) => {
			const { subscription = "" } = call.params;
			return ok(encodeInvoice(rooms, await refundByOperator(rooms.billing, subscription, await call.input(), call)));
		},
	});
}
