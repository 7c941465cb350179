import { describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, countOf, setImageStatus } from "../../support/apps.ts";
import { act, acted, itemOf, type Verb } from "../../support/moderation.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";

const service = serviceFor();
const app = madeBefore(() => addApp(service.database));
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const file = await plain(8, 6);

const create = (fields: Record<string, string> = {}) => uploaded(service, file, "a.png", fields, { key: app.key });
const byApp = (method: string, path: string, body?: unknown) => send(service, method, path, body, { key: app.key });
const byOperator = (method: string, path: string, body?: unknown) => send(service, method, path, body, as(operator));
const state = (id: string) =>
	service.database.read(() =>
		service.database.queries.values(sql`SELECT status, locked_ms, block_reason, nsfw, revision,
			(SELECT count(*) FROM moderation_actions WHERE image_id = images.id),
			(SELECT count(*) FROM audit WHERE target = images.id),
			(SELECT count(*) FROM image_labels WHERE image_pk = images.pk) FROM images WHERE id = ${id}`),
	);

describe("a lock", () => {
	test("stops changes, single and in a batch, and neither reads nor deletion; the status stays ready [image.status.lock-separate, errors.code.media_locked, patch.err.media_locked, delete.locked-allowed]", async () => {
		const image = await create();
		const item = await acted(service, operator, image.id, "lock", { reason: "spam", note: "looks odd" });
		expect([item.locked, item.image.status, item.blocked_reason]).toEqual([true, "ready", null]);
		expect(await errorOf(await byApp("PATCH", `/v1/images/${image.id}`, { caption: "x" }))).toMatchObject({
			status: 403,
			type: "permission_error",
			code: "media_locked",
		});
		const batch = await byApp("PATCH", "/v1/images/batch", { ids: [image.id], caption: "x" });
		expect([batch.status, await batch.json()]).toMatchObject([
			207,
			{ data: [], errors: [{ id: image.id, error: { code: "media_locked" } }] },
		]);
		const read = await byApp("GET", `/v1/images/${image.id}`);
		expect([read.status, ((await read.json()) as Image).caption]).toEqual([200, ""]);
		expect((await service.open(image.url)).status).toBe(200);
		expect((await byApp("DELETE", `/v1/images/${image.id}`)).status).toBe(200);
	});

	test("unlocked, it can be changed again; both are in the history, newest first, with who, why and when", async () => {
		const image = await create();
		await acted(service, operator, image.id, "lock", { reason: "spam", note: "looks odd" });
		const item = await acted(service, operator, image.id, "unlock");
		expect(item).toMatchObject({ id: image.id, object: "moderation_item", locked: false, revision: 3 });
		expect(item.image).toMatchObject({ ...image, app_id: app.id, storage: "app" });
		expect(item.actions).toMatchObject([
			{ action: "unlock", reason: null, note: null, actor: operator.id, image_id: image.id },
			{ action: "lock", reason: "spam", note: "looks odd", actor: operator.id, actor_email: operator.email },
		]);
		expect((await byApp("PATCH", `/v1/images/${image.id}`, { caption: "x" })).status).toBe(200);
	});

	test("of an image that is not ready is a lock all the same", async () => {
		for (const status of ["processing", "failed", "blocked"]) {
			const image = await create();
			await setImageStatus(service.database, image.id, status, status === "blocked" ? "spam" : null);
			expect(await acted(service, operator, image.id, "lock")).toMatchObject({ locked: true, image: { status } });
		}
	});
});

