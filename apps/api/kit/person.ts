import type { Membership } from "@svc/apps/app-record";
import { isAtLeast } from "@svc/apps/authority";
import { getMembership } from "@svc/apps/team/team";
import type { Actor } from "@svc/base/actor";
import { isPersonal } from "@svc/base/crypto/secrets";
import type { Role } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { bearer, requireKey } from "@svc/keys/keys";
import {
	actorOf,
	type Person,
	requireFresh,
	requireOperator,
	requireScope,
	requireSession,
	type Scope,
} from "@svc/people/people";
import { identifyPerson, visitorOf } from "@svc/people/visitors";
import { boundTo } from "./call.ts";
import type { Answer, Call, Guard, Once } from "./call-types.ts";
import { respond } from "./respond.ts";
import type { ApiRooms } from "./rooms.ts";

/* Routes of the management API: who may call them is said where they are registered, and checked before a body is read. */

export interface PersonCall extends Call {
	readonly person: Person;
	/** The account and request that the audit logs. */
	readonly by: Actor;
	/** Who the caller is by now. @throws Failure unauthorized once the session or the account has ended */
	anew(): Promise<Person>;
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
			if (!visitorOf(call.request) && call.request.headers.get("authorization") === null) return await run(call);
			return await asPerson(rooms, call, "any", run);
		});
}

async function asPerson(
	rooms: ApiRooms,
	call: Call,
	scope: Scope | "any",
	run: (call: PersonCall) => Promise<Answer>,
): Promise<Answer> {
	const proof = visitorOf(call.request) ?? bearer(call.request.headers.get("authorization"));
	if (typeof proof === "string" && !isPersonal(proof)) {
		await requireKey(rooms.keys, proof);
		const message = "This call needs a person's session or token, not an App's key.";
		throw Failure.saying("forbidden", message);
	}
	const anew = () => identifyPerson(rooms.people, proof);
	const person = await anew();
	rooms.limits.calls.take(person.session.id);
	if (scope !== "any") requireScope(person, scope);
	const by = actorOf(person, call.requestId, rooms.clock.now());
	// An App is named by the path, where the call is about one.
	const bound = boundTo(rooms, call, { caller: person.account.id, about: [], anew });
	return await run({ ...bound, person, by, anew });
}

/** A guard that asks for more than another, and asks it again before an answer is given a second time. */
export function furthered<Known extends PersonCall, More extends object>(
	guard: Guard<Known>,
	ask: (call: Known) => More | Promise<More>,
): Guard<Known & More> {
	return (run) =>
		guard(async (call) => {
			const more = await ask(call);
			const once: Once = (work, again) =>
				call.once(work, async (answer) => {
					await ask({ ...call, person: await call.anew() });
					await again?.(answer);
				});
			return await run({ ...call, ...more, once });
		});
}

/** A route for a person's session: no token reaches what is the person's alone. */
export function sessionRoute(rooms: ApiRooms): Guard<PersonCall> {
	return furthered(personRoute(rooms, "any"), ({ person }) => {
		requireSession(person);
		return {};
	});
}

/** Of a route that needs a fresh session: so does its answer, when it is given again. */
export function freshAgain({ person, by }: PersonCall): void {
	requireFresh(person, by.nowMs);
}

/** A route below `/v1/apps/{id}` for those who have at least this role in that App. */
export function appRoute(rooms: ApiRooms, scope: Scope, role: Role): Guard<AppCall> {
	return furthered(personRoute(rooms, scope), (call) => requireRole(rooms, call, role));
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
	return furthered(personRoute(rooms, "any"), ({ person }) => {
		requireOperator(person, scope);
		return {};
	});
}
