import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "@svc/server/config/config";
import { wire } from "@svc/server/wire/service";
import type { Service } from "@svc/server/wire/service-interface";
import { addPerson } from "../../support/people.ts";
import { removeData } from "../../support/process.ts";
import { errorOf } from "../../support/requests.ts";
import { TestClock, TestLog } from "../../support/service.ts";

/* Guessing the secret that makes the first operator. */

const SECRET = "open-sesame-open-sesame";

const opened: { readonly service: Service; readonly dataDir: string }[] = [];
afterAll(async () => {
	for (const { service, dataDir } of opened) {
		await service.close();
		await removeData(dataDir);
	}
});

/** Without anything that a first start makes. */
async function openEmpty(): Promise<Service> {
	const dataDir = await mkdtemp(join(tmpdir(), "svc-bootstrap-"));
	const config = readConfig({ SVC_DATA_DIR: dataDir, SVC_BOOTSTRAP_SECRET: SECRET });
	const service = await wire(config, { clock: new TestClock(), log: new TestLog() });
	opened.push({ service, dataDir });
	return service;
}

let service: Service;
beforeAll(async () => {
	service = await openEmpty();
});

function attempt(from: string, secret: string, email = "op@example.com", at = service) {
	const headers = { Host: "localhost:3000", "Content-Type": "application/json" };
	const body = JSON.stringify({ secret, email });
	const request = new Request("http://localhost:3000/v1/operator/bootstrap", { method: "POST", headers, body });
	return at.handle(request, () => from);
}

test("people who signed in before keep nobody from making the operator, who may be one of them; it is made once", async () => {
	const other = await openEmpty();
	const stranger = await addPerson(other.database);
	const ada = await addPerson(other.database);
	const made = await attempt("203.0.113.7", SECRET, ada.email, other);
	expect(made.status).toBe(201);
	expect(await made.json()).toMatchObject({
		object: "token",
		name: "bootstrap",
		app_id: null,
		last_used_at: null,
		created_at: expect.stringMatching(/Z$/),
		expires_at: expect.stringMatching(/Z$/),
		account: { id: ada.id, object: "account", email: ada.email, operator: true, status: "active" },
	});
	expect((await attempt("203.0.113.7", SECRET, stranger.email, other)).status).toBe(404);
});

test("a network that guesses is told to wait, before it learns whether it was right; another one goes on", async () => {
	for (let guess = 0; guess < 10; guess++) expect((await attempt("203.0.113.7", `guess ${guess}`)).status).toBe(401);
	for (const secret of ["guess", SECRET]) {
		const refused = await attempt("203.0.113.7", secret);
		expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
		expect(await errorOf(refused)).toMatchObject({ status: 429, code: "rate_limited" });
	}
	expect((await attempt("203.0.113.8", "guess")).status).toBe(401);
	// What cannot be tried is no try.
	for (let turn = 0; turn < 10; turn++) expect((await attempt("203.0.113.8", SECRET, "nonsense")).status).toBe(422);
	expect((await attempt("203.0.113.8", "guess")).status).toBe(401);
});

test("only wrong secrets are counted: of six right ones at once one makes the operator, and the others find it made", async () => {
	const other = await openEmpty();
	const wrong = await Promise.all(Array.from({ length: 9 }, () => attempt("203.0.113.9", "guess", undefined, other)));
	expect(wrong.map(({ status }) => status)).toEqual(Array(9).fill(401));
	const right = await Promise.all(Array.from({ length: 6 }, () => attempt("203.0.113.9", SECRET, undefined, other)));
	expect(right.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404, 404, 404]);
});

test("guesses at once are no more than those one after the other", async () => {
	const guesses = Array.from({ length: 30 }, (_, guess) => attempt("203.0.113.20", `guess ${guess}`));
	const statuses = (await Promise.all(guesses)).map(({ status }) => status);
	expect(statuses.filter((status) => status === 401)).toHaveLength(10);
	expect(statuses.filter((status) => status === 429)).toHaveLength(20);
});

test("many networks together are told to wait as well", async () => {
	const statuses: number[] = [];
	for (let network = 0; network < 60; network++)
		statuses.push((await attempt(`198.51.100.${network}`, "guess")).status);
	expect(statuses.filter((status) => status === 401).length).toBeLessThan(40);
	expect(statuses.at(-1)).toBe(429);
	expect((await attempt("2001:db8::1", "guess")).status).toBe(429);
});
