import { describe, expect, test } from "bun:test";
import { type SQL, sql } from "drizzle-orm";
import { ALGORITHM_NAMES, makePasskey, signWith, tellOf } from "../../support/authenticator.ts";
import { SIGN_IN_UNLIMITED } from "../../support/connect.ts";
import { selfSigned } from "../../support/local-network.ts";
import { mailedFacts } from "../../support/mail.ts";
import { asNobody, creationFor, keptPasskey, requestFor, signInWith, stranger } from "../../support/passkeys.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";
import { bodyOf, eventsOf, type SentLogin, type SignedIn, verifyLatest } from "../../support/sign-in.ts";

const service = serviceFor(SIGN_IN_UNLIMITED);
const MINUTE_MS = 60_000;
/** Of a maker of authenticators, as WebAuthn (8.2.1) wants it to be. */
const maker = selfSigned([
	...["-subj", "/C=DE/O=Maker/OU=Authenticator Attestation/CN=Model 1"],
	...["-addext", "basicConstraints=critical,CA:FALSE"],
]);

interface Listed {
	readonly data: readonly { readonly id: string; readonly name: string; readonly last_used_at: string | null }[];
}

const passkeysOf = async (person: { readonly secret: string }) =>
	(await bodyOf<Listed>(await send(service, "GET", "/v1/me/passkeys", undefined, as(person)), 200)).data;

const lettersTo = async (email: string) => {
	const rows = await service.database.read(() =>
		service.database.queries.values<[string]>(
			sql`SELECT json_extract(facts, '$.deed') FROM emails WHERE recipient = ${email} AND template = 'security_letter' ORDER BY pk`,
		),
	);
	return rows.map(([deed]) => deed);
};

