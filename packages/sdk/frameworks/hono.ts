import { checkArguments } from "../wire/check.ts";
import { CALLBACK, REQUIRE_USER, SIGN_IN, SIGN_OUT } from "../wire/takes.ts";
import { gateOf, hasLeft, type People, type User, visitOf } from "./people.ts";

export type { People, User } from "./people.ts";

/** The part of a context of Hono that is used. */
export interface HonoContext {
	readonly req: { readonly raw: Request };
	set(name: "user", value: User): void;
	/** What a handler failed with. */
	readonly error?: Error | undefined;
	res?: Response | undefined;
}

/** Sends people to the page of the service on which they sign in, without showing it to who can come back at once. */
export function signIn(people: People): (context: HonoContext) => Promise<Response> {
	checkArguments("signIn", SIGN_IN, [people]);
	const gate = gateOf("signIn", people);
	return (context) => gate.signIn(visitOf(context.req.raw));
}

/** Takes them back, at the path of `redirectUri`. */
export function callback(people: People): (context: HonoContext) => Promise<Response> {
	checkArguments("callback", CALLBACK, [people]);
	const gate = gateOf("callback", people);
	return (context) => gate.callback(visitOf(context.req.raw));
}

/** Signs out in this browser and leads to `/`. For a form: `app.post("/sign-out", signOut(people))`. */
export function signOut(people: People): (context: HonoContext) => Promise<Response> {
	checkArguments("signOut", SIGN_OUT, [people]);
	const gate = gateOf("signOut", people);
	return (context) => gate.signOut(visitOf(context.req.raw));
}

/** Lets none but users on: `c.get("user")` says who it is. A page of a visitor is led to sign in, anything else gets 401. */
export function requireUser(
	people: People,
): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined> {
	checkArguments("requireUser", REQUIRE_USER, [people]);
	const gate = gateOf("requireUser", people);
	return async (context, next) => {
		const visit = visitOf(context.req.raw);
		const user = await gate.findUser(visit);
		if (user === undefined) return gate.refuse(visit);
		context.set("user", user);
		await next();
		if (hasLeft(context.error)) {
			// They have left this very moment. What was answered goes first: its headers would stay.
			context.res = undefined;
			context.res = gate.refuse(visit);
		}
		return undefined;
	};
}
