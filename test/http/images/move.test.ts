import { beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
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
const move = (id: string, user: string | null, by = caller()) =>
	send(service, "POST", `/v1/images/${id}/move`, { user_id: user }, by);
const read = (id: string, user?: string) => send(service, "GET", `/v1/images/${id}`, undefined, caller(user));
const used = async (user?: string) => {
	const answer = await send(service, "GET", "/v1/usage", undefined, caller(user));
	return ((await answer.json()) as { totals: { images_stored: number } }).totals.images_stored;
};

describe("a moved image", () => {
	test("has the same id and another address, its labels and its place, and counts where it is", async () => {
		const image = await create({ labels: '{"a":"1"}', external_id: "x" });
		const [mine, hers] = [await used(), await used(ann.id)];
		const answer = await move(image.id, ann.id);
		const moved = (await answer.json()) as Image;
		expect(answer.status).toBe(200);
		expect(moved).toMatchObject({ id: image.id, labels: { a: "1" }, external_id: "x", created_at: image.created_at });
		expect(moved.url).not.toBe(image.url);
		expect([await service.open(image.url), await service.open(moved.url)].map(({ status }) => status)).toEqual([
			404, 200,
		]);
		expect([(await read(image.id)).status, (await read(image.id, ann.id)).status]).toEqual([404, 200]);
		expect([await used(), await used(ann.id)]).toEqual([mine - 1, hers + 1]);
		const found = await send(service, "GET", "/v1/images?label[a]=1", undefined, caller(ann.id));
		expect(((await found.json()) as { data: Image[] }).data.map(({ id }) => id)).toEqual([image.id]);
		const back = await move(image.id, null, caller(ann.id));
		expect(await back.json()).toEqual(image);
	});

	test("stays where it is there already, and nothing is written", async () => {
		const image = await create();
		const events = async () =>
			(await (await send(service, "GET", "/v1/events?limit=1", undefined, caller())).json()).latest;
		const before = await events();
		expect(await (await move(image.id, null)).json()).toEqual(image);
		expect(await events()).toBe(before);
	});

	test("is refused while it is locked or blocked, for a stranger, and for a name that is taken there", async () => {
		const [locked, blocked, named] = [await create(), await create(), await create({ external_id: "both" })];
		await create({ external_id: "both" }, ann.id);
		await lockImage(service.database, locked.id);
		await setImageStatus(service.database, blocked.id, "blocked");
		expect(await errorOf(await move(locked.id, ann.id))).toMatchObject({ status: 403, code: "media_locked" });
		expect(await errorOf(await move(blocked.id, ann.id))).toMatchObject({ status: 404, code: "not_found" });
		expect(await errorOf(await move(named.id, ann.id))).toMatchObject({ status: 409, fields: ["external_id"] });
		const stranger = await connectUser(service.database, await addApp(service.database));
		expect(await errorOf(await move(named.id, stranger.id))).toMatchObject({ status: 403, code: "user_forbidden" });
		expect(await errorOf(await move(named.id, "nobody"))).toMatchObject({ status: 422, fields: ["user_id"] });
		expect((await read(named.id)).status).toBe(200);
	});

	test("needs an App-wide key", async () => {
		const image = await create();
		const ofStorage = await addKey(service.database, app, { reach: "bucket" });
		const ofUser = await addUserKey(service.database, app, ann);
		for (const key of [ofStorage, ofUser]) {
			expect(await errorOf(await move(image.id, ann.id, caller(undefined, key)))).toMatchObject({ code: "forbidden" });
		}
	});

	test("is told in the feed with its former address", async () => {
		const image = await create();
		await move(image.id, ann.id);
		const feed = await (
			await send(service, "GET", "/v1/events?types=image.moved&limit=100", undefined, caller())
		).json();
		const told = feed.data.find((one: { data: { object: Image } }) => one.data.object.id === image.id);
		expect(told).toMatchObject({ user_id: ann.id, data: { previous: { url: image.url } } });
	});

	test("leaves one image where two moves come at once", async () => {
		const image = await create();
		const both = await Promise.all([move(image.id, ann.id), move(image.id, ann.id)]);
		expect(both.map(({ status }) => status).sort()[0]).toBe(200);
		expect([(await read(image.id)).status, (await read(image.id, ann.id)).status]).toEqual([404, 200]);
	});
});
