import type { Addresses } from "@svc/base/addresses";
import { Failure } from "@svc/base/failure";
import type { Payer } from "@svc/billing/payers/payers";
import { getUserBilling, type UserBilling } from "@svc/billing/payers/user-billing";
import type { PublishedStatus } from "@svc/billing/subscriptions/published-statuses";
import { about, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { appReference } from "../apps/app-reference.ts";
import { USER_HEADER } from "../images/images-document.ts";
import { keyRoute, ok } from "../kit/call.ts";
import type { KeyCall } from "../kit/call-types.ts";
import { isoDate } from "../kit/dates.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";
import type { BillingStatus } from "../version.ts";
import {
	accessSchema,
	encodeAccess,
	encodeGranted,
	encodeSubscription,
	subscriptionSchema,
} from "./subscription-document.ts";

/* One user's subscription, as the App's backend reads it (specification, "GET /v1/billing/status"). */

const statusSchema = named(
	"BillingStatus",
	v.object({
		object: v.literal("billing_status"),
		app: appReference,
		purchasing_enabled: v.boolean(),
		trial_eligible: v.boolean(),
		has_subscribed: v.boolean(),
		access: accessSchema,
		subscription: v.nullable(subscriptionSchema),
		billing_url: about(v.string(), "Where the user's browser is sent to buy and to manage."),
	}),
	"Where one user of an App stands: `access` says what they may use.",
);

export function billingStatus(
	app: Elysia,
	rooms: ApiRooms,
	{ summary, parameters, schema, read }: BillingStatus,
): void {
	route(app, "GET", "/v1/billing/status", keyRoute(rooms, "read"), {
		operationId: "getBillingStatus",
		summary,
		tags: ["billing"],
		parameters: [parameters],
		answers: { 200: schema },
		run: async (call) => ok(await read(rooms, call)),
	});
}

/** Where one user stands with what the App sells. */
export const userStatus: BillingStatus = {
	summary: "One user's subscription: what it gives, and how it stands",
	parameters: { ...USER_HEADER, description: "Whose subscription; an App-wide key must send it" },
	schema: statusSchema,
	read,
};

async function read(rooms: ApiRooms, call: KeyCall) {
	const billing = await getUserBilling(rooms.billing, await getPayer(rooms, call));
	return encode(rooms, billing);
}

/** @throws Failure forbidden with what is missing; user_forbidden for a user's own key after they were disconnected */
async function getPayer(rooms: ApiRooms, { access, request }: KeyCall): Promise<Payer> {
	const { reach } = access.key;
	if (reach === "bucket") {
		throw forbidden(
			"Billing status needs an App-wide key with the user in X-Svc-User; this key reaches the App storage only.",
		);
	}
	if (reach === "app" && !request.headers.has("x-svc-user")) {
		throw forbidden("Send the user whose billing status this is about in the header X-Svc-User.");
	}
	const payer = await rooms.billing.payers.findByStorage(access.storage.pk);
	if (!payer) throw new Failure("user_forbidden");
	return payer;
}

function forbidden(message: string): Failure {
	return Failure.saying("forbidden", message);
}

/** Of an event: as {@link userStatus} answered at that moment. */
export function encodeStatus(addresses: Addresses, status: PublishedStatus): v.InferOutput<typeof statusSchema> {
	const { app, access, subscription } = status;
	return {
		object: "billing_status",
		app: { id: app.id, object: "app", name: app.name },
		purchasing_enabled: status.purchasingEnabled,
		trial_eligible: status.trialEligible,
		has_subscribed: status.hasSubscribed,
		access: { plan_key: access.planKey, status: access.status, expires_at: isoDate(access.expiresMs) },
		subscription: subscription && {
			id: subscription.id,
			object: "subscription",
			plan_key: subscription.planKey,
			price_id: subscription.priceId,
			status: subscription.status,
			trial_end: isoDate(subscription.trialEndMs),
			current_period_end: isoDate(subscription.periodEndMs),
			cancel_at_period_end: subscription.cancelAtPeriodEnd,
			cancel_at: isoDate(subscription.cancelAtMs),
			pending_plan_key: subscription.pendingPlanKey,
			pending_effective_at: isoDate(subscription.pendingMs),
		},
		billing_url: billingUrl(addresses, app.id),
	};
}

function billingUrl({ web }: Addresses, appId: string): string {
	return `${web}/billing?app=${appId}`;
}

function encode(rooms: ApiRooms, { payer, access, subscription, grant, trialEligible }: UserBilling) {
	const { id, name } = payer.app;
	const { selling } = payer.seller;
	const body: v.InferOutput<typeof statusSchema> = {
		object: "billing_status",
		app: { id, object: "app", name },
		purchasing_enabled: selling && rooms.billing.processor.takesPayments,
		trial_eligible: trialEligible,
		has_subscribed: subscription !== undefined,
		access: grant ? encodeGranted(grant) : encodeAccess(access, subscription),
		subscription: subscription && !grant ? encodeSubscription(subscription) : null,
		billing_url: billingUrl(rooms.addresses, id),
	};
	return body;
}
