import { checkArguments } from "../wire/check.ts";
import { CALLBACK, REQUIRE_USER, SIGN_IN, SIGN_OUT, USER_LEFT } from "../wire/takes.ts";
import { type Gate, gateOf, hasLeft, type People, type User, type Visit } from "./people.ts";

export type { People, User } from "./people.ts";

/** The part of a request of Express that is used. */
export interface ExpressRequest {
	readonly method: string;
	readonly originalUrl: string;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The part of a response of Express that is used. */
export interface ExpressResponse {
	statusCode: number;
	readonly headersSent: boolean;
	appendHeader(name: string, value: string): unknown;
	end(body: string): unknown;
}

export type ExpressHandler = (
	request: ExpressRequest,
	response: ExpressResponse,
	next: (error?: unknown) => void,
) => Promise<void>;

/** Sends people to the page of the service on which they sign in, without showing it to who can come back at once. */
export function signIn(people: People): ExpressHandler {
	checkArguments("signIn", SIGN_IN, [people]);
	return answering(gateOf("signIn", people), "signIn");
}

/** Takes them back, at the path of `redirectUri`. */
export function callback(people: People): ExpressHandler {
	checkArguments("callback", CALLBACK, [people]);
	return answering(gateOf("callback", people), "callback");
}

/** Signs out in this browser and leads to `/`. For a form: `app.post("/sign-out", signOut(people))`. */
export function signOut(people: People): ExpressHandler {
	checkArguments("signOut", SIGN_OUT, [people]);
	return answering(gateOf("signOut", people), "signOut");
}

/** Lets none but users on: `req.user` says who it is. A page of a visitor is led to sign in, anything else gets 401. */
export function requireUser(people: People): ExpressHandler {
	checkArguments("requireUser", REQUIRE_USER, [people]);
	const gate = gateOf("requireUser", people);
	return async (request, response, next) => {
		try {
			const user = await gate.findUser(visitOf(request));
			if (user === undefined) return await send(gate.refuse(visitOf(request)), response);
			(request as ExpressRequest & { user?: User }).user = user;
		} catch (error) {
			return next(error);
		}
		next();
	};
}

/**
 * After the routes: `app.use(userLeft(people))`. Who has left the App since they were last asked for, so that a call about them is refused with
 * `user_forbidden`, is answered as a visitor is; any other failure goes on.
 */
export function userLeft(
	people: People,
): (error: unknown, request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => void {
	checkArguments("userLeft", USER_LEFT, [people]);
	const gate = gateOf("userLeft", people);
	return (error, request, response, next) => {
		if (!hasLeft(error) || response.headersSent) return next(error);
		send(gate.refuse(visitOf(request)), response).catch(next);
	};
}

function answering(gate: Gate, what: "signIn" | "callback" | "signOut"): ExpressHandler {
	return async (request, response, next) => {
		try {
			await send(await gate[what](visitOf(request)), response);
		} catch (error) {
			next(error);
		}
	};
}

function visitOf({ originalUrl, method, headers }: ExpressRequest): Visit {
	return {
		url: originalUrl,
		method,
		header(name) {
			const value = headers[name];
			return Array.isArray(value) ? value.join(", ") : value;
		},
	};
}

async function send(answer: Response, response: ExpressResponse): Promise<void> {
	response.statusCode = answer.status;
	for (const [name, value] of answer.headers) if (name !== "set-cookie") response.appendHeader(name, value);
	for (const cookie of answer.headers.getSetCookie()) response.appendHeader("set-cookie", cookie);
	response.end(await answer.text());
}
