import { afterAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, addKey, addUserKey, type TestApp } from "../../support/apps.ts";
import { censusOf } from "../../support/census.ts";
import { startOrigin } from "../../support/origin.ts";
import { addHolder } from "../../support/own-storages.ts";
import { addMember, addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, errorOf, form, headersOf, send, uploaded } from "../../support/requests.ts";
import { type OpenService, serviceFor } from "../../support/service.ts";
import { addUser } from "../../support/users.ts";

/* Calls that were allowed when they began, and whose caller's authority ended before they could be committed. */

const file = await plain(40, 30);
let asked = Promise.withResolvers<() => void>();
const origin = await startOrigin((_, response) => {
	response.setHeader("Content-Length", file.length);
	response.write(file.subarray(0, 20));
	asked.resolve(() => response.end(file.subarray(20)));
});
afterAll(() => origin.stop());

/** A caller, and how their authority ends. */
interface Ending {
	readonly caller: Caller;
	/** Ends it, and says so. */
	readonly end: () => Promise<Response>;
}

interface Arranged {
	readonly service: OpenService;
	readonly app: TestApp;
	readonly owner: TestPerson;
}

interface Way {
	readonly code: string;
	/** The code of a change, where it is another: an image whose storage is being emptied is gone. */
	readonly changes?: string;
	readonly arrange: (given: Arranged) => Promise<Ending>;
}

const WAYS: Readonly<Record<string, Way>> = {
	"an App-wide key that was revoked": {
		code: "unauthorized",
		arrange: async (given) => ({ caller: { key: given.app.key }, end: () => revokeKeys(given) }),
	},
	"an App-storage key that was revoked": {
		code: "unauthorized",
		arrange: async (given) => ({ caller: await bucketKey(given), end: () => revokeKeys(given) }),
	},
	"an App-wide key whose App was paused": {
		code: "app_suspended",
		arrange: async ({ service, app, owner }) => ({
			caller: { key: app.key },
			end: () => send(service, "POST", `/v1/apps/${app.id}/pause`, undefined, as(owner)),
		}),
	},
	"an App-wide key whose App was blocked": {
		code: "app_suspended",
		arrange: async (given) => ({ caller: { key: given.app.key }, end: () => block(given) }),
	},
	"an App-storage key whose App was blocked": {
		code: "app_blocked",
		arrange: async (given) => ({ caller: await bucketKey(given), end: () => block(given) }),
	},
	"a key whose creator is no Admin any more": {
		code: "unauthorized",
		arrange: async (given) => {
			const admin = await memberOf(given, "admin");
			const key = await addKey(given.service.database, given.app, { creatorId: admin.id });
			return { caller: { key }, end: () => changeRole(given, admin, "editor") };
		},
	},
	"a key whose selected user disconnected": {
		code: "user_forbidden",
		changes: "not_found",
		arrange: async ({ service, app }) => {
			const user = await addUser(service.database, app);
			const end = () => send(service, "DELETE", `/v1/me/connections/${app.id}`, undefined, as(user));
			return { caller: { key: app.key, headers: { "X-Svc-User": user.id } }, end };
		},
	},
	"a key whose selected user was disabled": {
		code: "user_forbidden",
		arrange: async (given) => {
			const user = await addUser(given.service.database, given.app);
			const end = () => disable(given, user.accountId);
			return { caller: { key: given.app.key, headers: { "X-Svc-User": user.id } }, end };
		},
	},
	"the own key of a user who was disabled": {
		code: "unauthorized",
		arrange: async (given) => {
			const user = await addUser(given.service.database, given.app);
			const key = await addUserKey(given.service.database, given.app, user);
			return { caller: { key }, end: () => disable(given, user.accountId) };
		},
	},
	"an Editor who signed out": {
		code: "unauthorized",
		arrange: async (given) => {
			const editor = await memberOf(given, "editor");
			const end = () => send(given.service, "DELETE", "/v1/sessions/current", undefined, as(editor));
			return { caller: as(editor, given.app.id), end };
		},
	},
	"an Editor who became a Viewer": {
		code: "forbidden",
		arrange: async (given) => {
			const editor = await memberOf(given, "editor");
			return { caller: as(editor, given.app.id), end: () => changeRole(given, editor, "viewer") };
		},
	},
	"an Editor of an App that was blocked": {
		code: "app_blocked",
		arrange: async (given) => ({
			caller: as(await memberOf(given, "editor"), given.app.id),
			end: () => block(given),
		}),
	},
};