describe("a block", () => {
	test("403 media_blocked on GET, and its message has the reason [errors.code.media_blocked-reason]", async () => {
		for (const reason of ["content_policy", "dmca", "spam", "terms"]) {
			const image = await create();
			expect(await acted(service, operator, image.id, "block", { reason })).toMatchObject({
				blocked_reason: reason,
				image: { status: "blocked" },
			});
			const answer = await errorOf(await byApp("GET", `/v1/images/${image.id}`));
			expect(answer).toMatchObject({ status: 403, type: "permission_error", code: "media_blocked" });
			expect(answer.message).toContain(reason);
		}
	});

	test("hides the image from lists, filters, changes and the transform host at once; unblocked, all of it is back", async () => {
		const image = await create({ labels: '{"shelf":"one"}', caption: "kept" });
		const other = await create({ labels: '{"shelf":"two"}' });
		const lists = async () => {
			const found: boolean[] = [];
			for (const query of ["limit=100", "label[shelf]=one", `ids=${image.id}`]) {
				const { data } = (await (await byApp("GET", `/v1/images?${query}`)).json()) as { data: Image[] };
				found.push(data.some(({ id }) => id === image.id));
			}
			return found;
		};
		const served = async (query: string) => (await service.open(`${image.url}${query}`)).status;
		expect([await lists(), await served(""), await served("?w=4")]).toEqual([[true, true, true], 200, 200]);
		await acted(service, operator, image.id, "block", { reason: "dmca" });
		expect([await lists(), await served(""), await served("?w=4"), await served("?w=5")]).toEqual([
			[false, false, false],
			404,
			404,
			404,
		]);
		expect((await errorOf(await byApp("PATCH", `/v1/images/${image.id}`, { caption: "x" }))).code).toBe("not_found");
		await acted(service, operator, image.id, "unblock");
		expect([await lists(), await served(""), await served("?w=4")]).toEqual([[true, true, true], 200, 200]);
		expect(await (await byApp("GET", `/v1/images/${image.id}`)).json()).toEqual(image);
		expect((await byApp("GET", `/v1/images/${other.id}`)).status).toBe(200);
	});

	test("does not keep the image from being deleted by its owner", async () => {
		const image = await create();
		await acted(service, operator, image.id, "block", { reason: "terms" });
		expect((await byApp("DELETE", `/v1/images/${image.id}`)).status).toBe(200);
		expect((await act(service, operator, image.id, "unblock")).status).toBe(404);
	});

	test("wins over a lock on GET, and both can be taken away in either order", async () => {
		const image = await create();
		await acted(service, operator, image.id, "lock");
		await acted(service, operator, image.id, "block", { reason: "spam" });
		expect((await errorOf(await byApp("GET", `/v1/images/${image.id}`))).code).toBe("media_blocked");
		expect((await errorOf(await byApp("PATCH", `/v1/images/${image.id}`, { caption: "" }))).code).toBe("not_found");
		await acted(service, operator, image.id, "unblock");
		expect((await errorOf(await byApp("PATCH", `/v1/images/${image.id}`, { caption: "" }))).code).toBe("media_locked");
		await acted(service, operator, image.id, "unlock");
		expect((await byApp("PATCH", `/v1/images/${image.id}`, { caption: "" })).status).toBe(200);
	});

	test("422 without a reason, or with one that is none", async () => {
		const image = await create();
		for (const body of [{}, { reason: null }, { reason: "because" }, { reason: 1 }, { reason: ["spam"] }]) {
			expect(await errorOf(await act(service, operator, image.id, "block", body))).toMatchObject({
				status: 422,
				fields: ["reason"],
			});
		}
		const odd: object = JSON.parse('{"reason":"spam","__proto__":1,"notes":"x"}');
		expect(await errorOf(await act(service, operator, image.id, "block", odd))).toMatchObject({
			status: 422,
			fields: ["__proto__", "notes"],
		});
		for (const note of ["n".repeat(2_001), "a\0b", "\ud800", 1]) {
			expect((await errorOf(await act(service, operator, image.id, "lock", { note }))).fields).toEqual(["note"]);
		}
		expect((await byApp("GET", `/v1/images/${image.id}`)).status).toBe(200);
	});
});

describe("a state that an action does not change", () => {
	const cases: readonly [string, Verb, object][] = [
		["ready", "unlock", {}],
		["ready", "unblock", {}],
		["locked", "lock", {}],
		["blocked", "block", { reason: "dmca" }],
		["blocked", "block", { reason: "spam" }],
		["processing", "block", { reason: "spam" }],
		["processing", "unblock", {}],
		["failed", "block", { reason: "spam" }],
		["failed", "unblock", {}],
	];

	test.each(cases)("409 and nothing changed: of a %s image, %s", async (from, verb, body) => {
		const image = await create();
		if (from === "locked") await acted(service, operator, image.id, "lock");
		else if (from === "blocked") await acted(service, operator, image.id, "block", { reason: "spam" });
		else if (from !== "ready") await setImageStatus(service.database, image.id, from);
		const before = await state(image.id);
		expect(await errorOf(await act(service, operator, image.id, verb, body))).toMatchObject({
			status: 409,
			code: "state_conflict",
		});
		expect(await state(image.id)).toEqual(before);
	});

	test("409 says who was first and what they did", async () => {
		const image = await create();
		const other = await addPerson(service.database, { operator: true });
		await acted(service, other, image.id, "block", { reason: "spam" });
		const { message } = await errorOf(await act(service, operator, image.id, "block", { reason: "dmca" }));
		expect(message).toContain(other.email);
		expect(message).toContain("spam");
	});

	test("409 for a revision that the image has left, though its state would allow it", async () => {
		const image = await create();
		const { revision } = await acted(service, operator, image.id, "lock");
		await byApp("DELETE", `/v1/images/${newId("img")}`);
		await acted(service, operator, image.id, "unlock");
		await acted(service, operator, image.id, "lock");
		const undo = { revision };
		expect((await errorOf(await act(service, operator, image.id, "unlock", undo))).code).toBe("state_conflict");
		const now = await itemOf(service, operator, image.id);
		expect((await act(service, operator, image.id, "unlock", { revision: now.revision })).status).toBe(200);
	});

	test("50 locks of one image at once: one 200, 49 times 409, one entry", async () => {
		const image = await create();
		const answers = await Promise.all(
			Array.from({ length: 50 }, async () => (await act(service, operator, image.id, "lock")).status),
		);
		expect(answers.toSorted()).toEqual([200, ...Array<number>(49).fill(409)]);
		expect((await itemOf(service, operator, image.id)).actions).toHaveLength(1);
	});

	test("a change by the App and a lock at the same time: either the change came first or it is refused", async () => {
		for (let round = 0; round < 10; round++) {
			const image = await create();
			const [patched] = await Promise.all([
				byApp("PATCH", `/v1/images/${image.id}`, { caption: "x" }),
				acted(service, operator, image.id, "lock"),
			]);
			const { caption } = (await (await byApp("GET", `/v1/images/${image.id}`)).json()) as Image;
			expect(caption).toBe(patched.status === 200 ? "x" : "");
			expect([200, 403]).toContain(patched.status);
		}
	});
});

