import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { ImagePage } from "@svc/sdk/calls/image-lists";
import type { Image, Labels } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";

/* What lists of images can be asked for beyond the specification. */

const service = serviceFor();
const [jpg, png] = [await plain(40, 20, "jpeg"), await plain(40, 20, "png")];

async function listed(query: Record<string, string>, key = service.apiKey): Promise<ImagePage> {
	const response = await send(service, "GET", `/v1/images?${new URLSearchParams(query)}`, undefined, { key });
	expect(response.status).toBe(200);
	return (await response.json()) as ImagePage;
}

async function ids(query: Record<string, string>, key?: string): Promise<readonly string[]> {
	return (await listed(query, key)).data.map(({ id }) => id);
}

const day = (number: number) => `2020-01-0${number}T00:00:00.000Z`;

/** Four images of an App of their own, published on four days. */
async function album(): Promise<{ readonly key: string; readonly four: readonly Image[] }> {
	const { key } = await addApp(service.database);
	const four: Image[] = [];
	const files = [
		["Beach-1.jpg", jpg, { labels: '{"album":"sea","draft":"yes"}' }],
		["beach-2.jpg", jpg, { labels: '{"album":"sea","season":"winter"}', ttl: "1d" }],
		["beach-3.png", png, { labels: '{"album":"sky","season":"winter"}' }],
		["other.png", png, {}],
	] as const;
	for (const [place, [name, file, fields]] of files.entries()) {
		four.push(await uploaded(service, file, name, { ...fields, published_at: day(place + 1) }, { key }));
	}
	return { key, four };
}

async function faultsOf(query: string): Promise<readonly string[]> {
	const response = await send(service, "GET", `/v1/images?${query}`);
	const { status, fields } = await errorOf(response);
	expect(status).toBe(422);
	return fields;
}

