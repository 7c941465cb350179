import { beforeAll, describe, expect, test } from "bun:test";
import { beginConnect, ConnectFault, connect, connectSilently } from "@svc/connect/connections";
import { sql } from "drizzle-orm";
import {
	addApp,
	addKey,
	addUserKey,
	connectUser,
	countOf,
	setAppState,
	setStorageState,
	type TestApp,
} from "../../support/apps.ts";
import { addConnectApp, CALLBACK } from "../../support/connect.ts";
import { addPerson, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { bodyOf, eventsOf } from "../../support/sign-in.ts";
import { setAccountStatus, setSignIn } from "../../support/users.ts";

const service = serviceFor();
let app: TestApp;
let appPk: number;
beforeAll(async () => {
	app = await addConnectApp(service.database);
	appPk = await pkOf("apps", app.id);
});

interface AuthContext {
	readonly object: string;
	readonly app: object;
	readonly user: { readonly id: string; readonly object: string; readonly email: string; readonly verified: boolean };
}

const change = (run: ReturnType<typeof sql>) => service.database.write([{ run }]);
const pkOf = (table: string, id: string) =>
	countOf(service.database, sql`SELECT pk FROM ${sql.identifier(table)} WHERE id = ${id}`);
const exchange = (code: unknown, key = app.key, more: object = {}) =>
	send(service, "POST", "/v1/auth/exchange", { code, ...more }, { key });
const refusal = async (answer: Response) => {
	const { status, code, type } = await errorOf(answer);
	return [status, code, type];
};
const INVALID = [422, "invalid_code", "invalid_request_error"];
const usersOf = (pk: number) => countOf(service.database, sql`SELECT users FROM app_usage WHERE app_pk = ${pk}`);
/** As a disconnect leaves it. */
const setState = async (person: TestPerson, state: string) => {
	await change(
		sql`UPDATE connections SET state = ${state} WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${person.id})`,
	);
	await change(sql`UPDATE app_usage SET users = users - 1 WHERE app_pk = ${appPk}`);
};

async function connecting(person: { readonly id: string }, to = appPk, room = service.rooms.connect) {
	return await connect(room, {
		person: { pk: await pkOf("accounts", person.id) },
		appPk: to,
		redirectUri: CALLBACK,
	});
}

/** The code that a person's sign-in to an App gives its callback. */
async function codeOf(person: { readonly id: string }, to = appPk, room = service.rooms.connect): Promise<string> {
	const connected = await connecting(person, to, room);
	if ("error" in connected) throw new Error(connected.error);
	return connected.code;
}

async function silently(person: { readonly id: string } | null, to = appPk, room = service.rooms.connect) {
	const account = person && { pk: await pkOf("accounts", person.id) };
	return await connectSilently(room, { account, appPk: to, redirectUri: CALLBACK });
}

const outcome = (result: { readonly code: string } | { readonly error: string }) =>
	"error" in result ? result.error : "code";

describe("POST /v1/auth/exchange", () => {
	test("200 tells who signed in to which App; the id selects their storage [exchange.200, authctx.object, authctx.app, authctx.user.id, authctx.user.object, authctx.user.email, authctx.user.verified, auth.user-header.select]", async () => {
		const person = await addPerson(service.database);
		await change(sql`UPDATE accounts SET verified_ms = 1 WHERE id = ${person.id}`);
		const context = await bodyOf<AuthContext>(await exchange(await codeOf(person)), 200);
		expect(context).toEqual({
			object: "auth_context",
			app: { id: app.id, object: "app", name: "Sunday Hikers" },
			user: { id: expect.stringMatching(/^usr_/), object: "user", email: person.email, verified: true },
		});
		const asUser = { key: app.key, headers: { "X-Svc-User": context.user.id } };
		const image = await uploaded(service, await plain(5, 5), "a.png", {}, asUser);
		expect((await send(service, "GET", `/v1/images/${image.id}`, undefined, asUser)).status).toBe(200);
		expect((await send(service, "GET", `/v1/images/${image.id}`, undefined, { key: app.key })).status).toBe(404);
	});

	test("tells an identity and nothing to call with; the next sign-in tells the same id, another App another one [service.no-per-user-token]", async () => {
		const person = await addPerson(service.database);
		const answers = [await exchange(await codeOf(person)), await exchange(await codeOf(person))];
		const texts = await Promise.all(answers.map((answer) => answer.text()));
		for (const text of texts) expect(text.replace(person.email, "")).not.toMatch(/svc_|token|secret|acc_/);
		const [first, second] = texts.map((text) => JSON.parse(text) as AuthContext);
		expect(second).toEqual(first as AuthContext);
		expect(Object.keys(first ?? {})).toEqual(["object", "app", "user"]);
		const other = await addConnectApp(service.database, "Another");
		const code = await codeOf(person, await pkOf("apps", other.id));
		expect((await bodyOf<AuthContext>(await exchange(code, other.key), 200)).user.id).not.toBe(first?.user.id ?? "");
	});

	test("422 invalid_code on the second exchange of one code; of fifty at once, exactly one is 200 [exchange.single-use]", async () => {
		const person = await addPerson(service.database);
		const code = await codeOf(person);
		expect((await exchange(code)).status).toBe(200);
		expect(await refusal(await exchange(code))).toEqual(INVALID);
		const raced = await codeOf(person);
		const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(raced)));
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
		const losers = answers.filter(({ status }) => status !== 200);
		for (const loser of losers) expect(await refusal(loser)).toEqual(INVALID);
	});

	test("422 for what is no code, a code past 60 seconds, a used one [connect.code-60s, exchange.expired, exchange.bad, errors.code.invalid_code]", async () => {
		const person = await addPerson(service.database);
		const [early, late] = [await codeOf(person), await codeOf(person)];
		service.clock.advance(50_000);
		expect((await exchange(early)).status).toBe(200);
		service.clock.advance(11_000);
		expect(await refusal(await exchange(late))).toEqual(INVALID);
		const swapped = late.replace(/[a-z]/, (letter) => letter.toUpperCase());
		for (const code of ["nonsense", "", " ", "\0", "x".repeat(100_000), swapped, early, `${early}=`]) {
			expect(await refusal(await exchange(code))).toEqual(INVALID);
		}
	});

	test("another App's key cannot exchange it, nor spend it [exchange.other-app]", async () => {
		const code = await codeOf(await addPerson(service.database));
		const other = await addConnectApp(service.database, "Another");
		const refused = await exchange(code, other.key);
		expect((await refused.clone().json()).error.message).toEndWith("it was given for another App than this key's.");
		expect(await refusal(refused)).toEqual(INVALID);
		expect((await exchange(code)).status).toBe(200);
	});

	test("422 names a code that is missing or no string, and fields that are not known [exchange.code-required]", async () => {
		const post = (body: object) => send(service, "POST", "/v1/auth/exchange", body, { key: app.key });
		for (const body of [{}, { code: null }, { code: 5 }, { code: ["x"] }, { code: {} }]) {
			expect(await errorOf(await post(body))).toMatchObject({ code: "validation_error", fields: ["code"] });
		}
		expect(await errorOf(await exchange("x", app.key, { user: "y" }))).toMatchObject({ fields: ["user"] });
		expect((await errorOf(await exchange("x", app.key, JSON.parse('{"__proto__":1}') as object))).status).toBe(422);
	});

	test("403 forbidden, saying what is needed, for every key but an App-wide one with read; the code stays good [exchange.app-wide-read]", async () => {
		const person = await addPerson(service.database);
		const code = await codeOf(person);
		const user = await connectUser(service.database, app);
		const refused = [
			await addKey(service.database, app, { permissions: ["write"] }),
			await addKey(service.database, app, { reach: "bucket" }),
			await addUserKey(service.database, app, user),
			person.secret,
		];
		for (const key of refused) {
			const answer = await errorOf(await exchange(code, key));
			expect([answer.status, answer.code]).toEqual([403, "forbidden"]);
			expect(answer.message).toMatch(/read permission|App's key/);
		}
		expect((await errorOf(await exchange(code, "svc_sk_test_x"))).code).toBe("unauthorized");
		const reader = await addKey(service.database, app, { permissions: ["read"] });
		expect((await exchange(code, reader)).status).toBe(200);
	});

	test("403 app_suspended while the App is paused; a code for a person who has gone meanwhile is invalid", async () => {
		const [paused, gone, disabled] = [
			await addPerson(service.database),
			await addPerson(service.database),
			await addPerson(service.database),
		];
		const codes = [await codeOf(paused), await codeOf(gone), await codeOf(disabled)];
		await setAppState(service.database, app.id, "paused");
		expect((await errorOf(await exchange(codes[0]))).code).toBe("app_suspended");
		await setAppState(service.database, app.id, "active");
		expect((await exchange(codes[0])).status).toBe(200);
		await setState(gone, "disconnecting");
		await setAccountStatus(service.database, disabled.id, "disabled");
		expect(await refusal(await exchange(codes[1]))).toEqual(INVALID);
		expect(await refusal(await exchange(codes[2]))).toEqual(INVALID);
	});
});

