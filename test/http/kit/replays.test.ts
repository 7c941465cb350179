import { describe, expect, test } from "bun:test";
import { createApp } from "@svc/apps/apps";
import { claimPost, keyedPost } from "@svc/keys/replays";
import { identifyPerson } from "@svc/people/visitors";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { madeBefore, type OpenService, openService, serviceFor } from "../../support/service.ts";

/* Idempotency-Key on the POSTs of people and keys; test/matrix walks all of them. */

const service = serviceFor();
const person = madeBefore(() => addPerson(service.database));

interface Answer {
	readonly status: number;
	readonly replayed: string | null;
	readonly body: Readonly<Record<string, unknown>> & {
		readonly error?: { readonly code: string; readonly message: string };
	};
}

async function post(
	caller: { readonly secret: string },
	path: string,
	body: unknown,
	key: string,
	at: OpenService = service,
): Promise<Answer> {
	const headers = { "Idempotency-Key": key };
	const answer = await send(at, "POST", path, body, { ...as(caller), headers });
	return {
		status: answer.status,
		replayed: answer.headers.get("idempotent-replayed"),
		body: (await answer.json()) as Answer["body"],
	};
}

const appsOf = ({ id }: TestPerson, at: OpenService = service) =>
	countOf(
		at.database,
		sql`SELECT count(*) FROM members JOIN accounts ON accounts.pk = account_pk WHERE accounts.id = ${id}`,
	);

