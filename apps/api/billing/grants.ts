import { endGrant, type Giving, giveGrant } from "@svc/billing/operators/grants";
import type { PlanGrant } from "@svc/billing/plans/plan";
import { date } from "@svc/images/image-fields";
import { getOperatedApp } from "@svc/operator/accounts/operator-apps";
import { hasScope, requireScope } from "@svc/people/people";
import { text } from "@svc/variants/bounds";
import { about, dateTime, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { ok } from "../kit/call.ts";
import type { Guard } from "../kit/call-types.ts";
import { isoDate } from "../kit/dates.ts";
import { furthered, type PersonCall, personRoute, requireRole } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

/* Plans that an App's Owner, or an operator, gives a user for nothing. */

export const grantSchema = named(
	"Grant",
	v.object({
		id: v.string(),
		object: v.literal("grant"),
		user_id: v.string(),
		plan_key: v.string(),
		plan_name: v.string(),
		until: dateTime,
		reason: about(v.string(), "The user reads it."),
		granted_by: about(v.string(), "The account that gave it."),
		ended_at: v.nullable(dateTime),
		created_at: dateTime,
	}),
	"A plan that a user of an App is given for nothing; what they pay for goes before it.",
);

const REASON_MAX = 500;
const REASON_RULE = `must have at most ${REASON_MAX} characters`;

const wishEntries = {
	plan_key: text(64, "is no key of a plan", "must be the key of a plan of this App"),
	until: date,
	reason: v.pipe(
		text(10 * REASON_MAX, REASON_RULE, "must be text"),
		v.trim(),
		v.minLength(1, "must say why: the user reads it"),
		v.maxLength(REASON_MAX, REASON_RULE),
	),
};

const PATH = "/v1/apps/:id/users/:user/grant";

export function grants(app: Elysia, rooms: ApiRooms): void {
	route(app, "PUT", PATH, givingRoute(rooms), {
		operationId: "grantPlan",
		summary: "Gives a user a plan for nothing, for at most a year, in the place of what they were given before",
		tags: ["plans"],
		body: wishEntries,
		answers: { 200: grantSchema },
		run: async (call) => {
			const { plan_key: planKey, until: untilMs, reason } = await call.input();
			return ok(
				encodeGrant(await giveGrant(rooms.billing, call.giving, call.params.user, { planKey, untilMs, reason })),
			);
		},
	});
	route(app, "DELETE", PATH, givingRoute(rooms), {
		operationId: "ungrantPlan",
		summary: "Takes back what a user was given",
		tags: ["plans"],
		answers: { 200: grantSchema },
		run: async (call) => ok(encodeGrant(await endGrant(rooms.billing, call.giving, call.params.user))),
	});
}

interface GivingCall extends PersonCall {
	readonly giving: Giving;
}

/** For the App's Owner, and for operators, who are in no team. */
function givingRoute(rooms: ApiRooms): Guard<GivingCall> {
	return furthered(personRoute(rooms, "any"), async (call) => ({ giving: await givingOf(rooms, call) }));
}

async function givingOf(rooms: ApiRooms, call: PersonCall): Promise<Giving> {
	const { person, by, params } = call;
	const { account, session } = person;
	const operates = account.operator && session.appPk === null && hasScope(session.scopes, "operator:write");
	const known = operates ? await rooms.apps.memberships.find(params.id ?? "", account.pk) : undefined;
	if (operates && known?.role !== "owner") {
		return { app: await getOperatedApp(rooms.operator, params.id ?? ""), owner: null, by };
	}
	requireScope(person, "plans:write");
	const membership = await requireRole(rooms, call, "owner");
	return { app: membership.app, owner: { ...membership, person, by }, by };
}

export function encodeGrant(grant: PlanGrant): v.InferOutput<typeof grantSchema> {
	return {
		id: grant.id,
		object: "grant",
		user_id: grant.userId,
		plan_key: grant.plan.key,
		plan_name: grant.plan.name,
		until: isoDate(grant.untilMs),
		reason: grant.reason,
		granted_by: grant.grantedBy,
		ended_at: isoDate(grant.endedMs),
		created_at: isoDate(grant.createdMs),
	};
}
