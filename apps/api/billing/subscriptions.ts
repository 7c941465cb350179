import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import type { OwnedSubscription } from "@svc/billing/subscriptions";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers } from "../kit/document.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { appRoute } from "../kit/person.ts";
import { encodeInvoice, invoiceSchema } from "./app-billing.ts";
import { encodeSubscription, subscriptionSchema } from "./subscription-document.ts";

const ownedSchema = v.object({
	...subscriptionSchema.entries,
	created_at: v.string(),
	/** Null for the App's own plan. */
	user_id: v.nullable(v.string()),
	ended_at: v.nullable(v.string()),
	invoices: v.array(invoiceSchema),
});

/** Who pays an App, and the App's own plan, as its team sees them. */
export function subscriptions(app: Elysia, deps: ApiDeps): void {
	app.get(
		"/v1/apps/:id/subscriptions",
		appRoute(deps, { scope: "plans:read", role: "viewer" }, (call) =>
			listPage(deps, call, { find: (page) => deps.subscriptions.list(call.app.pk, page), encode }),
		),
		{
			detail: {
				operationId: "listSubscriptions",
				summary: "The App's subscribers with what they were charged and paid back, newest first",
				tags: ["plans"],
				...answers(200, listSchema(ownedSchema)),
			},
		},
	);
	app.get(
		"/v1/apps/:id/subscriptions/:subscription",
		appRoute(deps, { scope: "plans:read", role: "viewer" }, async ({ app: { pk }, params }) => {
			const { subscription: id = "" } = params;
			const found = isId("sub", id) ? await deps.subscriptions.findOwned(pk, id) : undefined;
			if (!found) throw new Failure("not_found");
			return { status: 200, body: encode(found) };
		}),
		{
			detail: {
				operationId: "getSubscription",
				summary: "One subscription with its invoices and refunds",
				tags: ["plans"],
				...answers(200, ownedSchema),
			},
		},
	);
}

function encode(owned: OwnedSubscription): v.InferOutput<typeof ownedSchema> {
	return {
		...encodeSubscription(owned),
		created_at: isoDate(owned.createdMs),
		user_id: owned.userId,
		ended_at: owned.endedMs === null ? null : isoDate(owned.endedMs),
		invoices: owned.invoices.map(encodeInvoice),
	};
}