describe("nsfw", () => {
	test("is set and cleared by operators and shows in the Image; setting it again changes nothing", async () => {
		const image = await create();
		const set = (nsfw: unknown) => byOperator("PATCH", `/v1/moderation/images/${image.id}`, { nsfw });
		expect(await (await set(true)).json()).toMatchObject({ image: { nsfw: true }, revision: 2 });
		expect(((await (await byApp("GET", `/v1/images/${image.id}`)).json()) as Image).nsfw).toBe(true);
		expect(await (await set(true)).json()).toMatchObject({ revision: 2, actions: [{ action: "nsfw" }] });
		expect(await (await set(false)).json()).toMatchObject({
			image: { nsfw: false },
			actions: [{ action: "not_nsfw" }, { action: "nsfw" }],
		});
		for (const bad of [undefined, null, 1, "true"]) {
			expect(await errorOf(await set(bad))).toMatchObject({ status: 422, fields: ["nsfw"] });
		}
	});
});

test("a block without a reason is told without one, to the App and to operators", async () => {
	const { id } = await create();
	await setImageStatus(service.database, id, "blocked");
	const read = await errorOf(await byApp("GET", `/v1/images/${id}`));
	expect([read.code, read.message]).toEqual(["media_blocked", "This image is blocked by moderation."]);
	const again = await errorOf(await act(service, operator, id, "block", { reason: "spam" }));
	expect(again.message).toStartWith("This image is blocked already, without a reason; unblock it to give another one.");
});

describe("a deletion by an operator", () => {
	test("is one like any other: 404 everywhere, usage freed; the history stays in the App's list", async () => {
		const owned = await addApp(service.database);
		const image = await uploaded(service, file, "a.png", {}, { key: owned.key });
		const usage = () =>
			countOf(
				service.database,
				sql`SELECT images + bytes FROM app_usage WHERE app_pk = (SELECT pk FROM apps WHERE id = ${owned.id})`,
			);
		await acted(service, operator, image.id, "block", { reason: "dmca", note: "who complained" });
		const answer = await byOperator("DELETE", `/v1/moderation/images/${image.id}`);
		expect([answer.status, await answer.json()]).toEqual([200, { id: image.id, object: "image", deleted: true }]);
		expect(await usage()).toBe(0);
		expect((await byOperator("GET", `/v1/moderation/images/${image.id}`)).status).toBe(404);
		expect((await byOperator("DELETE", `/v1/moderation/images/${image.id}`)).status).toBe(404);
		expect((await service.open(image.url)).status).toBe(404);
		const owner = await addSession(service.database, owned.ownerId);
		const list = await send(service, "GET", `/v1/apps/${owned.id}/moderation`, undefined, as({ secret: owner }));
		const text = await list.text();
		expect(JSON.parse(text)).toMatchObject({
			data: [
				{ object: "moderation_action", action: "delete", image_id: image.id, actor: "operator" },
				{ action: "block", reason: "dmca", image_id: image.id, actor: "operator" },
			],
		});
		expect(text).not.toContain(operator.id);
		expect(text).not.toContain(operator.email);
		expect(text).not.toContain("who complained");
	});

	test("20 at once: one 200, the others 404", async () => {
		const image = await create();
		const answers = await Promise.all(
			Array.from({ length: 20 }, async () => (await byOperator("DELETE", `/v1/moderation/images/${image.id}`)).status),
		);
		expect(answers.toSorted()).toEqual([200, ...Array<number>(19).fill(404)]);
	});

	test("needs a fresh session or a token with the scope", async () => {
		const image = await create();
		const stale = await addSession(service.database, operator.id, { freshForMs: 0 });
		const remove = (secret: string) =>
			send(service, "DELETE", `/v1/moderation/images/${image.id}`, undefined, as({ secret }));
		expect((await errorOf(await remove(stale))).code).toBe("forbidden");
		expect((await act(service, { secret: stale }, image.id, "lock")).status).toBe(200);
		const token = await addSession(service.database, operator.id, { scopes: ["moderation:write"] });
		expect((await remove(token)).status).toBe(200);
	});
});