describe.each(["current", "transition", "legacy"])("[%s]", (variant) => {
	const service = serviceFor({ SVC_VARIANT: variant, SVC_IMPORT_ALLOW: origin.host });

	describe.each(Object.entries(WAYS))("%s", (_, { code, changes = code, arrange }) => {
		async function arranged(): Promise<Ending & Arranged> {
			const app = await addApp(service.database, `App ${++apps}`);
			const secret = await addSession(service.database, app.ownerId);
			const given = { service, app, owner: { id: app.ownerId, email: "", secret } };
			return { ...given, ...(await arrange(given)) };
		}

		test.each([
			["", {}],
			[" under an Idempotency-Key", { "Idempotency-Key": "once" }],
		])("an upload that was under way%s stores nothing", async (_kind, headers) => {
			const { caller, end } = await arranged();
			const { before, answer, finish } = await uploadUnderWay(service, { ...headersOf(service, caller), ...headers });
			expect((await end()).ok).toBe(true);
			finish();
			expect((await errorOf(await answer)).code).toBe(code);
			expect(await leavings(service)).toEqual(before);
		});

		test("an import that was under way stores nothing", async () => {
			const { caller, end } = await arranged();
			const before = await leavings(service);
			asked = Promise.withResolvers();
			const answer = send(service, "POST", "/v1/images", { url: origin.url("/a.png") }, caller);
			const finish = await asked.promise;
			expect((await end()).ok).toBe(true);
			finish();
			expect((await errorOf(await answer)).code).toBe(code);
			expect(await leavings(service)).toEqual(before);
		});

		test.each([
			["PATCH", (id: string) => [`/v1/images/${id}`, { caption: "late" }] as const],
			["PATCH", (id: string) => ["/v1/images/batch", { ids: [id], caption: "late" }] as const],
			["DELETE", (id: string) => ["/v1/images/batch", { ids: [id] }] as const],
		])("a %s that was under way changes nothing", async (method, request) => {
			const { caller, end } = await arranged();
			const image = await uploaded(service, file, "a.png", {}, caller);
			const before = await rowOf(service, image.id);
			const [path, body] = request(image.id);
			const sent = await halfOf(new Response(JSON.stringify(body)));
			const headers = { ...headersOf(service, caller), "Content-Type": "application/json" };
			const answer = service.api(path, { method, body: sent.body, headers });
			await sent.isRead;
			expect((await end()).ok).toBe(true);
			sent.finish();
			const told = await (await answer).text();
			if (method === "PATCH" || changes === code) expect(told).toContain(`"code":"${changes}"`);
			expect(await rowOf(service, image.id)).toEqual(before);
		});
	});
});

describe("a person's own storage", () => {
	const service = serviceFor({ SVC_VARIANT: "legacy" });

	test("takes nothing from an upload whose key was revoked meanwhile", async () => {
		const holder = await addHolder(service);
		const { before, answer, finish } = await uploadUnderWay(service, headersOf(service, holder));
		const revoked = await send(service, "DELETE", `/v1/me/keys/${holder.keyId}`, undefined, as(holder));
		expect(revoked.status).toBe(200);
		finish();
		expect((await errorOf(await answer)).code).toBe("unauthorized");
		expect(await leavings(service)).toEqual(before);
	});
});

