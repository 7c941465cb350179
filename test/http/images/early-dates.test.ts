import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createClient } from "@svc/sdk/client";
import type { Image } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { addApp } from "../../support/apps.ts";
import { acted, queueOf } from "../../support/moderation.ts";
import { type Origin, startOrigin } from "../../support/origin.ts";
import { addPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, importImage, send, upload, uploaded } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";

/* Dates of before there were computers, and of before 1970: whole seconds that are few, or negative. */

let service: OpenService;
let origin: Origin;
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	file = await plain(8, 8);
	origin = await startOrigin((_, response) => response.end(file));
	service = await openService({ SVC_IMPORT_ALLOW: origin.host });
});
afterAll(async () => {
	origin.stop();
	await service.close();
});

/** Seconds as text, and the date that they are; from the oldest to the newest. */
const DATES: readonly (readonly [sent: string, iso: string | undefined])[] = [
	["-9999999999", "1653-02-10T06:13:21.000Z"],
	["-86400", "1969-12-31T00:00:00.000Z"],
	["0", "1970-01-01T00:00:00.000Z"],
	["86399", "1970-01-01T23:59:59.000Z"],
	["99999999", undefined],
	["946684800", "2000-01-01T00:00:00.000Z"],
	["1700000000", "2023-11-14T22:13:20.000Z"],
];
const TAKEN = DATES.filter(([, iso]) => iso !== undefined);
const NEWEST_FIRST = TAKEN.flatMap(([, iso]) => iso ?? []).toReversed();

/** The SDK's requests, answered in this process. */
const asked = async (url: string | URL | Request, init?: RequestInit) => await service.open(String(url), init);

async function album(): Promise<string> {
	const { key } = await addApp(service.database);
	for (const [published_at] of TAKEN)
		await uploaded(service, file, "a.png", { published_at, labels: '{"l":"m"}' }, { key });
	return key;
}

async function pages(query: string, key: string): Promise<readonly string[]> {
	const found: string[] = [];
	let next: string | null = `/v1/images?limit=2${query}`;
	while (next !== null) {
		const page: List<Image> = await (await send(service, "GET", next, undefined, { key })).json();
		found.push(...page.data.map(({ published_at }) => published_at));
		next = page.pagination.next_url && new URL(page.pagination.next_url).search.replace(/^/, "/v1/images");
	}
	return found;
}

describe("dates before 9 September 2001", () => {
	test("are taken as text and as numbers wherever an image is written [create.published_at.unix, patch.published_at.set]", async () => {
		for (const [sent, iso] of DATES) {
			const form = await upload(service, file, "a.png", { published_at: sent });
			if (iso === undefined) expect(await errorOf(form)).toMatchObject({ status: 422, fields: ["published_at"] });
			else expect((await form.json()) as Image).toMatchObject({ published_at: iso });
			const number = Number(sent);
			const written = new Date(number * 1_000).toISOString();
			const made = await importImage(service, { url: origin.url("/a.png"), published_at: number });
			const { id, published_at } = (await made.json()) as Image;
			expect(published_at).toBe(written);
			const changed = await send(service, "PATCH", "/v1/images/batch", { ids: [id], published_at: number - 1 });
			const [one] = ((await changed.json()) as { readonly data: readonly Image[] }).data;
			expect(one?.published_at).toBe(new Date((number - 1) * 1_000).toISOString());
		}
	});

	test("order lists of images in both directions, with and without a label, from page to page [list.order]", async () => {
		const key = await album();
		for (const query of ["", "&label[l]=m", "&label[!x]"]) {
			expect(await pages(query, key)).toEqual(NEWEST_FIRST);
		}
	});

	test("[C] end and begin what a list is narrowed to, and turn around with its order", async () => {
		const key = await album();
		expect(await pages("&order=asc", key)).toEqual(NEWEST_FIRST.toReversed());
		expect(await pages("&published_from=-86400&published_to=946684800", key)).toEqual(NEWEST_FIRST.slice(2, 5));
		expect(await pages("&published_to=0&order=asc", key)).toEqual(NEWEST_FIRST.slice(4).toReversed());
		const wrong = await send(service, "GET", "/v1/images?published_from=1970&created_to=19700101", undefined, { key });
		expect((await errorOf(wrong)).fields.toSorted()).toEqual(["created_to", "published_from"]);
	});

	test("are shown to operators who moderate the image", async () => {
		const operator = await addPerson(service.database, { operator: true });
		const { id } = await uploaded(service, file, "a.png", { published_at: "-1" });
		const item = await acted(service, operator, id, "lock", { reason: "spam", note: "old" });
		expect(item.image.published_at).toBe("1969-12-31T23:59:59.000Z");
		expect((await queueOf(service, operator, "state=locked&limit=100"))[0]).toBe(id);
	});

	test("go through the SDK as dates, text and numbers, also as numbers of four and eight digits", async () => {
		const { images } = createClient({ baseUrl: "http://localhost:3000", apiKey: service.apiKey, fetch: asked });
		for (const [publishedAt, iso] of [
			[new Date(-1_000), "1969-12-31T23:59:59.000Z"],
			["-86400", "1969-12-31T00:00:00.000Z"],
			[0, "1970-01-01T00:00:00.000Z"],
			[1970, "1970-01-01T00:32:50.000Z"],
			[20_240_102, "1970-08-23T06:15:02.000Z"],
		] as const) {
			const made = await images.upload(new Blob([file]), { publishedAt });
			expect([publishedAt, made.published_at]).toEqual([publishedAt, iso]);
			expect((await images.update(made.id, { publishedAt })).published_at).toBe(iso);
		}
	});
});
