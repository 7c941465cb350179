import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import type { LegacyImage } from "@svc/sdk/types";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { addApp, countOf, setImageStatus, type TestApp } from "../../support/apps.ts";
import { corpus, corpusNote, withoutCorpus } from "../../support/corpus.ts";
import { bmp, ico, svg, svgOf } from "../../support/kept-as-is.ts";
import { type Origin, startOrigin } from "../../support/origin.ts";
import { noise, pixelAt, plain } from "../../support/pictures.ts";
import { errorOf, form, importImage, send, upload, uploaded } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";

/* Interface 4.2.0: more formats, some of which are looked at as a whole only after the answer. */

let service: OpenService;
let origin: Origin;
let app: TestApp;
const pages: Record<string, Uint8Array | string> = {};

beforeAll(async () => {
	pages["/dir/"] = svg();
	pages["/large.svg"] = svgOf(10_000_001);
	origin = await startOrigin((request, response) => response.end(pages[request.url ?? ""] ?? ""));
	service = await openService({ SVC_VARIANT: "legacy", SVC_IMPORT_ALLOW: origin.host });
	app = await addApp(service.database);
});
afterAll(async () => {
	origin.stop();
	await service.close();
});

const create = async (file: BlobPart, name = "picture.bin", fields = {}) =>
	(await uploaded(service, file, name, fields, { key: app.key })) as unknown as LegacyImage;

const get = (id: string) => send(service, "GET", `/v1/images/${id}`, undefined, { key: app.key });

async function got(id: string): Promise<LegacyImage> {
	const response = await get(id);
	if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
	return (await response.json()) as LegacyImage;
}

async function listed(query = "", key = app.key): Promise<LegacyImage[]> {
	const response = await send(service, "GET", `/v1/images?limit=100${query}`, undefined, { key });
	return ((await response.json()) as { data: LegacyImage[] }).data;
}

const refusal = async (file: BlobPart, name = "a.bin") =>
	errorOf(await upload(service, file, name, {}, { key: app.key }));

interface Schema {
	readonly type?: string;
	readonly $ref?: string;
	readonly required?: readonly string[];
	readonly properties?: Readonly<Record<string, Schema>>;
}

const KEPT = [
	["svg", async () => svg(), 40, 30, "image/svg+xml"],
	["bmp", async () => bmp(33, -20), 33, 20, "image/bmp"],
	["ico", () => ico(16, 256, 32), 256, 256, "image/x-icon"],
] as const;

describe("what is decoded before the answer", () => {
	test.each(["jpeg", "png", "gif", "webp"] as const)(
		"%s is ready at once, with three sizes [create.multipart.legacy-types, image.status.legacy-inline, image.fields.transformable, image.fields.sizes-empty-untransformable]",
		async (format) => {
			const image = await create(await plain(64, 48, format));
			expect(image).toMatchObject({ status: "ready", transformable: true, width: 64, height: 48 });
			expect(Object.keys(image.sizes)).toEqual(["small", "medium", "large"]);
			expect(image.sizes.small).toEqual({ url: `${image.url}?size=s`, width: 64, height: 48 });
			expect((await service.open(image.url)).status).toBe(200);
		},
	);
});

