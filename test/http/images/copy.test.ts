import { beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import {
	addApp,
	addKey,
	addUserKey,
	connectUser,
	lockImage,
	setImageStatus,
	type TestUser,
} from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor({ SVC_VARIANT: "current" });
let file: Buffer<ArrayBuffer>;
let app: Awaited<ReturnType<typeof addApp>>;
let ann: TestUser;
beforeAll(async () => {
	file = await plain(8, 8);
	app = await addApp(service.database);
	ann = await connectUser(service.database, app);
});

const caller = (user?: string, key = app.key) => ({ key, headers: user ? { "X-Svc-User": user } : {} });
const create = (fields = {}, user?: string) => uploaded(service, file, "a.png", fields, caller(user));
const copy = (id: string, user: string | null, by: object = caller()) =>
	send(service, "POST", `/v1/images/${id}/copy`, { user_id: user }, by);
const read = async (id: string, user?: string) =>
	await send(service, "GET", `/v1/images/${id}?include=facts`, undefined, caller(user));
const used = async (user?: string) => {
	const answer = await send(service, "GET", "/v1/usage", undefined, caller(user));
	return ((await answer.json()) as { totals: { images_stored: number } }).totals.images_stored;
};
const bytesOf = async (url: string) => Buffer.from(await (await service.open(url)).arrayBuffer());

describe("a copy", () => {
	test("has another id and address, and all of the rest but the external id; both are counted and served", async () => {
		const fields = { labels: '{"a":"1"}', metadata: '{"by":"Ada"}', caption: "A cat", external_id: "x", ttl: 3_600 };
		const image = await create(fields);
		const [mine, hers] = [await used(), await used(ann.id)];
		const answer = await copy(image.id, ann.id);
		const made = (await answer.json()) as Image;
		expect(answer.status).toBe(201);
		const { id, url, sizes, created_at, external_id, ...rest } = image as Image & { external_id: string };
		expect(made).toMatchObject(rest);
		expect(made).not.toHaveProperty("external_id");
		expect([made.id === id, made.url === url]).toEqual([false, false]);
		expect(await bytesOf(made.url)).toEqual(await bytesOf(url));
		expect([await used(), await used(ann.id)]).toEqual([mine, hers + 1]);
		const [facts, original] = [await (await read(made.id, ann.id)).json(), await (await read(id)).json()];
		expect(facts.facts.sha256).toBe(original.facts.sha256);
		const found = await send(service, "GET", "/v1/images?label[a]=1", undefined, caller(ann.id));
		expect(((await found.json()) as { data: Image[] }).data.map((one) => one.id)).toEqual([made.id]);
	});

	test("lives on when the original is gone, also beside it in the same storage", async () => {
		const image = await create();
		const made = (await (await copy(image.id, null)).json()) as Image;
		await send(service, "DELETE", `/v1/images/${image.id}?permanent=true`, undefined, caller());
		expect([(await service.open(image.url)).status, (await service.open(made.url)).status]).toEqual([404, 200]);
	});

	test("is refused of what is locked or blocked, for a stranger, and without a target", async () => {
		const [locked, blocked, plainOne] = [await create(), await create(), await create()];
		await lockImage(service.database, locked.id);
		await setImageStatus(service.database, blocked.id, "blocked");
		const before = await used(ann.id);
		expect(await errorOf(await copy(locked.id, ann.id))).toMatchObject({ status: 403, code: "media_locked" });
		expect(await errorOf(await copy(blocked.id, ann.id))).toMatchObject({ status: 404, code: "not_found" });
		const stranger = await connectUser(service.database, await addApp(service.database));
		expect(await errorOf(await copy(plainOne.id, stranger.id))).toMatchObject({ status: 403, code: "user_forbidden" });
		const nowhere = await send(service, "POST", `/v1/images/${plainOne.id}/copy`, {}, caller());
		expect(await errorOf(nowhere)).toMatchObject({ status: 422, fields: ["user_id"] });
		expect(await used(ann.id)).toBe(before);
	});

	test("needs an App-wide key", async () => {
		const image = await create();
		const ofStorage = await addKey(service.database, app, { reach: "bucket" });
		const ofUser = await addUserKey(service.database, app, ann);
		for (const key of [ofStorage, ofUser]) {
			expect(await errorOf(await copy(image.id, ann.id, caller(undefined, key)))).toMatchObject({ code: "forbidden" });
		}
	});

	test("counts in the quota, and a refusal leaves nothing behind", async () => {
		const small = await addApp(service.database);
		const by = { key: small.key };
		const image = await uploaded(service, file, "a.png", {}, by);
		await service.database.write([{ run: sql`UPDATE apps SET images_limit = 1 WHERE id = ${small.id}` }]);
		expect(await errorOf(await copy(image.id, null, by))).toMatchObject({ status: 403, code: "quota_exceeded" });
		const list = await send(service, "GET", "/v1/images", undefined, by);
		expect(((await list.json()) as { data: Image[] }).data.map(({ id }) => id)).toEqual([image.id]);
	});

	test("is told in the feed as an image that was created, with what is known of the picture", async () => {
		const image = await create();
		const made = (await (await copy(image.id, ann.id)).json()) as Image;
		const feed = await (
			await send(service, "GET", "/v1/events?types=image.created&limit=100", undefined, caller())
		).json();
		const told = feed.data.find((one: { data: { object: Image } }) => one.data.object.id === made.id);
		expect(told).toMatchObject({ user_id: ann.id, data: { object: { url: made.url } } });
		expect(told.data.object.facts.sha256).toMatch(/^[0-9a-f]{64}$/);
	});

	test("under one Idempotency-Key there is one, however often it is sent", async () => {
		const image = await create();
		const by = { key: app.key, headers: { "Idempotency-Key": "one copy" } };
		const before = await used(ann.id);
		const answers = [await copy(image.id, ann.id, by), await copy(image.id, ann.id, by)];
		const [first, second] = await Promise.all(answers.map(async (answer) => (await answer.json()) as Image));
		expect(second).toEqual(first as Image);
		expect(await used(ann.id)).toBe(before + 1);
	});

	test("of an image that is replaced, locked or deleted at the same moment is the old one, the new one, or none", async () => {
		for (let round = 0; round < 6; round++) {
			const image = await create();
			const other = await plain(9, 9);
			const body = new FormData();
			body.append("file", new Blob([other]), "b.png");
			const [made] = await Promise.all([
				copy(image.id, ann.id),
				round % 2 === 0
					? send(service, "DELETE", `/v1/images/${image.id}`, undefined, caller())
					: send(service, "POST", `/v1/images/${image.id}/replace`, body, caller()),
			]);
			expect([201, 404]).toContain(made.status);
			if (made.status !== 201) continue;
			const { url, width } = (await made.json()) as Image;
			expect(await bytesOf(url)).toEqual(width === 8 ? file : other);
		}
	});
});
