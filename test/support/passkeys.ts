import { makePasskey, type SoftPasskey, signWith } from "./authenticator.ts";
import { as } from "./people.ts";
import { type Caller, send } from "./requests.ts";
import type { OpenService } from "./service.ts";
import { bodyOf } from "./sign-in.ts";

/* Passkeys over the API, from options to answer. */

type Signs = Parameters<typeof signWith>;

/** Nobody, from one network address: `from` of sign-in.ts sends an empty bearer, which is one that nobody knows. */
export function stranger(address = "203.0.113.9"): Caller & { readonly headers: Readonly<Record<string, string>> } {
	return { headers: { "X-Forwarded-For": address } };
}

/** A request without any bearer. */
export function asNobody(service: OpenService, path: string, body: unknown, { headers = {} } = stranger()) {
	const sent = { ...headers, "Content-Type": "application/json" };
	return service.api(path, { method: "POST", body: JSON.stringify(body), headers: sent });
}

export interface CreationAnswer {
	readonly id: string;
	readonly object: string;
	readonly publicKey: Parameters<typeof makePasskey>[0] & Readonly<Record<string, unknown>>;
}

export interface RequestAnswer {
	readonly id: string;
	readonly object: string;
	readonly publicKey: Signs[1] & Readonly<Record<string, unknown>>;
}

export async function creationFor(service: OpenService, person: { readonly secret: string }): Promise<CreationAnswer> {
	return await bodyOf(await send(service, "POST", "/v1/me/passkeys/options", undefined, as(person)), 200);
}

/** A passkey that is kept, by its id here and as its authenticator has it. */
export async function keptPasskey(
	service: OpenService,
	person: { readonly secret: string },
	name = "Phone",
	claims: Parameters<typeof makePasskey>[1] = {},
): Promise<{ readonly id: string; readonly passkey: SoftPasskey }> {
	const options = await creationFor(service, person);
	const { passkey, credential } = await makePasskey(options.publicKey, claims);
	const body = { options: options.id, name, credential };
	const answer = await send(service, "POST", "/v1/me/passkeys", body, as(person));
	return { id: (await bodyOf<{ readonly id: string }>(answer, 201)).id, passkey };
}

export async function requestFor(service: OpenService, person?: { readonly secret: string }): Promise<RequestAnswer> {
	const path = "/v1/sessions/passkey";
	if (person) return await bodyOf(await send(service, "POST", path, {}, as(person)), 200);
	return await bodyOf(await asNobody(service, path, {}), 200);
}

/** Options, a signature over them, and what the service says of it. */
export async function signInWith(
	service: OpenService,
	passkey: SoftPasskey,
	claims: Signs[2] = {},
	more: object = {},
): Promise<Response> {
	const options = await requestFor(service);
	const credential = await signWith(passkey, options.publicKey, claims);
	return await asNobody(service, "/v1/sessions/passkey/verify", { options: options.id, credential, ...more });
}
