import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import fc from "fast-check";
import { plain } from "../support/pictures.ts";
import { errorOf, send, upload } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { dateModel, labelsModel, metadataModel, ttlModel } from "./field-models.ts";
import { dateParts, hostileMap, sentTtl, spelt } from "./field-values.ts";
import { runs } from "./seed.ts";

/* What the schemas promise of single values, promised by the service as a whole: as it is sent, so it is stored, read and listed. */

let service: OpenService;
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	service = await openService();
	file = await plain(2, 2);
});
afterAll(() => service.close());

async function get(path: string): Promise<unknown> {
	const answer = await service.api(path);
	expect(answer.status).toBe(200);
	return answer.json();
}

/** The image as every way of reading it shows it; they must agree to the letter. */
async function readBack({ id }: Image): Promise<Image> {
	const single = (await get(`/v1/images/${id}`)) as Image;
	const [first] = ((await get("/v1/images?limit=1&label[!absent]")) as { data: readonly Image[] }).data;
	const [byId] = ((await get(`/v1/images?ids=${id}`)) as { data: readonly Image[] }).data;
	expect(JSON.stringify(byId)).toBe(JSON.stringify(single));
	if (first?.id === id) expect(JSON.stringify(first)).toBe(JSON.stringify(single));
	return single;
}

describe.each([
	["metadata", metadataModel],
	["labels", labelsModel],
] as const)("%s", (name, model) => {
	test(`[image.fields.${name}, create.${name}.multipart-json] 201 exactly when the model takes it, and POST, GET and list give back what was sent`, async () => {
		const property = fc.asyncProperty(hostileMap(name), async (value) => {
			const sent = JSON.stringify(value);
			const answer = await upload(service, file, "a.png", { [name]: sent });
			if (!model(JSON.parse(sent))) {
				expect(await errorOf(answer)).toMatchObject({ status: 422, code: "validation_error", fields: [name] });
				return;
			}
			expect([sent, answer.status]).toEqual([sent, 201]);
			const image = (await answer.json()) as Image;
			expect(JSON.stringify(image[name])).toBe(JSON.stringify(JSON.parse(sent)));
			expect(JSON.stringify(await readBack(image))).toBe(JSON.stringify(image));
		});
		await fc.assert(property, runs(150));
	});

	test(`[patch.${name}-merge] merging a map into none gives that map, and null for each key takes it all away again`, async () => {
		const created = (await (await upload(service, file, "a.png")).json()) as Image;
		const property = fc.asyncProperty(hostileMap(name).filter(model), async (value) => {
			const entries = Object.entries(value as object);
			const patched = await send(service, "PATCH", `/v1/images/${created.id}`, { [name]: value });
			expect(patched.status).toBe(200);
			expect(sorted(((await patched.json()) as Image)[name])).toEqual(sorted(value as Record<string, string>));
			const nothing = Object.fromEntries(entries.map(([key]) => [key, null]));
			const cleared = await send(service, "PATCH", `/v1/images/${created.id}`, { [name]: nothing });
			expect(JSON.stringify(((await cleared.json()) as Image)[name])).toBe("{}");
		});
		await fc.assert(property, runs(60));
	});
});

function sorted(map: Readonly<Record<string, string | undefined>>) {
	return Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1));
}

describe("dates and lives", () => {
	test("201 with the moment that the calendar says, or 422 [create.published_at.iso, image.fields.published_at]", async () => {
		const property = fc.asyncProperty(dateParts, async (parts) => {
			const sent = spelt(parts);
			const answer = await upload(service, file, "a.png", { published_at: sent });
			const moment = dateModel(parts);
			if (moment === undefined) {
				expect(await errorOf(answer)).toMatchObject({ status: 422, fields: ["published_at"] });
				return;
			}
			const image = (await answer.json()) as Image;
			expect([sent, image.published_at]).toEqual([sent, new Date(moment).toISOString()]);
			expect((await readBack(image)).published_at).toBe(image.published_at);
		});
		await fc.assert(property, runs(100));
	});

	test("201 with the end that the model says, or 422 [create.ttl.seconds, create.ttl.duration, image.fields.expires_at]", async () => {
		const texts = sentTtl.filter((sent) => typeof sent === "string" && sent !== "");
		const property = fc.asyncProperty(texts, async (sent) => {
			const answer = await upload(service, file, "a.png", { ttl: String(sent) });
			const seconds = ttlModel(sent);
			if (seconds === undefined) {
				expect(await errorOf(answer)).toMatchObject({ status: 422, fields: ["ttl"] });
				return;
			}
			const image = (await answer.json()) as Image;
			const lives = Date.parse(image.expires_at ?? "") - Date.parse(image.created_at);
			expect([sent, lives]).toEqual([sent, seconds * 1_000]);
		});
		await fc.assert(property, runs(100));
	});
});

describe("list parameters", () => {
	test("422 names whatever parameter is sent twice, however it is called [list.malformed]", async () => {
		const odd = fc.constantFrom(
			"__proto__",
			"constructor",
			"toString",
			"limit",
			"label[k]",
			"label[!k]",
			"",
			"é",
			"a".repeat(90),
		);
		const names = fc.oneof(
			odd,
			fc.string({ maxLength: 90 }).map((name) => name.toWellFormed()),
		);
		const property = fc.asyncProperty(names, async (name) => {
			const pair = `${encodeURIComponent(name)}=1`;
			const refusal = await errorOf(await service.api(`/v1/images?${pair}&x=y&${pair}`));
			expect(refusal).toMatchObject({ status: 422, code: "validation_error" });
			expect(refusal.fields).toContain(name);
		});
		await fc.assert(property, runs(150));
	});
});
