import type { Passkey } from "@svc/people/passkeys/passkey";
import { startPasskeySignIn, startPasskeyStepUp, verifyPasskey } from "@svc/people/passkeys/passkey-sign-in";
import type { ShownOptions } from "@svc/people/passkeys/passkeys";
import { addPasskey, listPasskeys, removePasskey, startPasskey } from "@svc/people/passkeys/passkeys";
import { requireSession } from "@svc/people/people";
import { text } from "@svc/variants/bounds";
import { about, dateTime, KEY_OR_NONE, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { shownName } from "../kit/body/shown-name.ts";
import { created, ok, openRoute } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { anybodyRoute, freshAgain, sessionRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";
import { clientName, encodeVerified, verifiedSchema } from "./sessions.ts";

const passkeySchema = named(
	"Passkey",
	v.object({
		id: v.string(),
		object: v.literal("passkey"),
		name: v.string(),
		last_used_at: v.nullable(dateTime),
		created_at: dateTime,
	}),
);

const optionsSchema = named(
	"PasskeyOptions",
	v.object({
		id: v.string(),
		object: v.literal("passkey_options"),
		publicKey: about(
			v.record(v.string(), v.unknown()),
			"For the browser: `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` of the WebAuthn standard.",
		),
	}),
	"What a browser needs to make or use a passkey: good for 5 minutes, once.",
);

const options = v.pipe(
	text(100, "must be the id of options"),
	v.description("Id of the options that the credential answers"),
);
/** Looked at by the rules, which bound each of its fields. */
const credential = v.pipe(
	v.record(v.string(), v.unknown(), "must be the JSON of a credential"),
	v.description("The JSON of the browser’s answer (`credential.toJSON()`)"),
);

export function encodePasskey({ id, name, lastUsedMs, createdMs }: Passkey): v.InferOutput<typeof passkeySchema> {
	return { id, object: "passkey", name, last_used_at: isoDate(lastUsedMs), created_at: isoDate(createdMs) };
}

function encodeOptions({ id, publicKey }: ShownOptions): v.InferOutput<typeof optionsSchema> {
	return { id, object: "passkey_options", publicKey };
}

/** One's own passkeys, and signing in with one. */
export function passkeys(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, "/v1/me/passkeys", sessionRoute(rooms), {
		operationId: "listPasskeys",
		summary: "One's own passkeys",
		tags: ["people"],
		of: passkeySchema,
		scope: ({ person }) => person.account.id,
		find: (page, { person }) => listPasskeys(rooms.people, person, page),
		encode: encodePasskey,
	});
	route(app, "POST", "/v1/me/passkeys/options", sessionRoute(rooms), {
		operationId: "startPasskey",
		summary: "What a browser needs to make a passkey; needs a fresh session",
		tags: ["people"],
		answers: { 200: optionsSchema },
		again: freshAgain,
		run: async ({ person }) => ok(encodeOptions(await startPasskey(rooms.people, person))),
	});
	route(app, "POST", "/v1/me/passkeys", sessionRoute(rooms), {
		operationId: "addPasskey",
		summary: "Keeps the passkey that a browser has made; needs a fresh session, and a letter tells of it",
		tags: ["people"],
		body: { options, name: shownName, credential },
		answers: { 201: passkeySchema },
		again: freshAgain,
		run: async (call) => {
			const asked = await call.input();
			return created(encodePasskey(await addPasskey(rooms.people, call.person, asked, call.by)));
		},
	});
	route(app, "DELETE", "/v1/me/passkeys/:passkey", sessionRoute(rooms), {
		operationId: "removePasskey",
		summary: "Removes a passkey; needs a fresh session, and a letter tells of it",
		tags: ["people"],
		answers: { 200: tombstoneSchema },
		run: async ({ person, params, by }) => {
			await removePasskey(rooms.people, person, params.passkey, by);
			return deleted("passkey", params.passkey);
		},
	});
	signIn(app, rooms);
}

function signIn(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", "/v1/sessions/passkey", anybodyRoute(rooms), {
		operationId: "startPasskeySignIn",
		summary: "What a browser needs to sign in with a passkey; with a session as bearer, to make that session fresh",
		tags: ["people"],
		security: KEY_OR_NONE,
		answers: { 200: optionsSchema },
		again: ({ person }) => person && requireSession(person),
		run: async ({ person, request }) => {
			const started = person
				? await startPasskeyStepUp(rooms.people, person)
				: await startPasskeySignIn(rooms.people, rooms.addressOf(request));
			return ok(encodeOptions(started));
		},
	});
	route(app, "POST", "/v1/sessions/passkey/verify", openRoute(rooms), {
		operationId: "verifyPasskey",
		summary: "Takes what a passkey has signed: makes a session (201), or confirms the one that asked (200, no secret)",
		tags: ["people"],
		security: [],
		body: { options, credential, client: clientName, device_token: v.optional(text(1_000)) },
		answers: { 201: verifiedSchema, 200: verifiedSchema },
		run: async (call) => {
			const { options, credential, client: device, device_token: knownDevice = null } = await call.input();
			const { request, requestId } = call;
			const sent = { options, credential, device, knownDevice, address: rooms.addressOf(request), requestId };
			return encodeVerified(await verifyPasskey(rooms.people, { ...sent, kind: "console" }));
		},
	});
}
