import { SIGN_IN_KINDS } from "@svc/base/enumerations";
import { startStepUp } from "@svc/people/me";
import type { Session } from "@svc/people/people";
import { endOtherSessions, endSession, listSessions } from "@svc/people/sessions";
import { type StartedLogin, startLogin } from "@svc/people/sign-in/login-start";
import { type VerifiedLogin, verifyLogin } from "@svc/people/sign-in/sign-in";
import { text } from "@svc/variants/bounds";
import { about, dateTime, integer, named, oneOf, shownOnce } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { ok, openRoute } from "../kit/call.ts";
import type { Answer } from "../kit/call-types.ts";
import { isoDate } from "../kit/dates.ts";
import { personRoute, sessionRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";
import { accountSchema, encodeAccount } from "./account.ts";

const CLIENT_MAX = 100;

/** What a client says of itself. */
export const clientName = v.optional(
	v.pipe(
		text(10 * CLIENT_MAX, `must have at most ${CLIENT_MAX} characters`),
		v.check((client) => [...client].length <= CLIENT_MAX, `must have at most ${CLIENT_MAX} characters`),
		// The name is shown in lists, in terminals too.
		v.check((client) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(client), "must not hold control characters"),
		v.metadata({ jsonSchema: { type: "string", maxLength: CLIENT_MAX } }),
	),
	"",
);

const login = {
	email: text(1_000),
	client: clientName,
	device_token: v.optional(text(1_000)),
};

const verification = { secret: text(1_000), code: text(100) };

const sessionEntries = {
	id: v.string(),
	object: v.literal("session"),
	kind: oneOf("SessionKind", SIGN_IN_KINDS),
	device: v.nullable(v.string()),
	fresh_until: about(
		v.nullable(dateTime),
		"Until when what a thief must not do needs no new code; null when never confirmed.",
	),
	network: about(v.nullable(v.string()), "Where it was begun: `192.0.2.0/24`, of IPv6 the /48."),
	current: about(v.boolean(), "Whether it is the one that asks."),
	expires_at: about(dateTime, "After 30 days without use, after 90 in any case."),
	last_used_at: about(dateTime, "To five minutes."),
	created_at: dateTime,
};
const ending = { keep_tokens: v.optional(v.boolean("must be true or false"), false) };
const endedSchema = named(
	"Ended",
	v.object({ object: v.literal("ended"), sessions: integer, tokens: integer }),
	"How many were ended.",
);
const sessionSchema = named("Session", v.object(sessionEntries));
export const verifiedSchema = named(
	"NewSession",
	v.object({
		...sessionEntries,
		secret: v.optional(about(v.string(), "Of a new session; shown once.")),
		device_token: about(
			v.string(),
			"For this device to send with its next login: strangers' wrong codes then do not keep it out.",
		),
		account: accountSchema,
	}),
	"The answer to a right code, or to what a passkey has signed.",
);

export const loginSchema = named(
	"Login",
	v.object({
		id: v.string(),
		object: v.literal("login"),
		secret: shownOnce("Needed to verify the code that was mailed: it binds the code to whoever asked for it"),
		expires_at: dateTime,
		resend_after: about(dateTime, "From when on another code may be asked for."),
	}),
	"An e-mail code that is under way.",
);

/** A code is on its way, or would be: the answer does not tell whether the address has an account. */
export function mailed(login: StartedLogin): Answer<v.InferOutput<typeof loginSchema>> {
	const body = {
		id: login.id,
		object: "login",
		secret: login.secret,
		expires_at: isoDate(login.expiresMs),
		resend_after: isoDate(login.resendMs),
	} as const;
	return { status: 202, body };
}

export function encodeSession(session: Session, current: boolean): v.InferOutput<typeof sessionSchema> {
	return {
		id: session.id,
		object: "session",
		kind: session.kind === "web" ? "web" : "console",
		device: session.device,
		fresh_until: isoDate(session.freshMs),
		network: session.network,
		current,
		expires_at: isoDate(session.expiresMs),
		last_used_at: isoDate(session.lastUsedMs ?? session.createdMs),
		created_at: isoDate(session.createdMs),
	};
}

/** A new session with its secret (201), or one that was confirmed (200). */
export function encodeVerified(verified: VerifiedLogin): Answer<v.InferOutput<typeof verifiedSchema>> {
	const { account, session, secret, deviceToken } = verified;
	const body = {
		...encodeSession(session, true),
		...(secret !== null && { secret }),
		device_token: deviceToken,
		account: encodeAccount(account),
	};
	return { status: secret === null ? 200 : 201, body };
}

/** Signing in by e-mail code, and what it makes. */
export function sessions(app: Elysia, rooms: ApiRooms): void {
	signIn(app, rooms);
	list(app, rooms, "/v1/sessions", personRoute(rooms, "any"), {
		operationId: "listSessions",
		summary: "One's own sessions that have not ended",
		tags: ["people"],
		of: sessionSchema,
		scope: (call) => call.person.account.id,
		find: async (page, { person }) => {
			const found = await listSessions(rooms.people, person, page);
			return found.map((session) => ({ ...session, current: session.id === person.session.id }));
		},
		encode: (session) => encodeSession(session, session.current),
	});
	route(app, "POST", "/v1/sessions/end-others", sessionRoute(rooms), {
		operationId: "endOtherSessions",
		summary: "Ends every other session and, unless they are kept, every token of one's account, in one commit",
		tags: ["people"],
		body: ending,
		answers: { 200: endedSchema },
		run: async (call) => {
			const { keep_tokens: keepTokens } = await call.input();
			const ended = await endOtherSessions(rooms.people, call.person, { keepTokens }, call.by);
			return ok({ object: "ended", ...ended });
		},
	});
	route(app, "DELETE", "/v1/sessions/:id", personRoute(rooms, "any"), {
		operationId: "endSession",
		summary: "Ends one of one's own sessions at once; `current` is the one in use",
		tags: ["people"],
		answers: { 200: tombstoneSchema },
		run: async ({ person, params, by }) => deleted("session", await endSession(rooms.people, person, params.id, by)),
	});
}

function signIn(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", "/v1/sessions/login", openRoute(rooms), {
		operationId: "login",
		summary: "Mails a code to sign in with; the same for addresses that have no account yet",
		tags: ["people"],
		security: [],
		body: login,
		answers: { 202: loginSchema },
		run: async (call) => {
			const { email, client, device_token: knownDevice = null } = await call.input();
			const address = rooms.addressOf(call.request);
			return mailed(
				await startLogin(rooms.people, { purpose: "console", email, device: client, address, knownDevice }),
			);
		},
	});
	route(app, "POST", "/v1/sessions/login/:id/verify", openRoute(rooms), {
		operationId: "verifyLogin",
		summary: "Takes the mailed code: makes a session (201), or confirms a step-up or a new address (200, no secret)",
		tags: ["people"],
		security: [],
		body: verification,
		answers: { 201: verifiedSchema, 200: verifiedSchema },
		run: async (call) => {
			const { secret, code } = await call.input();
			const { params, request, requestId } = call;
			const sent = { id: params.id, secret, code, address: rooms.addressOf(request) };
			const verified = await verifyLogin(rooms.people, { ...sent, kind: "console", requestId });
			return encodeVerified(verified);
		},
	});
	route(app, "POST", "/v1/sessions/step-up", sessionRoute(rooms), {
		operationId: "stepUp",
		summary: "Mails a code; verified, it makes this session fresh for what cannot be undone",
		tags: ["people"],
		answers: { 202: loginSchema },
		run: async ({ person, request, requestId }) =>
			mailed(await startStepUp(rooms.people, person, { address: rooms.addressOf(request), requestId })),
	});
}