describe("what is queued", () => {
	test("AVIF is processing first, its sizes without dimensions; then it is ready, under the same url [create.multipart.legacy-types, image.status.legacy-queued, image.size.omitted-while-processing, image.fields.transformable]", async () => {
		const image = await create(await plain(700, 500, "avif"));
		expect(image).toMatchObject({ status: "processing", format: "avif", transformable: true, width: 700, height: 500 });
		const bare = { small: `${image.url}?size=s`, medium: `${image.url}?size=m`, large: `${image.url}?size=l` };
		const sizes = Object.fromEntries(Object.entries(bare).map(([name, url]) => [name, { url }]));
		expect(image.sizes).toEqual(sizes);
		expect(await got(image.id)).toEqual(image);
		const early = await service.open(image.url);
		expect([early.status, early.headers.get("cache-control")]).toEqual([404, "no-store"]);
		await service.runJobs();
		const ready = await got(image.id);
		expect(ready).toEqual({
			...image,
			status: "ready",
			sizes: {
				small: { url: bare.small, width: 448, height: 320 },
				medium: { url: bare.medium, width: 700, height: 500 },
				large: { url: bare.large, width: 700, height: 500 },
			},
		});
		const served = await sharp(await (await service.open(bare.small)).arrayBuffer()).metadata();
		expect([served.width, served.height]).toEqual([448, 320]);
	});

	test.each(KEPT)(
		"%s: no sizes, and served as it is, whatever its address asks for [create.multipart.legacy-types, image.fields.format-values-l, image.status.legacy-queued, image.fields.sizes-empty-untransformable, image.fields.transformable]",
		async (format, make, width, height, contentType) => {
			const file = new Uint8Array(await new Blob([await make()]).arrayBuffer());
			const image = await create(file, `drawing.${format}`);
			expect(image).toMatchObject({ status: "processing", format, width, height, sizes: {}, transformable: false });
			expect(image.bytes).toBe(file.length);
			await service.runJobs();
			expect(await got(image.id)).toEqual({ ...image, status: "ready" });
			expect((await listed()).find(({ id }) => id === image.id)).toEqual({ ...image, status: "ready" });
			for (const query of ["", "?size=s", "?format=png&w=5", "?segment=foreground"]) {
				const answer = await service.open(image.url + query);
				expect([answer.status, answer.headers.get("content-type")]).toEqual([200, contentType]);
				expect(new Uint8Array(await answer.arrayBuffer())).toEqual(file);
			}
			expect((await service.open(image.url.replace(/\w+$/, "png"))).status).toBe(404);
		},
	);

	test.skipIf(withoutCorpus)(
		`a transparent HEIC becomes a PNG under the url that it had before${corpusNote}`,
		async () => {
			const { url, id, format } = await create(await corpus("alpha.heic"), "cut-out.heic");
			expect(format).toBe("png");
			await service.runJobs();
			expect(await got(id)).toMatchObject({ status: "ready", format: "png", url, width: 512, height: 512 });
			for (const query of ["", "?w=100"]) {
				const answer = await service.open(url + query);
				expect(answer.headers.get("content-type")).toBe("image/png");
				expect((await pixelAt(await answer.bytes(), 1, 1))[3]).toBe(0);
			}
			expect((await pixelAt(await (await service.open(`${url}?format=jpg`)).bytes(), 1, 1)).slice(0, 3)).toEqual([
				255, 255, 255,
			]);
		},
	);

	test.skipIf(withoutCorpus)(
		`HEIC becomes a JPEG under the url that it had before, counted as what is stored${corpusNote} [create.multipart.legacy-types, image.status.legacy-queued, image.size.omitted-while-processing]`,
		async () => {
			const { key } = await addApp(service.database);
			const file = await corpus("iphone_grid_p3.heic");
			const image = (await uploaded(
				service,
				file,
				"IMG.HEIC",
				{ labels: '{"a":"b"}' },
				{ key },
			)) as unknown as LegacyImage;
			expect(image).toMatchObject({
				status: "processing",
				format: "jpg",
				width: 3024,
				height: 4032,
				bytes: file.length,
			});
			expect(Object.keys(image.sizes.small ?? {})).toEqual(["url"]);
			expect((await listed("&label[a]=b", key)).map(({ status }) => status)).toEqual(["processing"]);
			await service.runJobs();
			const [ready] = await listed("&label[a]=b", key);
			expect(ready).toMatchObject({ status: "ready", format: "jpg", url: image.url, width: 3024, height: 4032 });
			expect(ready?.sizes.small).toEqual({ url: `${image.url}?size=s`, width: 320, height: 427 });
			const usage = await (await send(service, "GET", "/v1/usage", undefined, { key })).json();
			expect(usage).toMatchObject({
				monthly: { uploads: 1 },
				totals: { images_stored: 1, storage_used_bytes: ready?.bytes },
			});
			const served = await sharp(await (await service.open(image.url)).arrayBuffer()).metadata();
			expect(served).toMatchObject({ format: "jpeg", width: 3024, height: 4032 });
		},
		20_000,
	);

	test("twenty files of all kinds at once: all of them end ready", async () => {
		const { key } = await addApp(service.database);
		const [avif, jpeg] = [await plain(60, 40, "avif"), await plain(60, 40, "jpeg")];
		const files = [avif, jpeg, svg(), bmp(20, 20), await ico(32)];
		const answers = await Promise.all(
			Array.from({ length: 20 }, (_, place) => upload(service, files[place % 5] ?? "", "a", {}, { key })),
		);
		expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
		await service.runJobs();
		const found = await listed("", key);
		expect(found).toHaveLength(20);
		expect(new Set(found.map(({ status }) => status))).toEqual(new Set(["ready"]));
	});

	test("under an Idempotency-Key it is made once, and a replay shows it as it was answered", async () => {
		const before = (await listed()).length;
		const send = () => upload(service, svg(), "a.svg", {}, { key: app.key, headers: { "Idempotency-Key": "queued" } });
		const first = await send();
		const image = (await first.json()) as LegacyImage;
		expect(image.status).toBe("processing");
		await service.runJobs();
		const again = await send();
		expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
		expect(await again.json()).toEqual(image);
		expect((await listed()).length).toBe(before + 1);
		expect((await got(image.id)).status).toBe("ready");
	});

	test("one that is being processed cannot be changed, and can be deleted; nothing is left of it", async () => {
		const image = await create(svg());
		const at = `/v1/images/${image.id}`;
		expect(await errorOf(await send(service, "PATCH", at, { caption: "x" }, { key: app.key }))).toMatchObject({
			status: 404,
			code: "not_found",
		});
		expect((await send(service, "DELETE", at, undefined, { key: app.key })).status).toBe(200);
		await service.runJobs();
		expect((await get(image.id)).status).toBe(404);
	});
});

