import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hashSecret } from "@svc/base/crypto/secrets";
import { SCOPES } from "@svc/people/people";
import { sql } from "drizzle-orm";
import { addApp, addKey } from "../support/apps.ts";
import { addMember, addSession } from "../support/people.ts";
import { send } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { APP_ROWS } from "./app-rows.ts";
import { type Cast, findStrangers, newCast, type Strangers } from "./cast.ts";
import { type Posting, READY, secretFor } from "./ready.ts";
import type { Row } from "./row.ts";
import { OWN_STORAGE_ROWS, SERVICE_ROWS } from "./service-rows.ts";

/* Every POST of a caller who is known, sent twice under one Idempotency-Key: a new one that does not honour it fails here. */

interface Stage {
	readonly service: OpenService;
	readonly strangers: Strangers;
}

let current: Stage;
let legacy: Stage;
beforeAll(async () => {
	[current, legacy] = [await openStage("current"), await openStage("legacy")];
});
afterAll(() => Promise.all([current, legacy].map(({ service }) => service.close())));

async function openStage(variant: string): Promise<Stage> {
	const service = await openService({ SVC_SIGN_IN_IP_RATE: "0", SVC_VARIANT: variant });
	return { service, strangers: await findStrangers(service) };
}

/** They have a way of their own, which test/http/images proves. */
const IMAGES = ["POST /v1/images", "POST /v1/images/:id/replace"];
/** For somebody who is signed in it confirms who they are, for anybody else it signs in: test/http/people/passkeys.test.ts proves both. */
const PASSKEY = "POST /v1/sessions/passkey";

/** One row of each POST of somebody who is known. */
function postsIn(rows: readonly Row[]): readonly Row[] {
	const posts = rows.filter(({ route, audience }) => route.startsWith("POST ") && audience !== "anybody");
	return [...new Map(posts.map((row) => [row.route, row])).values()].filter(({ route }) => !IMAGES.includes(route));
}

async function postingOf(row: Row, cast: Cast): Promise<Posting> {
	const ready = READY[row.route];
	if (ready) return await ready(cast);
	return { ...(await row.attempt(cast)), secret: secretFor(row.audience, cast) };
}

/** How many rows each table has, but for what is found out about pictures in the background. */
async function countRows({ database }: OpenService): Promise<Readonly<Record<string, unknown>>> {
	const tables = await database.rows(
		"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'image_facts'",
		[],
	);
	const counts: Record<string, unknown> = {};
	for (const [name] of tables)
		counts[String(name)] = (await database.rows(`SELECT count(*) FROM "${name}"`, []))[0]?.[0];
	return counts;
}

/** Whether the claim of a POST was kept together with what it changed: only then is it not made again after a kill between them. */
async function isMarked({ database }: OpenService, requestId: string | null): Promise<boolean> {
	const rows = await database.rows("SELECT changed FROM replays WHERE request_id = ? AND status IS NOT NULL", [
		requestId,
	]);
	return rows.length > 0 && rows.every(([changed]) => changed === 1);
}

/** What may be done a second time after a kill between the change and its answer. */
const UNMARKED: readonly string[] = [
	// It changes nothing: the second address is as good as the first.
	"POST /v1/images/:id/sign",
	// The record is looked for once more.
	"POST /v1/apps/:id/image_host/verify",
	// Nothing changes here: the processor makes the page, under a key of its own.
	"POST /v1/apps/:id/billing/payment_method",
	// Nobody has the ticket, or the options, of the first time, and they end after some minutes; who asks again gets others, and is not left without.
	"POST /v1/console_tickets",
	"POST /v1/me/passkeys/options",
	// Bytes that are back are in the trash no more: they are brought back once by themselves.
	"POST /v1/operator/trash/restore",
];

const SHOWN_ONCE = ["secret", "token"];
/** Who has handed an App over is its Owner no more, and gets no answer of Owners. */
const HANDS_OVER = "POST /v1/apps/:id/transfer";