describe("connecting", () => {
	test("makes a storage, a user and an audit entry once, and only a code the next time", async () => {
		const person = await addPerson(service.database);
		const before = await usersOf(appPk);
		const first = await bodyOf<AuthContext>(await exchange(await codeOf(person)), 200);
		await codeOf(person);
		expect(await usersOf(appPk)).toBe(before + 1);
		expect(await eventsOf(service.database, first.user.id)).toEqual(["user.connected"]);
		const storages = sql`SELECT count(*) FROM storages WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${person.id})`;
		expect(await countOf(service.database, storages)).toBe(1);
	});

	test("after a disconnect starts with an empty storage under the same id, also while the old one is being emptied", async () => {
		const person = await addPerson(service.database);
		const first = await bodyOf<AuthContext>(await exchange(await codeOf(person)), 200);
		const caller = { key: app.key, headers: { "X-Svc-User": first.user.id } };
		await uploaded(service, await plain(5, 5), "a.png", {}, caller);
		const storageOf = async () => {
			const [row] = await service.database.read(() =>
				service.database.queries.values<[string]>(sql`SELECT storages.id FROM connections
					JOIN storages ON storages.pk = connections.storage_pk WHERE user_id = ${first.user.id}`),
			);
			return row?.[0] ?? "";
		};
		const old = await storageOf();
		const users = await usersOf(appPk);
		await setState(person, "disconnecting");
		await setStorageState(service.database, old, "deleting");
		expect(outcome(await silently(person))).toBe("interaction_required");
		expect((await send(service, "GET", "/v1/images", undefined, caller)).status).toBe(403);
		const again = await bodyOf<AuthContext>(await exchange(await codeOf(person)), 200);
		expect(again.user.id).toBe(first.user.id);
		expect(await storageOf()).not.toBe(old);
		expect(await usersOf(appPk)).toBe(users);
		const list = await bodyOf<{ data: object[] }>(await send(service, "GET", "/v1/images", undefined, caller), 200);
		expect(list.data).toEqual([]);
		expect((await service.recount()).length).toBe(0);
	});

	test("[C] of fifty people at once at the users limit never one too many; those who are connected still get in", async () => {
		const full = await addConnectApp(service.database, "Full");
		const pk = await pkOf("apps", full.id);
		await change(sql`UPDATE apps SET users_limit = 7 WHERE pk = ${pk}`);
		const people = [];
		for (let count = 0; count < 50; count++) people.push(await addPerson(service.database));
		const outcomes = await Promise.all(people.map(async (person) => outcome(await connecting(person, pk))));
		expect(outcomes.filter((each) => each === "code")).toHaveLength(7);
		expect(outcomes.filter((each) => each === "access_denied")).toHaveLength(43);
		expect(await usersOf(pk)).toBe(7);
		const lucky = people[outcomes.indexOf("code")];
		const unlucky = people[outcomes.indexOf("access_denied")];
		if (!lucky || !unlucky) throw new Error("nobody");
		expect([outcome(await connecting(lucky, pk)), outcome(await silently(lucky, pk))]).toEqual(["code", "code"]);
		// A refusal leaves nothing behind.
		const rows = sql`SELECT count(*) FROM storages WHERE app_pk = ${pk} AND kind = 'user'`;
		expect(await countOf(service.database, rows)).toBe(7);
		await change(sql`UPDATE apps SET users_limit = NULL WHERE pk = ${pk}`);
		expect(outcome(await connecting(unlucky, pk))).toBe("code");
		await change(sql`UPDATE app_usage SET users = 50 WHERE app_pk = ${pk}`);
		const late = await addPerson(service.database);
		expect(outcome(await connecting(late, pk))).toBe("access_denied");
		await change(sql`UPDATE apps SET plan = 'unlimited' WHERE pk = ${pk}`);
		expect(outcome(await connecting(late, pk))).toBe("code");
	});

	test("one person who signs in fifty times at once counts once", async () => {
		const single = await addConnectApp(service.database, "Single");
		const pk = await pkOf("apps", single.id);
		const person = await addPerson(service.database);
		await change(sql`UPDATE apps SET users_limit = 1 WHERE pk = ${pk}`);
		const outcomes = await Promise.all(Array.from({ length: 50 }, () => connecting(person, pk)));
		expect(new Set(outcomes.map(outcome))).toEqual(new Set(["code"]));
		expect(await usersOf(pk)).toBe(1);
		expect(await countOf(service.database, sql`SELECT count(*) FROM connections WHERE app_pk = ${pk}`)).toBe(1);
	});

	test("is refused while the App is paused or blocked, when its sign-in is off, and for a disabled account", async () => {
		const person = await addPerson(service.database);
		await codeOf(person);
		const both = async () => [outcome(await connecting(person)), outcome(await silently(person))];
		for (const state of ["paused", "blocked"] as const) {
			await setAppState(service.database, app.id, state);
			expect(await both()).toEqual(["temporarily_unavailable", "temporarily_unavailable"]);
		}
		await setAppState(service.database, app.id, "active");
		await setSignIn(service.database, app.id, false);
		expect(await both()).toEqual(["access_denied", "access_denied"]);
		await setSignIn(service.database, app.id, true);
		await setAccountStatus(service.database, person.id, "disabled");
		expect(await both()).toEqual(["access_denied", "interaction_required"]);
	});

	test("ends in a fault where there is nowhere to redirect to any more", async () => {
		const leaving = await addConnectApp(service.database, "Leaving");
		const pk = await pkOf("apps", leaving.id);
		const person = await addPerson(service.database);
		const fault = async () => [
			await connecting(person, pk).catch((error: unknown) => error instanceof ConnectFault && error.fault),
			await silently(person, pk).catch((error: unknown) => error instanceof ConnectFault && error.fault),
		];
		await change(sql`DELETE FROM redirect_uris WHERE app_pk = ${pk}`);
		expect(await fault()).toEqual(["redirect_uri_not_registered", "redirect_uri_not_registered"]);
		await change(sql`UPDATE apps SET deleting_ms = 1 WHERE pk = ${pk}`);
		expect(await fault()).toEqual(["unknown_app", "unknown_app"]);
	});
});

