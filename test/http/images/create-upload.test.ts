import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import sharp from "sharp";
import { noise, plain } from "../../support/pictures.ts";
import { errorOf, form, headersOf, send, upload, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();

/** How much the service holds: rows by its own count, and files on the disk. */
async function held(): Promise<{ images: number; bytes: number; listed: number; files: number }> {
	const usage = (await (await service.api("/v1/usage")).json()) as {
		totals: { images_stored: number; storage_used_bytes: number };
	};
	const list = (await (await service.api("/v1/images?limit=100")).json()) as { data: unknown[] };
	const entries = await readdir(join(service.dataDir, "images"), { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).length;
	return {
		images: usage.totals.images_stored,
		bytes: usage.totals.storage_used_bytes,
		listed: list.data.length,
		files,
	};
}

describe("an accepted file", () => {
	test("[C] 201 with every field of the specification and no other [image.fields.id, image.fields.object, image.fields.filename-multipart, image.fields.width, image.fields.height, image.fields.bytes, image.fields.status, image.fields.nsfw, image.fields.page_url-absent, image.fields.public-absent, create.multipart.file-required]", async () => {
		const before = Date.now();
		const file = await plain(37, 21);
		const response = await upload(service, file, "cat.png");
		expect(response.status).toBe(201);
		const image = (await response.json()) as Image;
		const { id, url, created_at } = image;
		expect(image).toEqual({
			id,
			object: "image",
			url,
			sizes: {
				small: { url: `${url}?size=s`, width: 37, height: 21 },
				medium: { url: `${url}?size=m`, width: 37, height: 21 },
				large: { url: `${url}?size=l`, width: 37, height: 21 },
			},
			filename: "cat.png",
			format: "png",
			width: 37,
			height: 21,
			bytes: file.length,
			status: "ready",
			published_at: created_at,
			expires_at: null,
			created_at,
			caption: "",
			metadata: {},
			labels: {},
			nsfw: false,
		});
		expect(id).toMatch(/^img_[0-9A-Za-z]{22}$/);
		expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
		expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now());
	});

	test("its url serves the picture to anybody, and parameters change it [image.fields.url, image.fields.url-query-variant, cdn.no-auth, cdn.response-200-bytes]", async () => {
		const image = await uploaded(service, await plain(40, 30, "jpeg"), "a.jpg");
		expect(image.url.startsWith("http://localhost:3001/")).toBe(true);
		const original = await service.open(image.url);
		expect(original.status).toBe(200);
		expect(original.headers.get("content-type")).toBe("image/jpeg");
		expect(await sharp(await original.arrayBuffer()).metadata()).toMatchObject({
			format: "jpeg",
			width: 40,
			height: 30,
		});
		const webp = await service.open(`${image.url}?format=webp`);
		expect(webp.headers.get("content-type")).toBe("image/webp");
	});

	test.each([
		["jpeg", "jpg"],
		["png", "png"],
		["gif", "gif"],
		["webp", "webp"],
		["avif", "avif"],
	] as const)(
		"[C][T] %s is stored as %s, ready at once [create.multipart.file-types, image.fields.format-values-ct, image.status.sync-ready]",
		async (encoding, format) => {
			const image = await uploaded(service, await plain(64, 48, encoding), "misleading.bin");
			expect(image).toMatchObject({ format, status: "ready", width: 64, height: 48 });
		},
	);

	test("sizes are what their addresses serve [image.fields.sizes, image.fields.sizes.small-url, image.fields.sizes.medium-url, image.fields.sizes.large-url, image.size.url, image.size.width, image.size.height, cdn.size.s, cdn.size.m, cdn.size.l]", async () => {
		for (const [width, height] of [
			[2_000, 1_000],
			[1_000, 2_000],
			[501, 333],
			[4_320, 2_161],
		] as const) {
			const image = await uploaded(service, await plain(width, height, "jpeg"));
			expect(Object.keys(image.sizes)).toEqual(["small", "medium", "large"]);
			for (const size of Object.values(image.sizes)) {
				const served = await sharp(await (await service.open(size.url)).arrayBuffer()).metadata();
				expect({ width: served.width, height: served.height }).toEqual({ width: size.width, height: size.height });
			}
		}
		const image = await uploaded(service, await plain(2_000, 1_000, "jpeg"));
		expect(image.sizes).toMatchObject({ small: { width: 640, height: 320 }, medium: { width: 1_280, height: 640 } });
	});

	test("width and height are those after orientation", async () => {
		const turned = await sharp(await plain(60, 20, "jpeg"))
			.withMetadata({ orientation: 6 })
			.toBuffer();
		expect(await uploaded(service, turned)).toMatchObject({ width: 20, height: 60 });
	});

	test("[C][T] exactly 20,000,000 bytes are taken, one more is not [create.multipart.file-max-bytes]", async () => {
		const picture = await noise(1_000, 800);
		const exact = new Uint8Array(20_000_000);
		exact.set(picture);
		expect(await uploaded(service, exact, "big.jpg")).toMatchObject({ bytes: 20_000_000, format: "jpg" });
		const over = new Uint8Array(20_000_001);
		over.set(picture);
		expect(await errorOf(await upload(service, over, "big.jpg"))).toMatchObject({ status: 422, fields: ["file"] });
	});

	test("names are kept as they are, without paths and control characters, and never empty", async () => {
		const file = await plain(5, 5);
		expect((await uploaded(service, file, "Größe 图.png")).filename).toBe("Größe 图.png");
		expect((await uploaded(service, file, "../../etc/pass\u0007wd.png")).filename).toBe("passwd.png");
		expect((await uploaded(service, file, "x".repeat(300))).filename).toHaveLength(255);
		const unnamed = await uploaded(service, file, "");
		expect(unnamed.filename).toBe(`${unnamed.id}.png`);
	});
});

describe("a refused file", () => {
	test.each([
		["create.multipart.svg-bmp-ico-rejected", "SVG", '<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"/>'],
		["create.multipart.svg-bmp-ico-rejected", "BMP", "BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"],
		["create.multipart.svg-bmp-ico-rejected", "ICO", "\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0"],
		["create.multipart.file-types", "TIFF", "II*\0\x08\0\0\0"],
		["create.multipart.file-types", "PDF", "%PDF-1.7\n"],
		["create.multipart.file-types", "text", "hello there"],
		["create.multipart.file-types", "nothing", ""],
	])("[C][T] [%s, create.file-error.details-file] %s gives 422 under file", async (_id, _name, bytes) => {
		const error = await errorOf(await upload(service, Buffer.from(bytes, "latin1"), "picture.png"));
		expect(error).toMatchObject({ status: 422, code: "validation_error", fields: ["file"] });
	});

	test("[C][T] cut, garbled and oversized files leave no row, no blob and no temporary file [create.multipart.decode-before-store, create.rejected-stores-nothing, image.status.sync-ready]", async () => {
		const before = await held();
		const jpeg = await noise(800, 600);
		const png = await noise(300, 300, "png");
		const garbled = Uint8Array.from(png);
		garbled.fill(0x55, 200, png.length - 100);
		const oversized = new Uint8Array(20_500_000);
		oversized.set(jpeg);
		for (const bad of [
			jpeg.subarray(0, jpeg.length / 2),
			png.subarray(0, png.length / 2),
			garbled,
			oversized,
			jpeg.subarray(0, 30),
		]) {
			expect(await errorOf(await upload(service, new Uint8Array(bad)))).toMatchObject({
				status: 422,
				fields: ["file"],
			});
		}
		expect(await held()).toEqual(before);
	});

	test("a .heif name or type needs HEVC bytes [create.multipart.heif-name-hevc]", async () => {
		const png = await plain(5, 5);
		expect(await errorOf(await upload(service, png, "a.heif"))).toMatchObject({ status: 422, fields: ["file"] });
		const typed = await service.api("/v1/images", {
			method: "POST",
			body: form(png, "a.png", {}, "image/heif"),
			headers: headersOf(service),
		});
		expect(await errorOf(typed)).toMatchObject({ status: 422, fields: ["file"] });
	});

	test("a form without a file, or with text in its place, gives 422 under file [create.multipart.file-required]", async () => {
		for (const fields of [{}, { file: "text" }, { caption: "x" }]) {
			const error = await errorOf(
				await service.api("/v1/images", {
					method: "POST",
					body: form(undefined, "", fields),
					headers: headersOf(service),
				}),
			);
			expect(error).toMatchObject({ status: 422, code: "validation_error", fields: ["file"] });
		}
	});

	test("two files, a file under another name, and a field sent twice are refused by name", async () => {
		const two = form(await plain(5, 5), "a.png");
		two.append("file", new Blob([await plain(5, 5)]), "b.png");
		const post = async (body: FormData) =>
			errorOf(await service.api("/v1/images", { method: "POST", body, headers: headersOf(service) }));
		expect(await post(two)).toMatchObject({ status: 422, fields: ["file"] });
		const other = form(await plain(5, 5), "a.png");
		other.append("avatar", new Blob(["x"]), "b.png");
		expect(await post(other)).toMatchObject({ status: 422, fields: ["avatar"] });
		const twice = form(await plain(5, 5), "a.png", { caption: "a" });
		twice.append("caption", "b");
		expect(await post(twice)).toMatchObject({ status: 422, fields: ["caption"] });
	});

	test("parts without a name are refused, each as such and none under a name that nobody sent", async () => {
		const nameless = ["", 'name=""', 'name=""; filename="b.png"', 'filename="b.png"'];
		for (const parameters of nameless) {
			const parts = [`form-data; ${parameters}`, 'form-data; name="file"; filename="a.png"'];
			const body = Buffer.concat([
				...parts.map((part) => Buffer.from(`--x\r\nContent-Disposition: ${part}\r\n\r\n12345\r\n`)),
				Buffer.from("--x--\r\n"),
			]);
			const headers = { ...headersOf(service), "Content-Type": "multipart/form-data; boundary=x" };
			const error = await errorOf(await service.api("/v1/images", { method: "POST", body, headers }));
			expect([parameters, error]).toMatchObject([parameters, { status: 422, fields: ["body"] }]);
		}
	});

	test("what is not a whole form is 400 bad_request, and leaves nothing", async () => {
		const before = await held();
		const bodies: [string, string][] = [
			[
				"multipart/form-data; boundary=x",
				'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nabc',
			],
			["multipart/form-data; boundary=x", ""],
			["multipart/form-data", "--x--"],
			["multipart/form-data; boundary=x", "no boundary here"],
			["text/plain", "hello"],
			["", "hello"],
		];
		for (const [type, body] of bodies) {
			const headers = { ...headersOf(service), "Content-Type": type };
			expect(await errorOf(await service.api("/v1/images", { method: "POST", body, headers }))).toMatchObject({
				status: 400,
				code: "bad_request",
			});
		}
		expect(await held()).toEqual(before);
	});

	test("more than 16 parts are refused", async () => {
		const fields = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, "x"]));
		expect((await upload(service, await plain(5, 5), "a.png", fields)).status).toBe(422);
	});
});

test("JSON without a url is an import that lacks it [create.content-type-selects]", async () => {
	expect(await errorOf(await send(service, "POST", "/v1/images", {}))).toMatchObject({ status: 422, fields: ["url"] });
});