/** The same caller with less: a token of theirs that is bound to another App, or a key of the App without `write`. */
async function weakened({ service: { database }, app }: Cast, secret: string): Promise<string> {
	if (secret === app.key) return await addKey(database, app, { reach: "bucket", permissions: ["read"] });
	const [row] = await database.rows(
		"SELECT accounts.id FROM sessions JOIN accounts ON accounts.pk = account_pk WHERE hash = ?",
		[await hashSecret(secret)],
	);
	const elsewhere = await addApp(database, "Elsewhere");
	await addMember(database, elsewhere, { id: String(row?.[0]) }, "editor");
	return await addSession(database, String(row?.[0]), { scopes: SCOPES, appId: elsewhere.id });
}

/** Takes every role in the App of the cast away. */
async function endRoles({ service, app }: Cast): Promise<void> {
	await service.database.write([
		{ run: sql`DELETE FROM members WHERE app_pk = (SELECT pk FROM apps WHERE id = ${app.id})` },
	]);
}

async function expectReplay({ service, strangers }: Stage, row: Row): Promise<void> {
	const cast = await newCast(service, strangers);
	const { path, body, secret } = await postingOf(row, cast);
	const headers = { "X-Svc-App": cast.app.id, "Idempotency-Key": `once ${row.route}` };
	let requestId: string | null = null;
	const post = async (key = secret) => {
		const answer = await send(service, "POST", path, body, { key, headers });
		requestId = answer.headers.get("x-request-id");
		const shown = (await answer.json()) as Record<string, unknown>;
		return { status: answer.status, replayed: answer.headers.get("idempotent-replayed"), shown };
	};
	const first = await post();
	expect([first.status < 300 ? "done" : first, first.replayed]).toEqual(["done", null]);
	if (!UNMARKED.includes(row.route)) expect(await isMarked(service, requestId)).toBe(true);
	const refused = async (key?: string) => {
		const { status, replayed } = await post(key);
		expect([status === 401 || status === 403 || status === 404 ? "refused" : status, replayed]).toEqual([
			"refused",
			null,
		]);
	};
	await refused(await weakened(cast, secret));
	if (row.route === HANDS_OVER) return await refused();
	const before = await countRows(service);
	const hidden = row.route === "POST /v1/console_tickets" ? [...SHOWN_ONCE, "url"] : SHOWN_ONCE;
	const once = hidden.filter((name) => typeof first.shown[name] === "string").map((name) => [name, null]);
	expect(await post()).toEqual({
		status: first.status,
		replayed: "true",
		shown: { ...first.shown, ...Object.fromEntries(once) },
	});
	expect(await countRows(service)).toEqual(before);
	if (!row.route.startsWith("POST /v1/apps/:id/")) return;
	await endRoles(cast);
	await refused();
}

describe("sent twice under one Idempotency-Key it is done once and answered twice, and not to who may not make it:", () => {
	for (const row of postsIn([...APP_ROWS, ...SERVICE_ROWS])) test(row.route, () => expectReplay(current, row));
	for (const row of postsIn(OWN_STORAGE_ROWS)) test(`${row.route}, in 4.2.0`, () => expectReplay(legacy, row));
});

test("the document tells of the header at each of these, and at no other but that of images", async () => {
	for (const [{ service }, rows] of [
		[current, []],
		[legacy, OWN_STORAGE_ROWS],
	] as const) {
		const document = (await (await service.api("/openapi.json")).json()) as {
			readonly paths: Record<string, Record<string, { readonly parameters?: readonly { readonly name: string }[] }>>;
		};
		const telling = Object.entries(document.paths)
			.filter(([path]) => !path.includes("#"))
			.filter(([, { post }]) => post?.parameters?.some(({ name }) => name === "Idempotency-Key"))
			.map(([path]) => `POST ${path.replace(/\{(\w+)\}/g, ":$1")}`);
		const posts = postsIn([...APP_ROWS, ...SERVICE_ROWS, ...rows]).map(({ route }) => route);
		// Some routes are in the newest version alone.
		const known = new Set(Object.keys(document.paths).map((path) => `POST ${path.replace(/\{(\w+)\}/g, ":$1")}`));
		const tried = service === current.service ? posts : posts.filter((route) => known.has(route));
		expect(telling.sort()).toEqual([...IMAGES.filter((route) => known.has(route)), PASSKEY, ...tried].sort());
	}
});