describe("adding a passkey", () => {
	test("201: it is in the list, in the audit, and a letter tells of it", async () => {
		const person = await addPerson(service.database);
		const { id } = await keptPasskey(service, person, "Phone");
		expect(await passkeysOf(person)).toEqual([
			{ id, object: "passkey", name: "Phone", last_used_at: null, created_at: expect.any(String) },
		] as never);
		expect(await eventsOf(service.database, id)).toEqual(["passkey.created"]);
		expect(await lettersTo(person.email)).toEqual(["passkey_added"]);
	});

	test("the options ask for a key that stays on the device and verifies the person, and for no attestation", async () => {
		const person = await addPerson(service.database);
		const { id: known } = await keptPasskey(service, person);
		expect(known).toMatch(/^psk_/);
		const first = await creationFor(service, person);
		expect(first).toMatchObject({ object: "passkey_options", id: expect.stringMatching(/^pko_/) });
		expect(first.publicKey).toMatchObject({
			rp: { id: "localhost" },
			attestation: "none",
			authenticatorSelection: { residentKey: "required", userVerification: "required" },
			pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: "public-key" })),
			excludeCredentials: [{ type: "public-key", transports: ["internal", "hybrid"] }],
		});
		const second = await creationFor(service, person);
		expect(second.publicKey.user.id).toBe(first.publicKey.user.id);
		expect(second.publicKey.challenge).not.toBe(first.publicKey.challenge);
		const other = await creationFor(service, await addPerson(service.database));
		expect(other.publicKey.user.id).not.toBe(first.publicKey.user.id);
		expect(other.publicKey.user.id).toHaveLength(43);
	});

	test("403 for a session that is not fresh, and for a token always", async () => {
		const person = await addPerson(service.database);
		const { id } = await keptPasskey(service, person);
		const options = await creationFor(service, person);
		const { credential } = await makePasskey(options.publicKey);
		const body = { options: options.id, name: "Phone", credential };
		const stale = { secret: await addSession(service.database, person.id, { freshForMs: 0 }) };
		const token = { secret: await addSession(service.database, person.id, { scopes: ["operator:write"] }) };
		for (const caller of [stale, token]) {
			for (const [method, path, sent] of [
				["POST", "/v1/me/passkeys/options", undefined],
				["DELETE", `/v1/me/passkeys/${id}`, undefined],
			] as const) {
				expect(await errorOf(await send(service, method, path, sent, as(caller)))).toMatchObject({
					status: 403,
					code: "forbidden",
					fields: ["session"],
				});
			}
		}
		expect(await errorOf(await send(service, "POST", "/v1/me/passkeys", body, as(token)))).toMatchObject({
			status: 403,
		});
		expect(await errorOf(await send(service, "GET", "/v1/me/passkeys", undefined, as(token)))).toMatchObject({
			status: 403,
			fields: ["session"],
		});
		// The session stopped being fresh while the browser made the passkey: the options still stand after a step-up.
		const set = (freshMs: number | null) =>
			service.database.write([
				{
					run: sql`UPDATE sessions SET fresh_ms = ${freshMs} WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${person.id}) AND kind <> 'pat'`,
				},
			]);
		await set(null);
		const refused = await errorOf(await send(service, "POST", "/v1/me/passkeys", body, as(person)));
		expect(refused).toMatchObject({ status: 403, fields: ["session"] });
		await set(Date.now() + MINUTE_MS);
		expect((await send(service, "POST", "/v1/me/passkeys", body, as(person))).status).toBe(201);
	});

	test("422 under credential for one that is known, whoever has it", async () => {
		const [person, other] = [await addPerson(service.database), await addPerson(service.database)];
		const options = await creationFor(service, person);
		const { passkey, credential } = await makePasskey(options.publicKey);
		const added = { options: options.id, name: "A", credential };
		expect((await send(service, "POST", "/v1/me/passkeys", added, as(person))).status).toBe(201);
		for (const caller of [person, other]) {
			const again = await creationFor(service, caller);
			const body = { options: again.id, name: "B", credential: await tellOf(passkey, again.publicKey) };
			const answer = await send(service, "POST", "/v1/me/passkeys", body, as(caller));
			expect(await errorOf(answer)).toMatchObject({ status: 422, code: "validation_error", fields: ["credential"] });
		}
	});

	test("422 for the twenty-first, before the browser is asked", async () => {
		const person = await addPerson(service.database);
		for (let count = 0; count < 20; count++) await keptPasskey(service, person, `Phone ${count}`);
		expect(await passkeysOf(person)).toHaveLength(20);
		expect(await errorOf(await send(service, "POST", "/v1/me/passkeys/options", undefined, as(person)))).toMatchObject({
			status: 422,
			fields: ["credential"],
		});
	});

	test("two at once for the last place: one is kept", async () => {
		const person = await addPerson(service.database);
		for (let count = 0; count < 19; count++) await keptPasskey(service, person, `Phone ${count}`);
		const asked = [await creationFor(service, person), await creationFor(service, person)];
		const answers = await Promise.all(
			asked.map(async ({ id, publicKey }) => {
				const { credential } = await makePasskey(publicKey);
				return await send(service, "POST", "/v1/me/passkeys", { options: id, name: "Last", credential }, as(person));
			}),
		);
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
		expect(await passkeysOf(person)).toHaveLength(20);
	});

	test("a replay under an Idempotency-Key adds none", async () => {
		const person = await addPerson(service.database);
		const options = await creationFor(service, person);
		const { credential } = await makePasskey(options.publicKey);
		const caller = { key: person.secret, headers: { "Idempotency-Key": "one" } };
		const add = () => send(service, "POST", "/v1/me/passkeys", { options: options.id, name: "A", credential }, caller);
		const [first, second] = [await add(), await add()];
		expect([first.status, second.status, second.headers.get("idempotent-replayed")]).toEqual([201, 201, "true"]);
		expect(await second.json()).toEqual(await first.json());
		expect(await passkeysOf(person)).toHaveLength(1);
	});
});

