import type { StartedLogin } from "@svc/people/sign-in";
import { about, dateTime, named } from "@svc/variants/shape";
import * as v from "valibot";
import type { Answer } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";

export const loginSchema = named(
	"Login",
	v.object({
		id: v.string(),
		object: v.literal("login"),
		secret: about(v.string(), "Needed to verify the code that was mailed: it binds the code to whoever asked for it."),
		expires_at: dateTime,
		resend_after: about(dateTime, "From when on another code may be asked for."),
	}),
	"An e-mail code that is under way.",
);

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
