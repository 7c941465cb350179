import type { StartedLogin } from "@svc/people/sign-in";
import * as v from "valibot";
import type { Answer } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";

export const loginSchema = v.object({
	id: v.string(),
	object: v.literal("login"),
	secret: v.pipe(v.string(), v.description("Needed to verify the code that was mailed")),
	expires_at: v.string(),
	resend_after: v.pipe(v.string(), v.description("From when on another code is worth asking for")),
});

/** A code is on its way, or would be: nothing tells whether the address has an account. */
export function mailed(login: StartedLogin): Answer {
	const body: v.InferOutput<typeof loginSchema> = {
		id: login.id,
		object: "login",
		secret: login.secret,
		expires_at: isoDate(login.expiresMs),
		resend_after: isoDate(login.resendMs),
	};
	return { status: 202, body };
}
