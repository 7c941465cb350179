import type { Actor } from "@svc/base/actor";
import { Failure } from "@svc/base/failure";
import { startStepUp } from "@svc/people/me";
import { hasPasskey } from "@svc/people/passkeys/passkeys";
import { actorOf, type Person } from "@svc/people/people";
import { type FormFields, formToken, readForm, requireToken, TOKEN_FIELD } from "../../kit/form.ts";
import type { PagesRooms } from "../../kit/rooms.ts";
import { PageRefusal, type PageResult, redirect, type Visit } from "../../kit/visit.ts";
import { t } from "../messages.ts";
import { bind, type OpenFlow } from "../sign-in.ts";
import { findSignedIn } from "../signed-in.ts";
import { askToSignIn } from "./account-sign-in.ts";

/* What every page of one's own account begins with: who is signed in, and whether a form is theirs. */

export interface AccountCall {
	readonly rooms: PagesRooms;
	readonly visit: Visit;
	readonly person: Person;
	/** A token for forms on the page, bound to the session: a form from before a sign-out does nothing. */
	readonly token: string;
	/** The account and request that the audit logs. */
	readonly by: Actor;
}

export interface AccountPost extends AccountCall {
	readonly form: FormFields;
}

/** What a form asks for. */
export type Deed = (call: AccountPost) => Promise<PageResult>;

/** A form that was sent, kept until its sender has confirmed who they are. */
export interface KeptForm {
	/** The path of the deed, as it is registered. */
	readonly path: string;
	readonly params: Readonly<Record<string, string>>;
	readonly fields: readonly (readonly [string, string])[];
}

/** A page for the person who is signed in; everybody else is asked to sign in. */
export async function look(
	rooms: PagesRooms,
	visit: Visit,
	run: (call: AccountCall) => Promise<PageResult>,
): Promise<PageResult> {
	const call = await findCall(rooms, visit);
	return call ? run(call) : askToSignIn(rooms, visit);
}

/**
 * Does what a form of the account asks for. Where that needs a fresh session, the form is kept, and done as soon as its sender has typed
 * a code (confirm.tsx).
 * @param path the path as it is registered
 */
export async function change(rooms: PagesRooms, visit: Visit, path: string, deed: Deed): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const call = await getCall(rooms, visit);
	await requireToken(form, visit.cookies.read("session"), "/account");
	try {
		return await deed({ ...call, form });
	} catch (cause) {
		if (!isStale(cause)) throw cause;
		return await askToConfirm(call, path, form);
	}
}

/** @throws Refusal 403 where nobody is signed in */
export async function getCall(rooms: PagesRooms, visit: Visit): Promise<AccountCall> {
	const call = await findCall(rooms, visit);
	if (call) return call;
	throw new PageRefusal(403, t("signed_out"), t("signed_out.text"), {
		again: { href: "/account", label: t("sign_in") },
	});
}

/** A form of a step in which a code is typed, of somebody who is signed in. */
export interface FlowPost {
	readonly call: AccountCall;
	readonly flow: OpenFlow;
	readonly form: FormFields;
}

/** @throws Refusal 403 where nobody is signed in, and for a form that is not theirs; 410 for a step that is over */
export async function readFlowForm(
	rooms: PagesRooms,
	visit: Visit,
	getFlow: (rooms: PagesRooms, visit: Visit) => Promise<OpenFlow>,
	again: string,
): Promise<FlowPost> {
	const form = await readForm(visit, rooms.addresses);
	const call = await getCall(rooms, visit);
	const flow = await getFlow(rooms, visit);
	await requireToken(form, visit.cookies.read("session"), again);
	return { form, call, flow };
}

/** Undefined where nobody is signed in. */
export async function findCall(rooms: PagesRooms, visit: Visit): Promise<AccountCall | undefined> {
	const person = await findSignedIn(rooms, visit);
	if (!person) return undefined;
	const token = await formToken(visit.cookies.read("session") ?? "");
	return { rooms, visit, person, token, by: actorOf(person, visit.requestId, rooms.clock.now()) };
}

function isStale(cause: unknown): boolean {
	return cause instanceof Failure && cause.code === "forbidden" && cause.details?.session !== undefined;
}

/** Keeps a form until its sender has typed a code, and leads to where that is done. */
export async function askToConfirm(
	{ rooms, visit, person }: AccountCall,
	path: string,
	form: FormFields,
): Promise<PageResult> {
	const fields = [...form].filter(([name]) => name !== TOKEN_FIELD);
	const kept: KeptForm = { path, params: visit.params, fields };
	const address = rooms.addressOf(visit.request);
	// Whoever has a passkey may need no code.
	const unsent = await hasPasskey(rooms.people, person);
	const login = await startStepUp(rooms.people, person, { address, deed: JSON.stringify(kept), unsent });
	bind(rooms, visit, login);
	return redirect(`/account/confirm?login=${login.id}`);
}