describe("what is no proof of a new passkey is refused, and uses the options up:", () => {
	const flawed: Readonly<Record<string, Parameters<typeof makePasskey>[1]>> = {
		"another origin": { origin: "https://evil.example" },
		"another host": { rpId: "evil.example" },
		"another challenge": { challenge: "A".repeat(43) },
		"an answer to a sign-in": { type: "webauthn.get" },
		"nobody verified": { verified: false },
		"malformed CBOR": { attestationObject: new Uint8Array([0xbf, 0x61, 0xff, 0x9b, 255, 255, 255, 255]) },
		"CBOR that is nothing but depth": { attestationObject: new Uint8Array(6_000).fill(0x81) },
		"an attestation with certificates": {
			attestation: ["packed", new Map([["x5c", [new Uint8Array([48, 0])]]])],
		},
		"an attestation of another kind": { attestation: ["apple", new Map([["x5c", [new Uint8Array([48, 0])]]])] },
		"another id than the authenticator's": { id: "AAAA" },
	};
	for (const [name, claims] of Object.entries(flawed)) {
		test(`422 invalid_code for ${name}`, async () => {
			const person = await addPerson(service.database);
			const options = await creationFor(service, person);
			const { credential } = await makePasskey(options.publicKey, claims);
			const add = (sent: unknown) =>
				send(service, "POST", "/v1/me/passkeys", { options: options.id, name: "A", credential: sent }, as(person));
			expect(await errorOf(await add(credential))).toMatchObject({ status: 422, code: "invalid_code" });
			const { credential: right } = await makePasskey(options.publicKey);
			expect(await errorOf(await add(right))).toMatchObject({ status: 422, code: "invalid_code" });
			expect(await passkeysOf(person)).toEqual([]);
		});
	}

	test.skipIf(!maker)("422 invalid_code for an attestation whose certificate and signature are in order", async () => {
		const person = await addPerson(service.database);
		const options = await creationFor(service, person);
		const { credential } = await makePasskey(options.publicKey, { ...(maker && { maker }) });
		const body = { options: options.id, name: "A", credential };
		const answer = await send(service, "POST", "/v1/me/passkeys", body, as(person));
		expect(await errorOf(answer)).toMatchObject({ status: 422, code: "invalid_code" });
		expect(await passkeysOf(person)).toEqual([]);
	});

	test("422 invalid_code for options that are over, were used, are another person's or another session's", async () => {
		const person = await addPerson(service.database);
		const add = (id: string, credential: unknown, caller: { readonly secret: string }) =>
			send(service, "POST", "/v1/me/passkeys", { options: id, name: "A", credential }, as(caller));
		const old = await creationFor(service, person);
		service.clock.advance(5 * MINUTE_MS);
		const { credential: late } = await makePasskey(old.publicKey);
		expect(await errorOf(await add(old.id, late, person))).toMatchObject({ code: "invalid_code" });
		const options = await creationFor(service, person);
		const { credential } = await makePasskey(options.publicKey);
		const others = [await addPerson(service.database), { secret: await addSession(service.database, person.id) }];
		for (const caller of others)
			expect(await errorOf(await add(options.id, credential, caller))).toMatchObject({ code: "invalid_code" });
		const forSignIn = await requestFor(service);
		const { credential: misused } = await makePasskey({
			...options.publicKey,
			challenge: forSignIn.publicKey.challenge,
		});
		expect(await errorOf(await add(forSignIn.id, misused, person))).toMatchObject({ code: "invalid_code" });
		expect((await add(options.id, credential, person)).status).toBe(201);
		expect(await errorOf(await add(options.id, credential, person))).toMatchObject({ code: "invalid_code" });
	});

	const huge = "A".repeat(100_000);
	const response = { clientDataJSON: "AA", attestationObject: "AA", authenticatorData: "AA", signature: "AA" };
	const malformed: Readonly<Record<string, unknown>> = {
		"no object": "credential",
		"a list": [],
		"nothing in it": {},
		"another type": { id: "AA", type: "password", response },
		"no response": { id: "AA", type: "public-key" },
		"a huge id": { id: huge, type: "public-key", response },
		"a huge field": {
			id: "AA",
			type: "public-key",
			response: { ...response, clientDataJSON: huge, authenticatorData: huge },
		},
		"no whole bytes": { id: "A", type: "public-key", response },
		"no base64url": { id: "A+A=", type: "public-key", response },
		numbers: { id: 1, type: "public-key", response },
	};
	for (const [name, credential] of Object.entries(malformed)) {
		test(`422 under credential for ${name}, at both doors`, async () => {
			const person = await addPerson(service.database);
			const { id } = await creationFor(service, person);
			const added = await send(service, "POST", "/v1/me/passkeys", { options: id, name: "A", credential }, as(person));
			expect(await errorOf(added)).toMatchObject({ status: 422, code: "validation_error", fields: ["credential"] });
			const { id: options } = await requestFor(service);
			const used = await asNobody(service, "/v1/sessions/passkey/verify", { options, credential });
			expect(await errorOf(used)).toMatchObject({ status: 422, code: "validation_error", fields: ["credential"] });
		});
	}
});