describe("[C] lists", () => {
	test("are narrowed by dates of which the first is included and the last is not", async () => {
		const { key, four } = await album();
		const [one, two, three, last] = four.map(({ id }) => id);
		expect(await ids({ published_from: day(2), published_to: day(4) }, key)).toEqual([three, two] as string[]);
		expect(await ids({ published_from: "2020-01-04" }, key)).toEqual([last] as string[]);
		expect(await ids({ published_to: "1577923200" }, key)).toEqual([one] as string[]);
		expect(await ids({ published_from: day(3), published_to: day(2) }, key)).toEqual([]);
		const made = four[1]?.created_at ?? "";
		expect(await ids({ created_from: made, order: "asc" }, key)).toContain(two ?? "");
		expect(await ids({ created_to: four[0]?.created_at ?? "" }, key)).toEqual([]);
		expect(await ids({ created_from: "2999-01-01" }, key)).toEqual([]);
	});

	test("leave permanent images out where a time of expiry is asked for", async () => {
		const { key, four } = await album();
		expect(await ids({ expires_from: "2000-01-01" }, key)).toEqual([four[1]?.id ?? ""]);
		expect(await ids({ expires_to: "2999-01-01" }, key)).toEqual([four[1]?.id ?? ""]);
		expect(await ids({ expires_to: "2000-01-01" }, key)).toEqual([]);
	});

	test("find the image with a name of the App's own, and those that were made of the same bytes", async () => {
		const { key, four } = await album();
		const [one, two, three, last] = four.map(({ id }) => id);
		await send(service, "PATCH", `/v1/images/${two}`, { external_id: "Order 7" }, { key });
		expect(await ids({ external_id: "Order 7" }, key)).toEqual([two] as string[]);
		expect(await ids({ external_id: "order 7" }, key)).toEqual([]);
		const digest = createHash("sha256").update(png).digest("hex");
		expect(await ids({ sha256: digest }, key)).toEqual([last, three] as string[]);
		expect(await ids({ sha256: digest.toUpperCase(), "label[season]": "winter", order: "asc" }, key)).toEqual([
			three,
		] as string[]);
		expect(await ids({ sha256: "0".repeat(64) }, key)).toEqual([]);
		expect((await ids({ order: "asc" }, key))[0]).toBe(one ?? "");
		expect(await faultsOf("sha256=abc&external_id=")).toEqual(["external_id", "sha256"]);
	});

	test("are narrowed by format and by the beginning of the filename, whose case counts", async () => {
		const { key, four } = await album();
		const [one, two, three, last] = four.map(({ id }) => id);
		expect(await ids({ format: "png" }, key)).toEqual([last, three] as string[]);
		expect(await ids({ format: "png,jpg" }, key)).toEqual([last, three, two, one] as string[]);
		expect(await ids({ format: "gif" }, key)).toEqual([]);
		expect(await ids({ filename_prefix: "beach" }, key)).toEqual([three, two] as string[]);
		expect(await ids({ filename_prefix: "beach", format: "png", "label[season]": "winter" }, key)).toEqual([
			three,
		] as string[]);
	});

	test("take labels as one plain text, which says the same as label[…]", async () => {
		const { key, four } = await album();
		const [one, two, three, last] = four.map(({ id }) => id);
		expect(await ids({ labels: "album=sea" }, key)).toEqual([two, one] as string[]);
		expect(await ids({ labels: "album=sea,album=sky,season=winter" }, key)).toEqual([three, two] as string[]);
		expect(await ids({ labels: "album=sea,!draft" }, key)).toEqual([two] as string[]);
		expect(await ids({ labels: "!album" }, key)).toEqual([last] as string[]);
	});

	test("come oldest first when they are asked to, page by page, and the next page keeps filter, order and total", async () => {
		const { key, four } = await album();
		const seen: string[] = [];
		let page = await listed({ order: "asc", limit: "1", labels: "album=sea,album=sky", include: "total" }, key);
		for (;;) {
			expect(page.total).toBe(3);
			seen.push(...page.data.map(({ id }) => id));
			if (page.pagination.next_url === null) break;
			const { pathname, search } = new URL(page.pagination.next_url);
			const response = await send(service, "GET", `${pathname}${search}`, undefined, { key });
			page = (await response.json()) as ImagePage;
		}
		expect(seen).toEqual(four.slice(0, 3).map(({ id }) => id));
	});

	test("tell their total only when they are asked to", async () => {
		const { key } = await album();
		expect(await listed({ limit: "1", include: "total" }, key)).toMatchObject({ total: 4 });
		expect(await listed({ limit: "1", include: "total", filename_prefix: "beach" }, key)).toMatchObject({ total: 2 });
		expect(await listed({ limit: "1" }, key)).not.toHaveProperty("total");
		const quick = async (most: string, narrowed: Record<string, string>) =>
			(await listed({ limit: "1", include: "total", total_max: most, ...narrowed }, key)).total;
		expect(await quick("4", { filename_prefix: "beach" })).toBe(2);
		expect(await quick("1", { labels: "album=sea" })).toBeNull();
		expect(await quick("2", { labels: "album=sea" })).toBe(2);
		// Without a filter nothing has to be looked at.
		expect(await quick("1", { order: "asc" })).toBe(4);
	});

	test("refuse a cursor with another filter or order", async () => {
		const { key } = await album();
		const cursor = (await listed({ limit: "1", format: "png,jpg" }, key)).pagination.next_cursor ?? "";
		for (const other of ["format=png", "format=png,jpg&order=asc", "format=png,jpg&created_from=2020-01-01", ""]) {
			const response = await send(service, "GET", `/v1/images?${other}&cursor=${cursor}`, undefined, { key });
			expect((await errorOf(response)).fields).toEqual(["cursor"]);
		}
	});

	test.each([
		["created_from=yesterday", "created_from"],
		["published_to=2020-13-01", "published_to"],
		["expires_to=", "expires_to"],
		["format=jpeg", "format"],
		["format=", "format"],
		["filename_prefix=", "filename_prefix"],
		[`filename_prefix=${"a".repeat(256)}`, "filename_prefix"],
		["order=up", "order"],
		["include=everything", "include"],
		["include=", "include"],
		["labels=", "labels"],
		["labels=album", "labels"],
		["labels=!album=x", "labels"],
		["labels=album=", "labels"],
		["labels=a=b&label[c]=d", "labels"],
		["labels=a=b&labels=c=d", "labels"],
		["ids=img_1&format=png", "ids"],
		["ids=img_1&order=asc", "ids"],
		["ids=img_1&include=total", "ids"],
		["include=total&total_max=0", "total_max"],
		["include=total&total_max=10001", "total_max"],
		["include=total&total_max=1e3", "total_max"],
		["format=png&format=jpg", "format"],
		["metadata[a]=b", "metadata[a]"],
		["order=asc&colour=red", "colour"],
	])("refuse %s under %s", async (query, field) => {
		expect(await faultsOf(query)).toEqual([field]);
	});
});