test("the API document says so: a required boolean, three more formats, sizes that may be missing [image.fields.transformable, image.fields.format-values-l]", async () => {
	const { components } = (await (await service.api("/openapi.json")).json()) as {
		components: { schemas: Record<"Image" | "ImageFormat" | "ImageSizes" | "ImageSize", Schema> };
	};
	const { Image, ImageFormat, ImageSizes, ImageSize } = components.schemas;
	const { required, properties = {} } = Image;
	expect(required).toContain("transformable");
	expect(properties.transformable).toMatchObject({ type: "boolean" });
	expect(properties.format).toEqual({ $ref: "#/components/schemas/ImageFormat" });
	expect(ImageFormat).toMatchObject({ enum: ["jpg", "png", "webp", "avif", "gif", "svg", "bmp", "ico"] });
	expect(properties.sizes).toMatchObject({ $ref: "#/components/schemas/ImageSizes" });
	expect([Object.keys(ImageSizes.properties ?? {}), ImageSizes.required]).toEqual([["small", "medium", "large"], []]);
	expect(ImageSizes.properties?.small).toEqual({ $ref: "#/components/schemas/ImageSize" });
	expect(ImageSize.required).toEqual(["url"]);
});

test("a large one gets its smaller copies once it is ready, and not before", async () => {
	const own = await openService({ SVC_VARIANT: "legacy" });
	const opened = spyOn(own.rooms.images.blobs, "find");
	await uploaded(own, await plain(2_601, 1_999, "avif"));
	await Bun.sleep(100);
	expect(opened).not.toHaveBeenCalled();
	await own.runJobs();
	const described = () => countOf(own.database, sql`SELECT count(*) FROM image_facts WHERE kind = 'colour'`);
	for (let tries = 0; tries < 2_000 && (await described()) === 0; tries++) await Bun.sleep(50);
	expect(await described()).toBe(1);
	await own.close();
}, 120_000);

describe("what cannot be decoded", () => {
	test("an SVG that breaks off is processing, then failed: not served, not listed, and deleted like any other [image.status.legacy-queued]", async () => {
		const whole = svg(`<g><!--${"x".repeat(100)}--></g>`);
		const image = await create(whole.slice(0, -8), "a.svg", { labels: '{"broken":"yes"}' });
		expect((await listed("&label[broken]=yes")).map(({ id }) => id)).toEqual([image.id]);
		await service.runJobs();
		expect(await errorOf(await get(image.id))).toMatchObject({ status: 422, code: "media_failed" });
		expect((await service.open(image.url)).status).toBe(404);
		expect((await listed()).map(({ id }) => id)).not.toContain(image.id);
		expect(await listed("&label[broken]=yes")).toEqual([]);
		const removed = await send(service, "DELETE", `/v1/images/${image.id}`, undefined, { key: app.key });
		expect([removed.status, await removed.json()]).toEqual([200, { id: image.id, object: "image", deleted: true }]);
	});

	test.each([
		["nothing", ""],
		["text", "hello there"],
		["a TIFF", "II*\0\x08\0\0\0"],
		["a cursor", "\0\0\x02\0\x01\0\x10\x10\0\0\x01\0\x20\0\x40\0\0\0\x16\0\0\0"],
		["HTML with a drawing in it", '<html><body><svg xmlns="http://www.w3.org/2000/svg"/></body></html>'],
		[
			"entities that are declared",
			'<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
		],
		["an SVG without its namespace", '<svg width="5" height="5"/>'],
		["an SVG of no size", svg("", 'width="0" height="5"')],
		["an SVG that is too wide", svg("", 'width="65501" height="5"')],
		["a bitmap that is cut short", bmp(50, 50).slice(0, -1)],
		["an icon whose pictures lie elsewhere", "\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0\x40\0\0\0\x16\0\0\0"],
	])("422 naming the file at once, for %s [create.multipart.legacy-types]", async (_, file) => {
		const before = (await listed()).length;
		expect(await refusal(file)).toMatchObject({ status: 422, code: "validation_error", fields: ["file"] });
		expect((await listed()).length).toBe(before);
	});

	test.skipIf(withoutCorpus).each(["bomb_12000.avif", "bad_reallybig.bmp", "laughs.svg", "av1_in_heif.heif"])(
		`422 at once for what its header gives away: %s${corpusNote}`,
		async (name) => {
			expect(await refusal(await corpus(name), name)).toMatchObject({ status: 422, fields: ["file"] });
		},
	);

	test.skipIf(withoutCorpus)(`a HEIC that breaks off fails${corpusNote}`, async () => {
		const image = await create(await corpus("truncated60.heic"));
		expect(image.status).toBe("processing");
		await service.runJobs();
		expect(await errorOf(await get(image.id))).toMatchObject({ status: 422, code: "media_failed" });
	});
});