describe("removing a passkey", () => {
	test("it is gone, signs in no more, and a letter tells of it", async () => {
		const person = await addPerson(service.database);
		const { id, passkey } = await keptPasskey(service, person);
		const removed = await send(service, "DELETE", `/v1/me/passkeys/${id}`, undefined, as(person));
		expect(await bodyOf<object>(removed, 200)).toEqual({ id, object: "passkey", deleted: true });
		expect(await passkeysOf(person)).toEqual([]);
		expect(await errorOf(await signInWith(service, passkey))).toMatchObject({ status: 422, code: "invalid_code" });
		expect(await eventsOf(service.database, id)).toEqual(["passkey.created", "passkey.deleted"]);
		expect(await lettersTo(person.email)).toEqual(["passkey_added", "passkey_removed"]);
		expect((await send(service, "DELETE", `/v1/me/passkeys/${id}`, undefined, as(person))).status).toBe(404);
	});

	test("404 for another person's", async () => {
		const [person, other] = [await addPerson(service.database), await addPerson(service.database)];
		const { id } = await keptPasskey(service, person);
		expect((await send(service, "DELETE", `/v1/me/passkeys/${id}`, undefined, as(other))).status).toBe(404);
		expect(await passkeysOf(person)).toHaveLength(1);
	});
});