describe("[C] GET /v1/labels", () => {
	test("counts the labels of the storage that is asked about, and of no other", async () => {
		const { key } = await album();
		const labels = async (query = "") =>
			(await (await send(service, "GET", `/v1/labels${query}`, undefined, { key })).json()) as Labels;
		expect((await labels()).data).toEqual([
			{ key: "album", value: "sea", count: 2 },
			{ key: "album", value: "sky", count: 1 },
			{ key: "draft", value: "yes", count: 1 },
			{ key: "season", value: "winter", count: 2 },
		]);
		expect((await labels("?prefix=s")).data).toEqual([{ key: "season", value: "winter", count: 2 }]);
		expect(await labels("?limit=2")).toMatchObject({ data: [{ value: "sea" }, { value: "sky" }], truncated: true });
		expect(await labels("?limit=4")).toMatchObject({ truncated: false });
		for (const [query, field] of [
			["prefix=%20", "prefix"],
			["limit=0", "limit"],
			["limit=1001", "limit"],
		] as const)
			expect((await errorOf(await send(service, "GET", `/v1/labels?${query}`))).fields).toEqual([field]);
	});
});

for (const variant of ["transition", "legacy"]) {
	test(`in ${variant} none of it is read, and labels are counted for teams alone`, async () => {
		const older = await openService({ SVC_VARIANT: variant });
		const image = await uploaded(older, jpg, "a.jpg");
		const response = await send(older, "GET", "/v1/images?format=png&order=up&include=x&created_from=never");
		const page = (await response.json()) as ImagePage;
		expect(page.data.map(({ id }) => id)).toEqual([image.id]);
		expect(page).not.toHaveProperty("total");
		expect((await send(older, "GET", "/v1/labels")).status).toBe(404);
		await older.close();
	});
}

describe("[C] a search", () => {
	test("finds words of filename, labels and caption by their beginnings, in any case, with every other filter", async () => {
		const { key, four } = await album();
		const [one, two, three, last] = four.map(({ id }) => id);
		await send(service, "PATCH", `/v1/images/${last}`, { caption: "Größe: ein GROSSER Hund" }, { key });
		expect(await ids({ q: "BEA" }, key)).toEqual([three, two, one] as string[]);
		expect(await ids({ q: "beach 2" }, key)).toEqual([two] as string[]);
		expect(await ids({ q: "win album sky" }, key)).toEqual([three] as string[]);
		expect(await ids({ q: "grosse hund" }, key)).toEqual([last] as string[]);
		expect(await ids({ q: "each" }, key)).toEqual([]);
		expect(await ids({ q: "beach", format: "jpg", order: "asc", "label[album]": "sea" }, key)).toEqual([
			one,
			two,
		] as string[]);
		expect((await listed({ q: "beach", include: "total" }, key)).total).toBe(3);
		const page = await listed({ q: "beach", limit: "2" }, key);
		expect(new URL(page.pagination.next_url ?? "").searchParams.get("q")).toBe("beach");
		expect(await ids({ q: "beach", limit: "2", cursor: page.pagination.next_cursor ?? "" }, key)).toEqual([
			one,
		] as string[]);
		expect(await ids({ q: "beach" })).toEqual([]);
		for (const q of ["", "...", "a b c d e f g h i", "x".repeat(201)]) {
			expect(await faultsOf(String(new URLSearchParams({ q })))).toEqual(["q"]);
		}
	});

	test("follows every change, and what a process of the last release wrote is found once its words are written", async () => {
		const { key, four } = await album();
		const [one, two, three] = four.map(({ id }) => id);
		await send(service, "PATCH", `/v1/images/${one}`, { caption: "Kitten", labels: { album: null } }, { key });
		await send(service, "PATCH", `/v1/images/${one}`, { caption: "KITTEN" }, { key });
		expect([await ids({ q: "kitten" }, key), await ids({ q: "album beach" }, key)]).toEqual([
			[one],
			[three, two],
		] as string[][]);
		await send(service, "PATCH", "/v1/images/batch", { ids: [one, two], labels: { album: "Pets" } }, { key });
		expect(await ids({ q: "pets" }, key)).toEqual([two, one] as string[]);
		await send(service, "DELETE", `/v1/images/${one}`, undefined, { key });
		expect(await ids({ q: "kitten" }, key)).toEqual([]);
		await send(service, "POST", `/v1/images/${one}/restore`, {}, { key });
		expect(await ids({ q: "kitten" }, key)).toEqual([one] as string[]);
		const older = sql`UPDATE images SET caption = 'Puppy', revision = revision + 1 WHERE id = ${one}`;
		await service.database.write([{ run: older }]);
		expect(await ids({ q: "kitten" }, key)).toEqual([]);
		await service.expire();
		expect(await ids({ q: "puppy" }, key)).toEqual([one] as string[]);
	});
});