describe("a silent reconnect", () => {
	test("needs somebody signed in who is connected, under this consent, with the same address", async () => {
		const [stranger, person] = [await addPerson(service.database), await addPerson(service.database)];
		expect([outcome(await silently(null)), outcome(await silently(stranger))]).toEqual(
			Array(2).fill("interaction_required"),
		);
		await codeOf(person);
		expect(outcome(await silently(person))).toBe("code");
		const changed = { ...service.rooms.connect, consentVersion: 2 };
		expect(outcome(await silently(person, appPk, changed))).toBe("interaction_required");
		await codeOf(person, appPk, changed);
		expect(outcome(await silently(person, appPk, changed))).toBe("code");
		expect(outcome(await silently(person))).toBe("code");
		await change(
			sql`UPDATE accounts SET email = 'x@example.org', email_norm = 'x@example.org' WHERE id = ${person.id}`,
		);
		expect(outcome(await silently(person))).toBe("interaction_required");
		await codeOf(person);
		expect(outcome(await silently(person))).toBe("code");
		await setState(person, "gone");
		expect(outcome(await silently(person))).toBe("interaction_required");
	});
});

describe("an ended connection", () => {
	test("403 user_forbidden in the same words, whether disconnected, disabled, being deleted, another App's or never there [conn.ended-user-forbidden, conn.cause-not-told]", async () => {
		const users = [];
		for (let count = 0; count < 3; count++) {
			const person = await addPerson(service.database);
			users.push({ person, id: (await bodyOf<AuthContext>(await exchange(await codeOf(person)), 200)).user.id });
		}
		const [left, disabled, deleted] = users;
		if (!left || !disabled || !deleted) throw new Error("nobody");
		const ask = (id: string) =>
			send(service, "GET", "/v1/images", undefined, { key: app.key, headers: { "X-Svc-User": id } });
		for (const { id } of users) expect((await ask(id)).status).toBe(200);
		const path = `/v1/me/connections/${app.id}`;
		expect((await send(service, "DELETE", path, undefined, as(left.person))).status).toBe(202);
		await setAccountStatus(service.database, disabled.person.id, "disabled");
		expect((await send(service, "DELETE", "/v1/me", undefined, as(deleted.person))).status).toBe(202);
		const foreign = await connectUser(service.database, await addApp(service.database));
		const ids = [left.id, disabled.id, deleted.id, foreign.id, `usr_${"0".repeat(22)}`];
		const answers = await Promise.all(ids.map(ask));
		expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(403));
		const texts = await Promise.all(answers.map((answer) => answer.text()));
		expect(new Set(texts).size).toBe(1);
		expect(JSON.parse(texts[0] ?? "")).toMatchObject({ error: { code: "user_forbidden" } });
	});
});

