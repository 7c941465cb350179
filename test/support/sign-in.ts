import type { Database } from "@svc/base/database/client";
import { sql } from "drizzle-orm";
import { codeFor } from "./connect.ts";
import { send } from "./requests.ts";
import type { OpenService } from "./service.ts";

/* Signing in over the API, as a console does it. */

export interface SentLogin {
	readonly id: string;
	readonly secret: string;
	readonly expires_at: string;
	readonly resend_after: string;
}

export interface SignedIn {
	readonly id: string;
	readonly secret: string;
	readonly device_token: string;
	readonly fresh_until: string;
	readonly expires_at: string;
	readonly account: { readonly id: string; readonly email: string; readonly verified: boolean };
}

/** Nobody's key, from one network address. */
export function from(address: string) {
	return { headers: { Authorization: "", "X-Forwarded-For": address } };
}

export function askCode(service: OpenService, body: object, caller = from("203.0.113.1")): Promise<Response> {
	return send(service, "POST", "/v1/sessions/login", body, caller);
}

/** A login that must start. */
export async function startLogin(service: OpenService, email: string, more: object = {}): Promise<SentLogin> {
	return await bodyOf(await askCode(service, { email, ...more }), 202);
}

export function verify(service: OpenService, login: Pick<SentLogin, "id" | "secret">, code: string): Promise<Response> {
	const { id, secret } = login;
	return send(service, "POST", `/v1/sessions/login/${id}/verify`, { secret, code }, from("203.0.113.1"));
}

/** The answer to the newest code that was mailed to an address. */
export async function verifyLatest(service: OpenService, login: SentLogin, email: string): Promise<Response> {
	return await verify(service, login, await codeFor(service.database, email));
}

/** All the way. */
export async function signIn(service: OpenService, email: string, more: object = {}): Promise<SignedIn> {
	return await bodyOf(await verifyLatest(service, await startLogin(service, email, more), email), 201);
}

/** The body of an answer that must have this status. */
export async function bodyOf<Body>(answer: Response, status: number): Promise<Body> {
	if (answer.status !== status) throw new Error(`${answer.status} ${await answer.text()}`);
	return (await answer.json()) as Body;
}

/** The events that the audit tells of a target, oldest first. */
export async function eventsOf(database: Database, target: string): Promise<readonly string[]> {
	const rows = await database.read(() =>
		database.queries.values<[string]>(sql`SELECT event FROM audit WHERE target = ${target} ORDER BY pk`),
	);
	return rows.map(([event]) => event);
}
