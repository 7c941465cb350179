/* Signing in on the service's own page, and the sessions of this App. */

import { randomBytes } from "node:crypto";
import { ApiError } from "@svc/sdk";
import { Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { message } from "./page.mjs";
import { hostedCard, origin, svc } from "./svc.mjs";

/** Who is signed in, by session. An App keeps this in its database, with the time at which each ends. */
const sessions = new Map();
// A host's cookies are shared by all of its ports. Here the service may be a neighbour, whose session is called `session`.
const SESSION = "app_session";
const STATE = "app_state";
// Lax: other sites can lead people here, and cannot send forms in their name.
const cookie = { httpOnly: true, sameSite: "Lax", secure: origin.startsWith("https:"), path: "/" };
const secret = () => randomBytes(32).toString("base64url");

/** `{ id: "usr_…", email, verified }`, or undefined for a visitor. */
export function userOf(context) {
	return sessions.get(getCookie(context, SESSION));
}

function signOut(context) {
	sessions.delete(getCookie(context, SESSION));
	deleteCookie(context, SESSION, cookie);
}

export const signIn = new Hono();

signIn.get("/sign-in", (context) => {
	// Kept in this browser alone: whoever comes back without it was sent by somebody else.
	const state = secret();
	setCookie(context, STATE, state, { ...cookie, maxAge: 3600 });
	return context.redirect(hostedCard("/connect", "/callback", { state }));
});

signIn.get("/callback", async (context) => {
	const { code, error, state } = context.req.query();
	const kept = getCookie(context, STATE);
	deleteCookie(context, STATE, cookie);
	if (!kept || state !== kept) return message(context, 400, "This sign-in is over", "Please sign in again.");
	if (error) return message(context, 200, "You are not signed in");

	const { user } = await svc.exchange(code);
	sessions.delete(getCookie(context, SESSION));
	const session = secret();
	sessions.set(session, user);
	setCookie(context, SESSION, session, { ...cookie, maxAge: 30 * 24 * 3600 });
	return context.redirect("/");
});

signIn.post("/sign-out", (context) => {
	signOut(context);
	return context.redirect("/", 303);
});

/** The page for a failure; who has left the App is signed out. */
export function failed(error, context) {
	if (error instanceof ApiError && error.code === "user_forbidden") {
		signOut(context);
		return message(context, 403, "You have left this App", "Sign in to come back.");
	}
	if (error instanceof ApiError && error.status < 500 && error.status !== 401) {
		const [field, reasons] = Object.entries(error.details ?? {})[0] ?? [];
		const why = field ? `${field}: ${reasons.join(", ")}` : error.message;
		return message(context, error.status, "That did not work", why);
	}
	console.error(error);
	return message(context, 500, "That did not work", "Try again in a moment.");
}
