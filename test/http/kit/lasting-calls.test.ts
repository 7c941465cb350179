import { describe, expect, spyOn, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { addApp, connectUser, type TestApp } from "../../support/apps.ts";
import { arrangedIn, halfOf, WAYS } from "../../support/lost-authority.ts";
import { addMember, addPerson, addSession, as } from "../../support/people.ts";
import { noise, plain } from "../../support/pictures.ts";
import { type Caller, form, headersOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

/* What lasts asks for its authority again before it gives something out, and is answered as the same call made anew. */

const service = serviceFor({ SVC_VARIANT: "current" });
const file = await plain(8, 8);
const READERS = Object.entries(WAYS).filter(([who]) => !/App-storage|own key/.test(who));

/** As another process writes it. */
async function tellOf(app: TestApp, user: string | null): Promise<void> {
	await service.database.write([
		{
			run: sql`INSERT INTO events (id, app_pk, user_id, type, subject, data, created_ms)
				SELECT ${newId("evt")}, pk, ${user}, 'key.created', 'key_1', NULL, ${service.clock.now()} FROM apps WHERE id = ${app.id}`,
		},
	]);
}

/** Resolves once a call waits for events. */
function waitingBegun(): Promise<void> {
	const { watch } = service.rooms.events;
	const open = watch.open.bind(watch);
	const { promise, resolve } = Promise.withResolvers<void>();
	const spy = spyOn(watch, "open").mockImplementation(async (isWanted) => {
		spy.mockRestore();
		const watcher = await open(isWanted);
		const next = watcher.next.bind(watcher);
		const telling = (...how: Parameters<typeof next>) => {
			resolve();
			return next(...how);
		};
		return Object.assign(watcher, { next: telling });
	});
	return promise;
}

interface Told {
	readonly status: number;
	readonly code: string | undefined;
	readonly replayed: string | null;
}

async function told(answer: Response): Promise<Told> {
	const { error } = (await answer.json()) as { readonly error?: { readonly code: string } };
	return { status: answer.status, code: error?.code, replayed: answer.headers.get("idempotent-replayed") };
}

/** A POST under a key that was answered before: its second half comes once `end` has been called. */
async function heldReplay(caller: Caller, path: string, body: FormData | object, end: () => Promise<unknown>) {
	const keyed = { ...headersOf(service, caller), "Idempotency-Key": "held" };
	const request = () =>
		new Request("http://x", { method: "POST", body: body instanceof FormData ? body : JSON.stringify(body) });
	const type = body instanceof FormData ? (request().headers.get("content-type") ?? "") : "application/json";
	const whole = await request().arrayBuffer();
	const headers = { ...keyed, "Content-Type": body instanceof FormData ? boundaryOf(whole) : type };
	const post = (sent: BodyInit) => service.api(path, { method: "POST", body: sent, headers });
	expect((await post(whole)).status).toBeLessThan(300);
	const { body: half, isRead, finish } = await halfOf(new Response(whole));
	const answer = post(half);
	await isRead;
	await end();
	finish();
	return { late: await told(await answer), anew: await told(await post(whole)) };
}

/** The framework chooses another boundary each time: here it is that of these bytes. */
function boundaryOf(whole: ArrayBuffer): string {
	const [line] = new TextDecoder("latin1").decode(whole).split("\r\n", 1);
	return `multipart/form-data; boundary=${line?.slice(2)}`;
}

describe.each(READERS)("%s", (_, way) => {
	test("is told so by a wait for events that began before, and nothing of what came since", async () => {
		const { caller, end, app } = await arrangedIn(service, way);
		const begun = waitingBegun();
		const waiting = send(service, "GET", "/v1/events?wait=30&types=key.created", undefined, caller);
		await begun;
		expect((await end()).ok).toBe(true);
		await tellOf(app, caller.headers?.["X-Svc-User"] ?? null);
		const anew = await send(service, "GET", "/v1/events?types=key.created", undefined, caller);
		expect(await told(await waiting)).toEqual(await told(anew));
	});

	test.each([
		["/v1/upload_tickets", () => ({})],
		["/v1/images", () => form(file, "a.png")],
	] as const)("gets no answer again of a POST %s whose body was still on its way", async (path, body) => {
		const { caller, end } = await arrangedIn(service, way);
		const { late, anew } = await heldReplay(caller, path, body(), end);
		expect(late).toEqual({ ...anew, replayed: null });
		expect(late.code).toBe(way.code);
	});
});

test.each([
	["demoted", 403, sql`UPDATE members SET role = 'editor' WHERE account_pk = `],
	["removed", 404, sql`DELETE FROM members WHERE account_pk = `],
	["signed out", 401, sql`DELETE FROM sessions WHERE account_pk = `],
] as const)(
	"an Admin who was %s while the body was on its way is answered %i, and not again",
	async (_, status, end) => {
		const app = await addApp(service.database);
		const admin = await addPerson(service.database);
		await addMember(service.database, app, admin, "admin");
		const body = { name: "Backend", reach: "app", permissions: ["read"] };
		const ending = sql`${end}(SELECT pk FROM accounts WHERE id = ${admin.id})`;
		const { late, anew } = await heldReplay(as(admin), `/v1/apps/${app.id}/keys`, body, () =>
			service.database.write([{ run: ending }]),
		);
		expect([late.status, late]).toEqual([status, anew]);
	},
);

test("a file of one's own pictures ends with the session: what comes after that is not given out", async () => {
	const app = await addApp(service.database);
	const user = await connectUser(service.database, app);
	const secret = await addSession(service.database, user.accountId);
	const theirs = { key: app.key, headers: { "X-Svc-User": user.id } };
	// More than all that is on its way at a time: the buffers of both ends take some megabytes.
	for (let made = 0; made < 4; made++) await uploaded(service, await noise(2_000 + made, 2_000), "a.jpg", {}, theirs);
	const asked = await send(service, "POST", "/v1/me/export", {}, as({ secret }));
	const { id } = (await asked.json()) as { readonly id: string };
	await service.runJobs();
	const { body } = await send(service, "GET", `/v1/me/exports/${id}/file`, undefined, as({ secret }));
	const reader = (body as ReadableStream<Uint8Array>).getReader();
	expect((await reader.read()).done).toBe(false);
	expect((await send(service, "DELETE", "/v1/sessions/current", undefined, as({ secret }))).status).toBe(200);
	const rest = async () => {
		while (!(await reader.read()).done);
		return "whole";
	};
	expect(await rest().catch(() => "cut off")).toBe("cut off");
});
