import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { type Origin, startOrigin } from "../../support/origin.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";

const DAY_MS = 86_400_000;

let service: OpenService;
let origin: Origin;
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	file = await plain(8, 8);
	origin = await startOrigin((_, response) => response.end(file));
	service = await openService({ SVC_IMPORT_ALLOW: origin.host, SVC_VARIANT: "current" });
});
afterAll(async () => {
	origin.stop();
	await service.close();
});

const create = (fields: Record<string, string> = {}) => uploaded(service, file, "a.png", fields);
const patch = (id: string, body: unknown) => send(service, "PATCH", `/v1/images/${id}`, body);
const get = async (id: string) => (await (await service.api(`/v1/images/${id}`)).json()) as Image;

const TAKEN = { code: "state_conflict", status: 409, fields: ["external_id"] };

async function expectTaken(response: Response): Promise<void> {
	expect(await errorOf(response)).toMatchObject(TAKEN);
}

describe("an App's own name for an image", () => {
	test("is shown only where one was given, of a file and of an address", async () => {
		expect(await create()).not.toHaveProperty("external_id");
		expect(await create({ external_id: "order/1 – front" })).toMatchObject({ external_id: "order/1 – front" });
		const body = { url: origin.url("/a.png"), external_id: "by address" };
		const response = await send(service, "POST", "/v1/images", body);
		expect(await response.json()).toMatchObject({ external_id: "by address" });
	});

	test("is one living image's, and a refused create stores nothing", async () => {
		const { id } = await create({ external_id: "one" });
		const before = await (await service.api("/v1/usage")).json();
		await expectTaken(await upload(service, file, "a.png", { external_id: "one" }));
		expect(await (await service.api("/v1/usage")).json()).toEqual(before);
		await service.api(`/v1/images/${id}`, { method: "DELETE", headers: { Authorization: `Bearer ${service.apiKey}` } });
		expect(await create({ external_id: "one" })).toMatchObject({ external_id: "one" });
	});

	test("makes one image of two creates at once", async () => {
		const both = await Promise.all([1, 2].map(() => upload(service, file, "a.png", { external_id: "at once" })));
		expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
	});

	test("is changed and cleared, and stays where it is taken", async () => {
		const one = await create({ external_id: "mine" });
		const other = await create();
		await expectTaken(await patch(other.id, { external_id: "mine", caption: "x" }));
		expect(await get(other.id)).toEqual(other);
		expect(await (await patch(one.id, { external_id: "mine" })).json()).toEqual(one);
		const { external_id: _, ...cleared } = one;
		expect(await (await patch(one.id, { external_id: null })).json()).toEqual(cleared);
		expect(await (await patch(other.id, { external_id: "mine" })).json()).toMatchObject({ external_id: "mine" });
	});

	test("stands in the event of its change", async () => {
		const { id } = await create();
		await patch(id, { external_id: "told" });
		const feed = (await (await service.api("/v1/events?types=image.updated&limit=100")).json()) as { data: unknown[] };
		expect(feed.data.at(-1)).toMatchObject({
			data: { object: { id, external_id: "told" }, previous: { external_id: null } },
		});
	});

	test("is free as soon as its image has expired", async () => {
		await create({ external_id: "short", ttl: "300" });
		service.clock.advance(301_000);
		expect(await create({ external_id: "short" })).toMatchObject({ external_id: "short" });
		service.clock.advance(DAY_MS);
	});

	test.each(["", " a", "a ", "a\nb", "a\u200bb", "x".repeat(256)])("is not %j", async (external_id) => {
		const refused = { code: "validation_error", status: 422, fields: ["external_id"] };
		expect(await errorOf(await upload(service, file, "a.png", { external_id }))).toMatchObject(refused);
		const { id } = await create();
		expect(await errorOf(await patch(id, { external_id }))).toMatchObject(refused);
	});

	test("is not given in a batch", async () => {
		const { id } = await create();
		const response = await send(service, "PATCH", "/v1/images/batch", { ids: [id], external_id: "x" });
		expect(await errorOf(response)).toMatchObject({ status: 422, fields: ["external_id"] });
	});
});

for (const variant of ["transition", "legacy"]) {
	test(`in ${variant} it is no field [idem.no-external-id-upsert]`, async () => {
		const older = await openService({ SVC_VARIANT: variant });
		expect(await errorOf(await upload(older, file, "a.png", { external_id: "1" }))).toMatchObject({
			status: 422,
			fields: ["external_id"],
		});
		await older.close();
	});
}