describe("signing in with a passkey", () => {
	test("201: a session as after a code, fresh; the passkey was used", async () => {
		const person = await addPerson(service.database);
		const { passkey } = await keptPasskey(service, person);
		const session = await bodyOf<SignedIn & { readonly device: string; readonly kind: string }>(
			await signInWith(service, passkey, {}, { client: "svc on laptop" }),
			201,
		);
		expect(session).toMatchObject({ kind: "console", device: "svc on laptop", account: { id: person.id } });
		expect(session.secret).toMatch(/^svc_ses_/);
		expect(Date.parse(session.fresh_until)).toBeGreaterThan(Date.now() + 14 * MINUTE_MS);
		expect((await passkeysOf(session))[0]?.last_used_at).not.toBeNull();
		expect(await eventsOf(service.database, session.id)).toEqual(["session.created"]);
		expect(await lettersTo(person.email)).toEqual(["passkey_added", "device"]);
		// No letter to a device that is known.
		await bodyOf(await signInWith(service, passkey, {}, { device_token: session.device_token }), 201);
		expect(await lettersTo(person.email)).toEqual(["passkey_added", "device"]);
	});

	test.each(ALGORITHM_NAMES)("with a key of %s", async (algorithm) => {
		const person = await addPerson(service.database);
		const { passkey } = await keptPasskey(service, person, "Phone", { algorithm });
		expect((await signInWith(service, passkey)).status).toBe(201);
		expect(await errorOf(await signInWith(service, passkey, { rpId: "evil.example" }))).toMatchObject({ status: 422 });
	});

	test("strangers' wrong codes keep no passkey out", async () => {
		const person = await addPerson(service.database);
		const { passkey } = await keptPasskey(service, person);
		for (let count = 0; count < 10; count++) {
			const { id, secret } = await bodyOf<{ id: string; secret: string }>(
				await asNobody(service, "/v1/sessions/login", { email: person.email }),
				202,
			);
			await asNobody(service, `/v1/sessions/login/${id}/verify`, { secret, code: "000000" });
		}
		expect((await asNobody(service, "/v1/sessions/login", { email: person.email })).status).toBe(429);
		expect((await signInWith(service, passkey)).status).toBe(201);
	});

	const flawed: Readonly<Record<string, Parameters<typeof signWith>[2]>> = {
		"another origin": { origin: "https://evil.example" },
		"another host": { rpId: "evil.example" },
		"another challenge": { challenge: "A".repeat(43) },
		"an answer of making one": { type: "webauthn.create" },
		"nobody verified": { verified: false },
		"another account's handle": { userHandle: "AAAA" },
		"no handle": { userHandle: undefined },
		"an id that nobody has": { id: "AAAA" },
	};
	for (const [name, claims] of Object.entries(flawed)) {
		test(`422 invalid_code for ${name}, and the options are used up`, async () => {
			const person = await addPerson(service.database);
			const { passkey } = await keptPasskey(service, person);
			const { id: options, publicKey } = await requestFor(service);
			const verify = async (claimed: Parameters<typeof signWith>[2]) =>
				await asNobody(service, "/v1/sessions/passkey/verify", {
					options,
					credential: await signWith(passkey, publicKey, claimed),
				});
			expect(await errorOf(await verify(claims))).toMatchObject({ status: 422, code: "invalid_code" });
			expect(await errorOf(await verify({}))).toMatchObject({ status: 422, code: "invalid_code" });
		});
	}

	test("422 invalid_code for an assertion that is sent twice, and for options that are over", async () => {
		const person = await addPerson(service.database);
		const { passkey } = await keptPasskey(service, person);
		const { id: options, publicKey } = await requestFor(service);
		const credential = await signWith(passkey, publicKey);
		const verify = () => asNobody(service, "/v1/sessions/passkey/verify", { options, credential });
		const answers = await Promise.all([verify(), verify(), verify()]);
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
		const late = await requestFor(service);
		const signed = await signWith(passkey, late.publicKey);
		service.clock.advance(5 * MINUTE_MS);
		expect(
			await errorOf(await asNobody(service, "/v1/sessions/passkey/verify", { options: late.id, credential: signed })),
		).toMatchObject({ status: 422, code: "invalid_code" });
	});

	test("422 for another key's signature", async () => {
		const person = await addPerson(service.database);
		const { passkey } = await keptPasskey(service, person);
		const stolen = await makePasskey({ challenge: "AA", rp: { id: "localhost" }, user: { id: passkey.userHandle } });
		const forged = { ...passkey, keys: stolen.passkey.keys };
		expect(await errorOf(await signInWith(service, forged))).toMatchObject({ status: 422, code: "invalid_code" });
		expect(await lettersTo(person.email)).toEqual(["passkey_added"]);
	});

	test("a counter that runs backwards is refused, and a letter tells of it; its link removes the passkey", async () => {
		const person = await addPerson(service.database);
		const { id, passkey } = await keptPasskey(service, person, "Key", { counter: 7 });
		expect((await signInWith(service, passkey, { counter: 8 })).status).toBe(201);
		for (const counter of [8, 3, 0])
			expect(await errorOf(await signInWith(service, passkey, { counter }))).toMatchObject({ code: "invalid_code" });
		expect(await lettersTo(person.email)).toEqual([
			"passkey_added",
			"device",
			...Array<string>(3).fill("passkey_counter"),
		]);
		expect((await eventsOf(service.database, id)).filter((event) => event === "passkey.refused")).toHaveLength(3);
		expect((await signInWith(service, passkey, { counter: 9 })).status).toBe(201);
		await notMe(person.email, "passkey_counter");
		expect(await errorOf(await signInWith(service, passkey, { counter: 10 }))).toMatchObject({ code: "invalid_code" });
		expect((await send(service, "GET", "/v1/me", undefined, as(person))).status).toBe(401);
	});

	test("403 for an account that is disabled", async () => {
		const person = await addPerson(service.database);
		const { passkey } = await keptPasskey(service, person);
		await service.database.write([{ run: sql`UPDATE accounts SET status = 'disabled' WHERE id = ${person.id}` }]);
		expect(await errorOf(await signInWith(service, passkey))).toMatchObject({ status: 403, code: "forbidden" });
	});
});

