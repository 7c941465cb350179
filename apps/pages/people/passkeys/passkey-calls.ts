import { Failure } from "@svc/base/failure";
import { verifyPasskey } from "@svc/people/passkeys/passkey-sign-in";
import type { ShownOptions } from "@svc/people/passkeys/passkeys";
import type { VerifiedLogin } from "@svc/people/sign-in/sign-in";
import { deviceOf } from "../../kit/device.ts";
import type { FormFields } from "../../kit/form.ts";
import type { PagesRooms } from "../../kit/rooms.ts";
import type { Visit } from "../../kit/visit.ts";
import { localeOf } from "../language.ts";
import { t } from "../messages.ts";
import { type FormFault, faultOf, signedIn } from "../sign-in.ts";

/* What forms about passkeys send and are answered, from a browser. */

/** For the script, which asks for it. */
export function optionsAnswer(options: ShownOptions): Response {
	const headers = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
	return Response.json(options, { headers });
}

/** What a passkey said; empty where it was not asked. */
export function sentCredential(form: FormFields): { readonly options: string; readonly credential: unknown } {
	return { options: form.get("options") ?? "", credential: parsed(form.get("credential") ?? "") };
}

/** Whatever is no JSON is no credential, which the rules say. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/**
 * The person whose passkey it is: signed in in this browser from then on, or confirmed in the session that is named.
 * @param sessionId null for a sign-in
 * @throws Failure forbidden for an account that may not sign in
 */
export async function verifySent(
	rooms: PagesRooms,
	visit: Visit,
	form: FormFields,
	sessionId: string | null,
): Promise<VerifiedLogin | FormFault> {
	try {
		const verified = await verifyPasskey(rooms.people, {
			...sentCredential(form),
			sessionId,
			device: deviceOf(visit.request),
			address: rooms.addressOf(visit.request),
			kind: "web",
			knownDevice: visit.cookies.read("device"),
			locale: await localeOf(rooms, visit),
			requestId: visit.requestId,
		});
		await signedIn(rooms, visit, verified);
		return verified;
	} catch (cause) {
		const wrong = () => t("passkey.wrong");
		return faultOf(cause, { invalid_code: wrong, validation_error: wrong });
	}
}

/** Whether a refusal is about a field of the form. */
export function isAbout(cause: unknown, field: string): boolean {
	return cause instanceof Failure && cause.code === "validation_error" && cause.details?.[field] !== undefined;
}
