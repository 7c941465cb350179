import { beforeAll, describe, expect, test } from "bun:test";
import { keyHash } from "@svc/images/create/idempotency";
import { claimPost, keepAnswer, keyedPost } from "@svc/keys/replays";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, addUserKey, connectUser, countOf, type TestApp, type TestUser } from "../../support/apps.ts";
import { addMember, addPerson, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, errorOf, form, headersOf, send, upload, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { ticket, useTicket } from "../../support/tickets.ts";

/* What an answer under an Idempotency-Key is bound to: the caller, the App and the storage that are selected, the method and the path. */

const service = serviceFor({ SVC_VARIANT: "current" });
const file = await plain(8, 8);
const other = await plain(9, 8);

let one: TestApp;
let two: TestApp;
let editor: TestPerson;
let ann: TestUser;
let bob: TestUser;
beforeAll(async () => {
	[one, two] = [await addApp(service.database), await addApp(service.database)];
	[ann, bob] = [await connectUser(service.database, one), await connectUser(service.database, one)];
	editor = await addPerson(service.database);
	for (const app of [one, two]) await addMember(service.database, app, editor, "editor");
});

const ofKey = (user?: TestUser): Caller => ({ key: one.key, headers: user ? { "X-Svc-User": user.id } : {} });
const ofEditor = (app: TestApp, user?: TestUser): Caller => ({
	key: editor.secret,
	headers: { "X-Svc-App": app.id, ...(user && { "X-Svc-User": user.id }) },
});

interface Posted {
	readonly path: string;
	readonly body?: unknown;
}

const inHers = async () => (await uploaded(service, file, "a.png", {}, ofKey(ann))).id;
const import_ = { items: [{ url: "https://example.com/a.jpg" }] };

/** An App may have few that are unfinished. */
const endJobs = () => service.database.write([{ run: sql`UPDATE jobs SET state = 'done'` }]);

/** A call of each path about the storage of the first user. */
const CALLS: Readonly<Record<string, () => Promise<Posted>>> = {
	"/v1/images": async () => ({ path: "/v1/images", body: form(file, "a.png") }),
	"/v1/images/{id}/replace": async () => ({ path: `/v1/images/${await inHers()}/replace`, body: form(other, "b.png") }),
	"/v1/images/{id}/copy": async () => ({ path: `/v1/images/${await inHers()}/copy`, body: { user_id: bob.id } }),
	"/v1/images/{id}/move": async () => ({ path: `/v1/images/${await inHers()}/move`, body: { user_id: null } }),
	"/v1/images/{id}/restore": async () => {
		const path = `/v1/images/${await inHers()}`;
		await send(service, "DELETE", path, undefined, ofKey(ann));
		return { path: `${path}/restore` };
	},
	"/v1/images/{id}/sign": async () => ({
		path: `/v1/images/${await inHers()}/sign`,
		body: { parameters: { w: "8" }, expires_in: 60 },
	}),
	"/v1/upload_tickets": async () => ({ path: "/v1/upload_tickets", body: {} }),
	"/v1/upload_tickets/{id}/cancel": async () => ({
		path: `/v1/upload_tickets/${(await ticket(service, {}, ofKey(ann))).id}/cancel`,
	}),
	"/v1/imports": async () => {
		await endJobs();
		return { path: "/v1/imports", body: import_ };
	},
	"/v1/imports/{id}/cancel": async () => {
		await endJobs();
		const made = await send(service, "POST", "/v1/imports", import_, ofKey(ann));
		return { path: `/v1/imports/${((await made.json()) as { id: string }).id}/cancel` };
	},
};

async function post({ path, body }: Posted, caller: Caller, key: string) {
	const keyed = { ...caller, headers: { ...caller.headers, "Idempotency-Key": key } };
	const answer =
		body instanceof FormData
			? await service.api(path, { method: "POST", body, headers: headersOf(service, keyed) })
			: await send(service, "POST", path, body, keyed);
	const shown = (await answer.json()) as Image;
	return { status: answer.status, replayed: answer.headers.get("idempotent-replayed"), shown };
}

describe("an answer is given again in the storage that it is about, and in no other:", () => {
	test("each POST of the document that takes X-Svc-App or X-Svc-User is tried here", async () => {
		const { paths } = (await (await service.api("/openapi.json")).json()) as {
			readonly paths: Record<
				string,
				{ readonly post?: { readonly parameters?: readonly { readonly name: string }[] } }
			>;
		};
		const selecting = Object.entries(paths).filter(([, { post: of }]) => {
			const names = of?.parameters?.map(({ name }) => name) ?? [];
			return names.includes("Idempotency-Key") && (names.includes("X-Svc-App") || names.includes("X-Svc-User"));
		});
		const tried = new Set(selecting.map(([path]) => path.replace(/#.*/, "")));
		expect([...tried].sort()).toEqual(Object.keys(CALLS).sort());
	});

	describe.each(Object.entries(CALLS))("POST %s", (path, arrange) => {
		test.each([
			["an App's key", () => [ofKey(ann), ofKey(bob), ofKey()]],
			["an Editor", () => [ofEditor(one, ann), ofEditor(one, bob), ofEditor(one), ofEditor(two)]],
		] as const)("by %s", async (who, callers) => {
			const [hers, ...others] = callers();
			const call = await arrange();
			const key = `${who} ${path}`;
			const first = await post(call, hers as Caller, key);
			expect([first.status < 300, first.replayed]).toEqual([true, null]);
			expect(await post(call, hers as Caller, key)).toEqual({ ...first, replayed: "true" });
			const seen = new Set([first.shown.id]);
			for (const another of others) {
				const answer = await post(call, another, key);
				expect([answer.replayed, answer.status === 409]).toEqual([null, false]);
				if (answer.status > 200 && answer.status < 300) expect(seen.has(answer.shown.id)).toBe(false);
				seen.add(answer.shown.id);
			}
		});
	});

	test("another path is another call: one key makes an image, and gives two images new bytes", async () => {
		const made = await post({ path: "/v1/images", body: form(file, "a.png") }, ofKey(), "each path");
		for (const id of [made.shown.id, (await uploaded(service, file, "a.png", {}, ofKey())).id]) {
			const replaced = await post(
				{ path: `/v1/images/${id}/replace`, body: form(other, "b.png") },
				ofKey(),
				"each path",
			);
			expect([replaced.status, replaced.replayed, replaced.shown.width]).toEqual([200, null, 9]);
		}
	});

	test("403 for a user's own key, which gets no ticket that the App has asked for under the same Idempotency-Key", async () => {
		const key = await addUserKey(service.database, one, ann);
		const call = { path: "/v1/upload_tickets", body: {} };
		expect((await post(call, ofKey(ann), "both")).status).toBe(201);
		expect(await post(call, { key }, "both")).toMatchObject({ status: 403, replayed: null });
	});
});

describe("409 once the image of an answer was moved, instead of an address that is dead:", () => {
	const move = (id: string, from: Caller, to: TestUser) =>
		send(service, "POST", `/v1/images/${id}/move`, { user_id: to.id }, from);
	const moved = async (call: Posted, from: Caller, holder: Caller = from) => {
		const first = await post(call, from, `moved ${call.path}`);
		expect(first.status).toBeLessThan(300);
		expect((await move(first.shown.id, holder, bob)).status).toBe(200);
		const again = await post(call, from, `moved ${call.path}`);
		expect([again.status, (again.shown as unknown as { error: { code: string } }).error.code]).toEqual([
			409,
			"idempotency_recovery_conflict",
		]);
	};

	test.each(["/v1/images", "/v1/images/{id}/replace", "/v1/images/{id}/restore"])("POST %s", async (path) => {
		await moved(await (CALLS[path] as (typeof CALLS)[string])(), ofKey(ann));
	});
	test("POST /v1/images/{id}/copy", async () => {
		await moved({ path: `/v1/images/${await inHers()}/copy`, body: { user_id: null } }, ofKey(ann), ofKey());
	});
	test("POST /v1/images/{id}/move", async () => {
		await moved({ path: `/v1/images/${await inHers()}/move`, body: { user_id: null } }, ofKey(ann), ofKey());
	});
	test("an upload ticket", async () => {
		const made = await ticket(service, {}, ofKey(ann));
		expect((await useTicket(service, made, file)).status).toBe(201);
		expect((await move(made.image_id, ofKey(ann), bob)).status).toBe(200);
		expect(await errorOf(await useTicket(service, made, file))).toMatchObject({
			code: "idempotency_recovery_conflict",
		});
	});
	test("POST /v1/moderation/images/{id}/lock, by an operator", async () => {
		const operator = await addPerson(service.database, { operator: true });
		const { id } = await uploaded(service, file, "a.png", {}, ofKey(ann));
		const call = { path: `/v1/moderation/images/${id}/lock`, body: {} };
		expect((await post(call, as(operator), "lock")).status).toBe(200);
		await post({ path: `/v1/moderation/images/${id}/unlock`, body: {} }, as(operator), "unlock");
		expect((await move(id, ofKey(ann), bob)).status).toBe(200);
		expect(await post(call, as(operator), "lock")).toMatchObject({ status: 409, replayed: null });
	});
});

describe("while the release before this one still runs", () => {
	const call = { path: "/v1/upload_tickets", body: {} };
	/** As that release names it: whatever App and storage is selected. */
	const formerly = (key: string) =>
		keyedPost({ caller: editor.id, about: [] }, { path: call.path, key, body: ["", call.body] });
	const tickets = () => countOf(service.database, sql`SELECT count(*) FROM upload_tickets`);

	test("409 for what it has answered, and nothing is made", async () => {
		const { keys } = service.rooms;
		const verdict = await claimPost(keys, await formerly("answered"), "req_before");
		if (verdict.act !== "run") throw new Error(verdict.act);
		const before = await tickets();
		const waiting = await post(call, ofEditor(one), "answered");
		expect(waiting.shown).toMatchObject({ error: { code: "idempotency_key_in_progress" } });
		await keepAnswer(keys, verdict.claim, { status: 201, body: "{}" });
		const again = await post(call, ofEditor(one), "answered");
		expect(again.shown).toMatchObject({ error: { code: "idempotency_recovery_conflict" } });
		expect(await tickets()).toBe(before);
	});

	test("it refuses what this one has answered, and each storage still has its own answer here", async () => {
		const first = [await post(call, ofEditor(one), "kept"), await post(call, ofEditor(two), "kept")];
		await expect(claimPost(service.rooms.keys, await formerly("kept"), "req_late")).rejects.toMatchObject({
			code: "idempotency_key_conflict",
		});
		const again = [await post(call, ofEditor(one), "kept"), await post(call, ofEditor(two), "kept")];
		expect(again).toEqual(first.map((answer) => ({ ...answer, replayed: "true" })));
	});

	test("a claim of a process that died before its change is taken over, and its late change is refused", async () => {
		const { keys } = service.rooms;
		const dead = await formerly("dead");
		expect(await claimPost(keys, dead, "req_dead")).toMatchObject({ act: "run" });
		await service.database.write([{ run: sql`UPDATE replays SET lease_ms = 0 WHERE request_id = 'req_dead'` }]);
		expect((await post(call, ofEditor(one), "dead")).status).toBe(201);
		expect(await countOf(service.database, sql`SELECT count(*) FROM replays WHERE request_id = 'req_dead'`)).toBe(0);
	});

	test("new bytes that it has given an image under a key are not given again", async () => {
		const { id } = await uploaded(service, file, "a.png", {}, ofKey());
		const replacing = { path: `/v1/images/${id}/replace`, body: form(other, "b.png") };
		const first = await post(replacing, ofKey(), "bytes");
		const former = Buffer.from(keyHash("bytes"));
		await service.database.write([
			{
				run: sql`UPDATE idempotency SET key_hash = ${former} WHERE key_hash = ${Buffer.from(keyHash(`\0${id} bytes`))}`,
			},
		]);
		expect(await post(replacing, ofKey(), "bytes")).toEqual({ ...first, replayed: "true" });
		const created = await upload(service, file, "a.png", {}, { key: one.key, headers: { "Idempotency-Key": "bytes" } });
		expect(created.status).toBe(409);
	});
});