describe("how large a file may be", () => {
	test("exactly 70,000,000 bytes are taken, one more is not [limits.file.legacy]", async () => {
		const picture = await noise(1_000, 800);
		const exact = new Uint8Array(70_000_000);
		exact.set(picture);
		expect(await create(exact)).toMatchObject({ bytes: 70_000_000, status: "ready" });
		const over = new Uint8Array(70_000_001);
		over.set(picture);
		expect(await refusal(over)).toMatchObject({ status: 422, fields: ["file"], message: expect.any(String) });
	}, 120_000);

	test("an SVG of exactly 10,000,000 bytes is taken, one more is not; neither is it when imported [limits.file.legacy-svg]", async () => {
		const image = await create(svgOf(10_000_000));
		expect(image).toMatchObject({ bytes: 10_000_000, format: "svg" });
		await service.runJobs();
		expect((await got(image.id)).status).toBe("ready");
		const answers = [
			await upload(service, svgOf(10_000_001), "a.svg", {}, { key: app.key }),
			await importImage(service, { url: origin.url("/large.svg") }, { key: app.key }),
		];
		for (const answer of answers) {
			expect(answer.status).toBe(422);
			const { error } = (await answer.json()) as { error: { details: unknown } };
			expect(error.details).toEqual({ file: ["is larger than 10,000,000 bytes, the most for SVG"] });
		}
	}, 120_000);
});

test("without a name it is its id and format [image.fields.filename-fallback]", async () => {
	const unnamed = form(undefined, "");
	unnamed.append("file", new Blob([svg()]), "");
	const request = { method: "POST", body: unnamed, headers: { Authorization: `Bearer ${app.key}` } };
	const sent = (await (await service.api("/v1/images", request)).json()) as LegacyImage;
	expect(sent.filename).toBe(`${sent.id}.svg`);
	const answer = await importImage(service, { url: origin.url("/dir/") }, { key: app.key });
	const imported = (await answer.json()) as LegacyImage;
	expect(imported.filename).toBe(`${imported.id}.svg`);
});

test("ready and processing ones are listed, in one order, page by page, by ids and by labels [image.status.list-ready-or-processing, image.fields.transformable]", async () => {
	const { key } = await addApp(service.database);
	const made: LegacyImage[] = [];
	const [jpeg, drawing] = [await plain(5, 5, "jpeg"), svg()];
	for (let n = 0; n < 8; n++) {
		// Dated the other way round from how they come, so that only the date can be what orders them.
		const fields = { labels: '{"album":"a"}', published_at: String(1_800_000_000 - n) };
		made.push((await uploaded(service, n % 2 ? jpeg : drawing, "a", fields, { key })) as unknown as LegacyImage);
	}
	await setImageStatus(service.database, made[1]?.id ?? "", "failed");
	await setImageStatus(service.database, made[3]?.id ?? "", "blocked", "spam");
	const shown = made.filter((_, n) => n !== 1 && n !== 3).map(({ id }) => id);
	const whole = await listed("", key);
	expect(whole.map(({ id }) => id)).toEqual(shown);
	expect(whole.map(({ status }) => status).sort()).toEqual([
		...Array.from({ length: 4 }, () => "processing"),
		...Array.from({ length: 2 }, () => "ready"),
	]);
	expect(whole.map(({ transformable }) => typeof transformable)).toEqual(shown.map(() => "boolean"));
	for (const filter of [
		"",
		"&label[album]=a",
		"&label[album]=a,b",
		"&label[!other]=",
		"&label[album]=a&label[!other]=",
	]) {
		const walked: string[] = [];
		for (let query = `limit=1${filter}`; query !== ""; ) {
			const answer = await send(service, "GET", `/v1/images?${query}`, undefined, { key });
			const page = (await answer.json()) as { data: LegacyImage[]; pagination: { next_url: string | null } };
			walked.push(...page.data.map(({ id }) => id));
			query = page.pagination.next_url?.split("?")[1] ?? "";
		}
		expect([filter, walked]).toEqual([filter, shown]);
	}
	const ids = made.map(({ id }) => id).join();
	expect((await listed(`&ids=${ids}`, key)).map(({ id }) => id)).toEqual(shown);
	await service.runJobs();
	expect((await listed("&label[album]=a", key)).map(({ id }) => id)).toEqual(shown);
});