describe("the beginning of a sign-in", () => {
	const begin = async (app: string | null, redirectUri: string | null, state: string | null = null) =>
		await beginConnect(service.rooms.connect, { app, redirectUri, state }).catch(
			(error: unknown) => error instanceof ConnectFault && error.fault,
		);

	test("looks at App, redirect URI, state and sign-in in this order", async () => {
		const off = await addApp(service.database);
		expect(await begin(null, null, "x".repeat(600))).toBe("missing_app");
		expect(await begin("", CALLBACK)).toBe("missing_app");
		for (const id of ["x", `app_${"0".repeat(22)}`, `${app.id} `]) expect(await begin(id, null)).toBe("unknown_app");
		expect(await begin(app.id, null, "x".repeat(600))).toBe("missing_redirect_uri");
		expect(await begin(app.id, "")).toBe("missing_redirect_uri");
		expect(await begin(off.id, CALLBACK)).toBe("redirect_uri_not_registered");
		expect(await begin(app.id, CALLBACK, "x".repeat(513))).toBe("state_too_long");
		await setSignIn(service.database, app.id, false);
		expect(await begin(app.id, CALLBACK)).toBe("sign_in_disabled");
		await setSignIn(service.database, app.id, true);
	});

	test("takes a registered URI byte for byte, and 512 characters of state however wide they are", async () => {
		for (const near of [
			`${CALLBACK}/`,
			`${CALLBACK}?`,
			CALLBACK.toUpperCase(),
			`${CALLBACK} `,
			CALLBACK.replace("s:", ":"),
		]) {
			expect(await begin(app.id, near)).toBe("redirect_uri_not_registered");
		}
		expect(await begin(app.id, CALLBACK, "😀".repeat(512))).toMatchObject({ state: "😀".repeat(512) });
		expect(await begin(app.id, CALLBACK, "😀".repeat(513))).toBe("state_too_long");
		expect(await begin(app.id, CALLBACK, "")).toMatchObject({
			app: { pk: appPk, id: app.id },
			state: "",
			suspended: false,
		});
	});
});

test("the sweep forgets codes that are past their time", async () => {
	await codeOf(await addPerson(service.database));
	service.clock.advance(61_000);
	expect((await service.sweep()).signIn).toBeGreaterThan(0);
	expect(await countOf(service.database, sql`SELECT count(*) FROM exchange_codes`)).toBe(0);
});