describe("the pool", () => {
	const service = serviceFor({ SVC_VARIANT: "legacy" });

	test("takes nothing from an upload without a key that was under way when it was closed", async () => {
		const { before, answer, finish } = await uploadUnderWay(service, {});
		await service.database.write([
			{
				run: sql`UPDATE apps SET blocked_ms = 1, block_reason = 'spam'
			WHERE pk = (SELECT app_pk FROM storages WHERE kind = 'anonymous')`,
			},
		]);
		finish();
		expect((await errorOf(await answer)).code).toBe("app_blocked");
		expect(await leavings(service)).toEqual(before);
	});
});

let apps = 0;

async function bucketKey({ service, app }: Arranged): Promise<Caller> {
	return { key: await addKey(service.database, app, { reach: "bucket" }) };
}

async function memberOf({ service, app }: Arranged, role: "admin" | "editor"): Promise<TestPerson> {
	const person = await addPerson(service.database);
	await addMember(service.database, app, person, role);
	return person;
}

async function revokeKeys({ service, app, owner }: Arranged): Promise<Response> {
	const { data } = (await (await send(service, "GET", `/v1/apps/${app.id}/keys`, undefined, as(owner))).json()) as {
		data: readonly { id: string }[];
	};
	const revoked = data.map(({ id }) => send(service, "DELETE", `/v1/apps/${app.id}/keys/${id}`, undefined, as(owner)));
	return (await Promise.all(revoked))[0] ?? Response.error();
}

function changeRole({ service, app, owner }: Arranged, { id }: TestPerson, role: string): Promise<Response> {
	return send(service, "PATCH", `/v1/apps/${app.id}/members/${id}`, { role, revoke_keys: true }, as(owner));
}

async function block({ service, app }: Arranged): Promise<Response> {
	const operator = await addPerson(service.database, { operator: true });
	return send(service, "POST", `/v1/operator/apps/${app.id}/block`, { reason: "spam" }, as(operator));
}

async function disable({ service }: Arranged, accountId: string): Promise<Response> {
	const operator = await addPerson(service.database, { operator: true });
	return send(service, "POST", `/v1/operator/accounts/${accountId}/disable`, undefined, as(operator));
}

/** An upload of which only the first half was sent, by a caller who was let in. */
async function uploadUnderWay(service: OpenService, headers: Readonly<Record<string, string>>) {
	const before = await leavings(service);
	const whole = new Response(form(file, "a.png"));
	const type = whole.headers.get("Content-Type") ?? "";
	const { body, isRead, finish } = await halfOf(whole);
	const answer = service.api("/v1/images", { method: "POST", body, headers: { ...headers, "Content-Type": type } });
	await isRead;
	return { before, answer, finish };
}

/** A body whose second half comes when it is told to. Callers are identified before a byte of a body is read. */
async function halfOf(whole: Response) {
	const bytes = new Uint8Array(await whole.arrayBuffer());
	const middle = bytes.length >> 1;
	const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
	const { promise: isFinished, resolve: finish } = Promise.withResolvers<void>();
	async function* halves() {
		read();
		yield bytes.subarray(0, middle);
		await isFinished;
		yield bytes.subarray(middle);
	}
	return { body: new ReadableStream({ pull: pulling(halves()) }, { highWaterMark: 0 }), isRead, finish };
}

function pulling(chunks: AsyncGenerator<Uint8Array>) {
	return async (controller: ReadableStreamDefaultController<Uint8Array>) => {
		const { done, value } = await chunks.next();
		if (done) controller.close();
		else controller.enqueue(value);
	};
}

/** What a create leaves behind: a refused one nothing. */
async function leavings(service: OpenService) {
	const { images, blobs, files, incoming, uploads, unfinishedKeys, usage } = await censusOf(service);
	const live = usage.filter((one) => JSON.stringify(one).match(/,[1-9]/));
	return { images, blobs, files, incoming, uploads, unfinishedKeys, live };
}

function rowOf({ database }: OpenService, id: string) {
	return database.read(() => database.queries.values(sql`SELECT caption, revision FROM images WHERE id = ${id}`));
}