/** Follows the link of the newest letter about a deed, and presses its button. */
async function notMe(email: string, deed: string): Promise<void> {
	await press(await linkOf(email, sql`json_extract(facts, '$.deed') = ${deed}`));
}

async function linkOf(email: string, which: SQL): Promise<string> {
	return (await mailedFacts(service.database, sql`recipient = ${email} AND ${which}`)).at(-1)?.facts.link ?? "";
}

async function press(link: string): Promise<void> {
	expect((await service.open(link)).status).toBe(200);
	const headers = { Origin: new URL(link).origin, "Content-Type": "application/x-www-form-urlencoded" };
	expect((await service.open(link, { method: "POST", body: "", headers })).status).toBe(303);
}

describe("confirming who one is with a passkey", () => {
	test("200: the stale session that asked is fresh", async () => {
		const person = await addPerson(service.database);
		const { passkey } = await keptPasskey(service, person);
		const stale = { secret: await addSession(service.database, person.id, { freshForMs: 0 }) };
		expect((await send(service, "POST", "/v1/me/passkeys/options", undefined, as(stale))).status).toBe(403);
		const { id: options, publicKey } = await requestFor(service, stale);
		expect(publicKey.allowCredentials).toHaveLength(1);
		const credential = await signWith(passkey, publicKey);
		const answer = await asNobody(service, "/v1/sessions/passkey/verify", { options, credential });
		expect(await bodyOf<Record<string, unknown>>(answer, 200)).not.toHaveProperty("secret");
		expect((await send(service, "POST", "/v1/me/passkeys/options", undefined, as(stale))).status).toBe(200);
	});

	test("422 with another person's passkey: it makes nobody's session fresh", async () => {
		const [person, other] = [await addPerson(service.database), await addPerson(service.database)];
		await keptPasskey(service, person);
		const { passkey } = await keptPasskey(service, other);
		const stale = { secret: await addSession(service.database, person.id, { freshForMs: 0 }) };
		const { id: options, publicKey } = await requestFor(service, stale);
		const credential = await signWith(passkey, publicKey);
		expect(
			await errorOf(await asNobody(service, "/v1/sessions/passkey/verify", { options, credential })),
		).toMatchObject({ status: 422, code: "invalid_code" });
		expect((await send(service, "POST", "/v1/me/passkeys/options", undefined, as(stale))).status).toBe(403);
	});

	test("422 for options whose session has ended meanwhile", async () => {
		const person = await addPerson(service.database);
		const { passkey } = await keptPasskey(service, person);
		const stale = { secret: await addSession(service.database, person.id, { freshForMs: 0 }) };
		const { id: options, publicKey } = await requestFor(service, stale);
		await send(service, "DELETE", "/v1/sessions/current", undefined, as(stale));
		const credential = await signWith(passkey, publicKey);
		expect(
			await errorOf(await asNobody(service, "/v1/sessions/passkey/verify", { options, credential })),
		).toMatchObject({ status: 422, code: "invalid_code" });
	});

	test("asked for twice under one Idempotency-Key, the options are the same; and too often, 429", async () => {
		const person = await addPerson(service.database);
		await keptPasskey(service, person);
		const ask = (headers = {}) => send(service, "POST", "/v1/sessions/passkey", {}, { key: person.secret, headers });
		const first = await ask({ "Idempotency-Key": "one" });
		const second = await ask({ "Idempotency-Key": "one" });
		expect(await second.json()).toEqual(await first.json());
		expect(second.headers.get("idempotent-replayed")).toBe("true");
		const answers = await Promise.all(Array.from({ length: 59 }, () => ask()));
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
	});

	test("409 without a passkey, 403 for a token, 401 for a secret that nobody knows", async () => {
		const person = await addPerson(service.database);
		const token = await addSession(service.database, person.id, { scopes: ["apps:read"] });
		const ask = (key: string) => send(service, "POST", "/v1/sessions/passkey", {}, { key });
		expect(await errorOf(await ask(person.secret))).toMatchObject({ status: 409, code: "state_conflict" });
		expect(await errorOf(await ask(token))).toMatchObject({ status: 403, fields: ["session"] });
		expect((await ask(`svc_ses_${"x".repeat(43)}`)).status).toBe(401);
		const web = await addSession(service.database, person.id, { kind: "web" });
		expect((await ask(web)).status).toBe(401);
	});
});