describe("a POST under an Idempotency-Key", () => {
	test("201 three times for one App; the second and third are the first answer again", async () => {
		const first = await post(person, "/v1/apps", { name: "Photos" }, "one app");
		expect(first).toMatchObject({ status: 201, replayed: null });
		for (let time = 0; time < 2; time++) {
			expect(await post(person, "/v1/apps", { name: "Photos" }, "one app")).toEqual({ ...first, replayed: "true" });
		}
		expect(await appsOf(person)).toBe(1);
	});

	test("201 for one of eight that come at once, and 409 in progress or the same answer for the others", async () => {
		const racer = await addPerson(service.database);
		const answers = await Promise.all(
			Array.from({ length: 8 }, () => post(racer, "/v1/apps", { name: "Race" }, "at once")),
		);
		expect(await appsOf(racer)).toBe(1);
		expect(answers.filter(({ status, replayed }) => status === 201 && replayed === null)).toHaveLength(1);
		for (const { status, body } of answers.filter(({ status }) => status !== 201)) {
			expect([status, body.error?.code]).toEqual([409, "idempotency_key_in_progress"]);
		}
	});

	test("409 for another body; a body that parses to the same is the same", async () => {
		const terms = { name: "A", reach: "app", permissions: ["read"] };
		const made = await post(person, "/v1/apps", { name: "Bodies" }, "bodies");
		const path = `/v1/apps/${made.body.id}/keys`;
		const first = await post(person, path, terms, "a key");
		expect(first.status).toBe(201);
		expect(first.body.secret).toBeString();
		const sorted = { permissions: ["read"], reach: "app", name: "A" };
		expect(await post(person, path, sorted, "a key")).toEqual({
			status: 201,
			replayed: "true",
			body: { ...first.body, secret: null },
		});
		const other = await post(person, path, { ...terms, name: "B" }, "a key");
		expect([other.status, other.body.error?.code]).toEqual([409, "idempotency_key_conflict"]);
	});

	test("keys are each caller's own, and each path's own", async () => {
		const [one, other] = [await addPerson(service.database), await addPerson(service.database)];
		const made = [await post(one, "/v1/apps", { name: "A" }, "k"), await post(other, "/v1/apps", { name: "B" }, "k")];
		expect(made.map(({ status, replayed }) => [status, replayed])).toEqual([
			[201, null],
			[201, null],
		]);
		const paused = await post(one, `/v1/apps/${made[0]?.body.id}/pause`, undefined, "k");
		expect([paused.status, paused.replayed]).toEqual([200, null]);
		// A token of the same account is the same caller.
		const token = await addSession(service.database, one.id, { scopes: ["apps:write"] });
		expect((await post({ secret: token }, "/v1/apps", { name: "A" }, "k")).body.id).toBe(made[0]?.body.id);
	});

	test("a refusal is not kept: the right body under the same key is done", async () => {
		const late = await addPerson(service.database);
		expect((await post(late, "/v1/apps", { name: "" }, "late")).status).toBe(422);
		expect((await post(late, "/v1/apps", { name: "Svc" }, "late")).status).toBe(422);
		expect(await post(late, "/v1/apps", { name: "Late" }, "late")).toMatchObject({ status: 201, replayed: null });
	});

	test("422 names a key that is empty, too long or no ASCII; after a day it is a new one", async () => {
		for (const key of ["", "x".repeat(256), "\u00e9"]) {
			const { status, body } = await post(person, "/v1/apps", { name: "Key" }, key);
			expect([status, Object.keys((body.error as { details?: object } | undefined)?.details ?? {})]).toEqual([
				422,
				["Idempotency-Key"],
			]);
		}
		const own = await openService();
		const daily = await addPerson(own.database);
		const first = await post(daily, "/v1/apps", { name: "Daily" }, "daily", own);
		own.clock.advance(86_400_000 - 1_000);
		expect((await post(daily, "/v1/apps", { name: "Daily" }, "daily", own)).body.id).toBe(String(first.body.id));
		own.clock.advance(2_000);
		expect(await post(daily, "/v1/apps", { name: "Daily" }, "daily", own)).toMatchObject({
			status: 201,
			replayed: null,
		});
		await own.sweep();
		own.clock.advance(2 * 86_400_000);
		await own.sweep();
		expect(await countOf(own.database, sql`SELECT count(*) FROM replays`)).toBe(0);
		await own.close();
	});

	test("nothing that is kept holds a secret", async () => {
		const kept = await service.database.rows("SELECT lower(hex(hash)), body FROM replays WHERE body IS NOT NULL", []);
		expect(kept.length).toBeGreaterThan(5);
		for (const [hash, body] of kept) {
			const answer = service.rooms.keys.keyring.open(String(body), `answer ${hash}`);
			expect(answer).toStartWith("{");
			expect(answer).not.toMatch(/svc_\w+_\w{38}/);
		}
	});

	test("it is ignored where nobody is signed in", async () => {
		const headers = { "Idempotency-Key": "\u00e9" };
		const body = { email: "someone@example.com", client: "test" };
		const answers = [1, 2].map(() => send(service, "POST", "/v1/sessions/login", body, { key: "", headers }));
		for (const { status, headers: sent } of await Promise.all(answers)) {
			expect(status).not.toBe(422);
			expect(sent.get("idempotent-replayed")).toBeNull();
		}
	});

	/** As a process leaves it that dies between the commit and the answer. */
	const loseAnswers = ({ id }: TestPerson) =>
		service.database.write([
			{ run: sql`UPDATE replays SET status = NULL, body = NULL, lease_ms = 0 WHERE caller = ${id}` },
		]);

	test("201 with what was made, without its secret, when the change is kept and its answer was lost", async () => {
		const killed = await addPerson(service.database);
		const made = await post(killed, "/v1/apps", { name: "Killed" }, "killed");
		const path = `/v1/apps/${made.body.id}`;
		const posts = [
			["/v1/apps", { name: "Killed" }],
			[`${path}/keys`, { name: "A", reach: "app", permissions: ["read"] }],
			[`${path}/invites`, { email: "killed@example.com", role: "viewer" }],
			[`${path}/redirect_uris`, { uri: "https://killed.example/back" }],
			["/v1/tokens", { name: "T", scopes: ["apps:read"], expires_in: "1d" }],
			[`${path}/pause`, undefined],
			[`${path}/resume`, undefined],
		] as const;
		for (const [at, body] of posts) {
			const first = await post(killed, at, body, "killed");
			await loseAnswers(killed);
			const shown = { ...("secret" in first.body && { secret: null }), ...("token" in first.body && { token: null }) };
			const again = { status: first.status, replayed: "true", body: { ...first.body, ...shown } };
			expect(await post(killed, at, body, "killed")).toEqual(again);
			expect(await post(killed, at, body, "killed")).toEqual(again);
		}
		expect(await appsOf(killed)).toBe(1);
	});

	test("409 shows where to look where that cannot be shown any more; the change is not made again", async () => {
		const killed = await addPerson(service.database);
		const made = await post(killed, "/v1/apps", { name: "Killed" }, "killed");
		await loseAnswers(killed);
		await send(service, "DELETE", `/v1/apps/${made.body.id}?confirm_name=Killed`, undefined, as(killed));
		const again = await post(killed, "/v1/apps", { name: "Killed" }, "killed");
		expect([again.status, again.body.error?.code]).toEqual([409, "idempotency_recovery_conflict"]);
		expect(again.body.error?.message).toContain("GET /v1/apps");
		expect(await appsOf(killed)).toBe(1);
	});

	test("a request that died before its change is done again; a change of the dead one that comes late is refused", async () => {
		const { rooms } = service;
		const maker = await addPerson(service.database);
		const { keys } = rooms;
		const sent = await keyedPost(
			{ caller: maker.id, about: [] },
			{ path: "/v1/apps", key: "slow", body: ["", { name: "Slow" }] },
		);
		expect(await claimPost(keys, sent, "req_slow")).toMatchObject({ act: "run" });
		expect(await post(maker, "/v1/apps", { name: "Slow" }, "slow")).toMatchObject({ status: 409, replayed: null });
		await service.database.write([{ run: sql`UPDATE replays SET lease_ms = 0 WHERE caller = ${maker.id}` }]);
		expect(await post(maker, "/v1/apps", { name: "Slow" }, "slow")).toMatchObject({ status: 201, replayed: null });
		const by = { actor: maker.id, requestId: "req_slow", nowMs: service.clock.now() };
		const known = await identifyPerson(rooms.people, maker.secret);
		await expect(createApp(rooms.apps, known, "Slow", by)).rejects.toMatchObject({
			code: "idempotency_key_in_progress",
		});
		expect(await appsOf(maker)).toBe(1);
	});
});

test("what a request has claimed is held in memory for as long as it runs", () => {
	expect([...service.database.claims.keys()]).toEqual(["req_slow"]);
});
