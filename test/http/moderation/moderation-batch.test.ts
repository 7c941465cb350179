import { expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import type { BatchResult } from "@svc/sdk/types";
import { addApp, setImageStatus } from "../../support/apps.ts";
import { acted, type Item, itemOf } from "../../support/moderation.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";

const service = serviceFor();
const app = madeBefore(() => addApp(service.database));
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const file = await plain(8, 6);

const create = async () => (await uploaded(service, file, "a.png", {}, { key: app.key })).id;
const batch = (body: unknown, secret = operator.secret) =>
	send(service, "POST", "/v1/moderation/batch", body, as({ secret }));

async function ran(body: unknown, status: number): Promise<BatchResult<Item>> {
	const answer = await batch(body);
	expect(answer.status).toBe(status);
	const result = (await answer.json()) as BatchResult<Item>;
	expect([Object.keys(result), result.object]).toEqual([["object", "data", "errors"], "batch_result"]);
	return result;
}

test("200 with every item as it then is, each with an entry in its history", async () => {
	const ids = [await create(), await create(), await create()];
	const steps = [
		[{ action: "lock", note: "together" }, { locked: true }],
		[{ action: "unlock" }, { locked: false }],
		[{ action: "nsfw" }, { image: { nsfw: true } }],
		[{ action: "not_nsfw" }, { image: { nsfw: false } }],
		[
			{ action: "block", reason: "dmca" },
			{ blocked_reason: "dmca", image: { status: "blocked" } },
		],
		[{ action: "unblock" }, { blocked_reason: null, image: { status: "ready" } }],
	] as const;
	for (const [sent, expected] of steps) {
		const { data, errors } = await ran({ ids, ...sent }, 200);
		expect(errors).toEqual([]);
		expect(data).toMatchObject(ids.map((id) => ({ id, object: "moderation_item", ...expected })));
	}
	const { actions } = await itemOf(service, operator, String(ids[0]));
	expect(actions.map(({ action }) => action)).toEqual(["unblock", "block", "not_nsfw", "nsfw", "unlock", "lock"]);
	expect(actions.at(-1)?.note).toBe("together");
});

test("207 with an error for each one that did not fit, and the others done", async () => {
	const [ready, locked, blocked, failed] = [await create(), await create(), await create(), await create()];
	await acted(service, operator, locked, "lock");
	await acted(service, operator, blocked, "block", { reason: "spam" });
	await setImageStatus(service.database, failed, "failed");
	const unknown = newId("img");
	const ids = [ready, locked, blocked, failed, unknown, "x", ready];
	const { data, errors } = await ran({ ids, action: "block", reason: "terms" }, 207);
	expect(data.map(({ id }) => id)).toEqual([ready, locked]);
	expect(errors.map(({ id, error }) => [id, error.code])).toEqual([
		[blocked, "state_conflict"],
		[failed, "state_conflict"],
		[unknown, "not_found"],
		["x", "not_found"],
	]);
	expect(await itemOf(service, operator, blocked)).toMatchObject({ blocked_reason: "spam" });
});

test("a deletion answers tombstones, and needs a fresh session where nothing else does", async () => {
	const ids = [await create(), await create()];
	const stale = await addSession(service.database, operator.id, { freshForMs: 0 });
	expect((await batch({ ids, action: "lock" }, stale)).status).toBe(200);
	expect(await errorOf(await batch({ ids, action: "delete" }, stale))).toMatchObject({
		status: 403,
		code: "forbidden",
	});
	const { data } = await ran({ ids, action: "delete", reason: "dmca" }, 200);
	expect(data).toEqual(ids.map((id) => ({ id, object: "image", deleted: true })) as never);
	const { errors } = await ran({ ids, action: "delete" }, 207);
	expect(errors.map(({ error }) => error.code)).toEqual(["not_found", "not_found"]);
});

test("422 names what is wrong, and nothing is done", async () => {
	const id = await create();
	const many = Array.from({ length: 100 }, () => newId("img"));
	for (const [body, fields] of [
		[{ action: "lock" }, ["ids"]],
		[{ ids: [], action: "lock" }, ["ids"]],
		[{ ids: id, action: "lock" }, ["ids"]],
		[{ ids: [id, 1], action: "lock" }, ["ids"]],
		[{ ids: [id, ...many], action: "lock" }, ["ids"]],
		[{ ids: [id] }, ["action"]],
		[{ ids: [id], action: "explode" }, ["action"]],
		[{ ids: [id], action: "block" }, ["reason"]],
		[{ ids: [id], action: "lock", reason: "no" }, ["reason"]],
		[{ ids: [id], action: "lock", note: "a\0" }, ["note"]],
		[{ ids: [id], action: "lock", revision: 1 }, ["revision"]],
	] as const) {
		expect(await errorOf(await batch(body))).toMatchObject({ status: 422, fields });
	}
	expect(await itemOf(service, operator, id)).toMatchObject({ locked: false, actions: [] });
	expect((await ran({ ids: [id, ...many.slice(1)], action: "lock" }, 207)).data).toHaveLength(1);
});