describe("what takes a passkey away", () => {
	test("“this was not me” in the letter of one that was added", async () => {
		const person = await addPerson(service.database);
		const mine = await keptPasskey(service, person, "Mine");
		const theirs = await keptPasskey(service, person, "Theirs");
		await notMe(person.email, "passkey_added");
		expect(await errorOf(await signInWith(service, theirs.passkey))).toMatchObject({ code: "invalid_code" });
		expect((await signInWith(service, mine.passkey)).status).toBe(201);
		expect(await eventsOf(service.database, theirs.id)).toEqual(["passkey.created", "passkey.deleted"]);
	});

	test("going back to an earlier address: those that were added since the change", async () => {
		const person = await addPerson(service.database);
		const before = await keptPasskey(service, person, "Before");
		service.clock.advance(1_000);
		const email = `new-${person.email}`;
		const login = await bodyOf<SentLogin>(await send(service, "PATCH", "/v1/me", { email }, as(person)), 202);
		expect((await verifyLatest(service, login, email)).status).toBe(200);
		const since = await keptPasskey(service, person, "Since");
		await press(await linkOf(person.email, sql`template = 'email_changed'`));
		expect(await errorOf(await signInWith(service, since.passkey))).toMatchObject({ code: "invalid_code" });
		expect((await signInWith(service, before.passkey)).status).toBe(201);
		expect(await eventsOf(service.database, since.id)).toEqual(["passkey.created", "passkey.deleted"]);
		expect(await eventsOf(service.database, before.id)).toEqual(["passkey.created"]);
	});

	test("deleting the account", async () => {
		const person = await addPerson(service.database);
		const { passkey } = await keptPasskey(service, person);
		const { id: options, publicKey } = await requestFor(service);
		expect((await send(service, "DELETE", "/v1/me", undefined, as(person))).status).toBe(202);
		const credential = await signWith(passkey, publicKey);
		expect(
			await errorOf(await asNobody(service, "/v1/sessions/passkey/verify", { options, credential })),
		).toMatchObject({ code: "invalid_code" });
		const left = await service.database.rows("SELECT count(*) FROM passkeys WHERE credential_id = ?", [passkey.id]);
		expect(left).toEqual([[0]]);
	});
});

test("429 for a network that asks too often, which takes no codes away; options that are over are swept", async () => {
	const limited = await openService({ SVC_SIGN_IN_IP_RATE: "2" });
	try {
		const ask = (address: string, path = "/v1/sessions/passkey", body: object = {}) =>
			asNobody(limited, path, body, stranger(address));
		const answers = [await ask("203.0.113.1"), await ask("203.0.113.1"), await ask("203.0.113.1")];
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
		expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(3_000);
		expect((await ask("203.0.113.1", "/v1/sessions/login", { email: "a@example.com" })).status).toBe(202);
		expect((await ask("203.0.113.2")).status).toBe(200);
		const count = async () => (await limited.database.rows("SELECT count(*) FROM passkey_options", []))[0]?.[0];
		expect(await count()).toBe(3);
		await limited.rooms.people.logins.forget(limited.clock.now() + 5 * MINUTE_MS, 100);
		expect(await count()).toBe(0);
	} finally {
		await limited.close();
	}
});
