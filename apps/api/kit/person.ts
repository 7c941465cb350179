import { isAtLeast } from "@svc/apps/authority";
import { getMembership, type Membership } from "@svc/apps/team";
import type { Actor } from "@svc/base/actor";
import type { Role } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { bearer } from "@svc/keys/keys";
import {
	actorOf,
	identifyPerson,
	isPersonal,
	type Person,
	requireOperator,
	requireScope,
	requireSession,
	type Scope,
} from "@svc/people/people";
import { type Answer, type Call, type Guard, respond } from "./call.ts";
import { once } from "./once.ts";
import type { ApiRooms } from "./rooms.ts";

/* Routes of the management API: who may call them is said where they are registered, and checked before a body is read. */

export interface PersonCall extends Call {
	readonly person: Person;
	/** The account and request that the audit logs. */
	readonly by: Actor;
}

export interface AppCall extends PersonCall, Membership {}

/** A route for every person who is signed in; `scope` is what a token needs for it. */
export function personRoute(rooms: ApiRooms, scope: Scope | "any"): Guard<PersonCall> {
	return (run) => (context) => respond(rooms, context, (call) => asPerson(rooms, call, scope, run));
}

/** A route for everybody, at which whoever is signed in may say so: by a session. */
export function anybodyRoute(rooms: ApiRooms): Guard<Call & Partial<PersonCall>> {
	return (run) => (context) =>
		respond(rooms, context, async (call) => {
			if (call.request.headers.get("authorization") === null) return await run(call);
			return await asPerson(rooms, call, "any", run);
		});
}

async function asPerson(
	rooms: ApiRooms,
	call: Call,
	scope: Scope | "any",
	run: (call: PersonCall) => Promise<Answer>,
): Promise<Answer> {
	const secret = bearer(call.request.headers.get("authorization"));
	if (!isPersonal(secret)) {
		const message = "This call needs a person's session or token, not an App's key.";
		throw Failure.saying("forbidden", message);
	}
	const person = await identifyPerson(rooms.people, secret);
	rooms.limits.calls.take(person.session.id);
	if (scope !== "any") requireScope(person, scope);
	const by = actorOf(person, call.requestId, rooms.clock.now());
	return await once(rooms, call, person.account.id, () => run({ ...call, person, by }));
}

/** A route for a person's session: no token reaches what is the person's alone. */
export function sessionRoute(rooms: ApiRooms): Guard<PersonCall> {
	const guard = personRoute(rooms, "any");
	return (run) =>
		guard(async (call) => {
			requireSession(call.person);
			return await run(call);
		});
}

/** A route below `/v1/apps/{id}` for those who have at least this role in that App. */
export function appRoute(rooms: ApiRooms, scope: Scope, role: Role): Guard<AppCall> {
	const guard = personRoute(rooms, scope);
	return (run) =>
		guard(async (call) => {
			return await run({ ...call, ...(await requireRole(rooms, call, role)) });
		});
}

/** @throws Failure not_found for those who are not in the App's team, forbidden for lower roles */
export async function requireRole(rooms: ApiRooms, { person, params }: PersonCall, role: Role): Promise<Membership> {
	const membership = await getMembership(rooms.apps, person, params.id ?? "");
	if (isAtLeast(membership.role, role)) return membership;
	const message = `This needs the role ${role} in this App; yours is ${membership.role}.`;
	throw Failure.saying("forbidden", message);
}

/** A route for operators. What cannot be undone asks for a fresh session besides, once nothing else refuses it. */
export function operatorRoute(rooms: ApiRooms, scope: Scope): Guard<PersonCall> {
	const guard = personRoute(rooms, "any");
	return (run) =>
		guard(async (call) => {
			requireOperator(call.person, scope);
			return await run(call);
		});
}
