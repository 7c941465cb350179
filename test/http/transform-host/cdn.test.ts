import { beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import sharp from "sharp";
import { addApp, setImageStatus } from "../../support/apps.ts";
import { corners, noise, pixelAt, plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";

const RED = [255, 0, 0];
const GREEN = [0, 255, 0];
const WHITE = [255, 255, 255];
const BLUE = [0, 0, 255];

const service = serviceFor();
/** 400×200 PNG: red, green, white and blue quarters, clockwise from the top left being red, green, blue, white. */
let quarters: Image;
let photo: Image;
let seeThrough: Image;

beforeAll(async () => {
	quarters = await uploaded(service, await corners(400, 200));
	photo = await uploaded(service, await noise(600, 400), "photo.jpg");
	const clear = {
		create: { width: 100, height: 100, channels: 4 as const, background: { r: 0, g: 0, b: 0, alpha: 0 } },
	};
	const dot = await plain(20, 20, "png", "#0000ff");
	seeThrough = await uploaded(
		service,
		(await sharp(clear)
			.composite([{ input: dot, left: 40, top: 40 }])
			.png()
			.toBuffer()) as Buffer<ArrayBuffer>,
	);
});

async function bytesOf(image: Image, query = ""): Promise<Buffer<ArrayBuffer>> {
	const response = await service.open(image.url + query);
	if (response.status !== 200) throw new Error(`${response.status} for ${query}`);
	return Buffer.from(await response.arrayBuffer());
}

async function extentOf(image: Image, query: string): Promise<string> {
	const { width, height } = await sharp(await bytesOf(image, query)).metadata();
	return `${width}x${height}`;
}

async function rgbAt(image: Image, query: string, x: number, y: number): Promise<number[]> {
	return (await pixelAt(await bytesOf(image, query), x, y)).slice(0, 3);
}

describe("the address", () => {
	test("is the storage's team hash and the image's id with an extension [cdn.team-hash, cdn.filename-id-ext]", async () => {
		const [, team, filename] = new URL(quarters.url).pathname.split("/");
		expect(new URL(photo.url).pathname.split("/")[1]).toBe(team as string);
		expect(filename).toBe(`${quarters.id}.png`);
	});

	test("unknown ids and hashes are 404 in the same words [cdn.404-unknown-id, cdn.404-unknown-hash]", async () => {
		const other = await uploaded(
			service,
			await plain(5, 5),
			"a.png",
			{},
			{ key: (await addApp(service.database)).key },
		);
		const { origin, pathname } = new URL(quarters.url);
		const [, team = "", filename = ""] = pathname.split("/");
		const [, otherTeam = ""] = new URL(other.url).pathname.split("/");
		const answers = await Promise.all(
			[
				`${team}/img_0000000000000000000000.png`,
				`${team}/unknown.png`,
				`wronghash/${filename}`,
				`${otherTeam}/${filename}`,
				filename,
				`${team}/${quarters.id}`,
			].map((path) => service.open(`${origin}/${path}`)),
		);
		expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
		expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
		for (const answer of answers) expect(answer.headers.get("Cache-Control")).toBe("no-store");
	});

	test("keys and cookies make no difference [cdn.no-auth]", async () => {
		for (const headers of [{}, { Authorization: "Bearer wrong" }, { Cookie: "a=b" }]) {
			expect((await service.open(quarters.url, { headers })).status).toBe(200);
		}
	});

	test("an expired image is 404, its renditions too, and answers before say when [cdn.404-expired]", async () => {
		const brief = await openService();
		const image = await uploaded(brief, await plain(50, 50), "a.png", { ttl: "5m" });
		brief.clock.advance(200_000);
		for (const query of ["", "?w=10"]) {
			const answer = await brief.open(image.url + query);
			expect(answer.status).toBe(200);
			const age = Number(/max-age=(\d+)/.exec(answer.headers.get("Cache-Control") ?? "")?.[1]);
			expect(age).toBeLessThanOrEqual(100);
			expect(age).toBeGreaterThan(90);
		}
		brief.clock.advance(100_001);
		for (const query of ["", "?w=10", "?w=11"]) expect((await brief.open(image.url + query)).status).toBe(404);
		await brief.close();
	});

	test("a blocked image is 404 at once, whatever is cached", async () => {
		const image = await uploaded(service, await plain(50, 50));
		expect((await service.open(`${image.url}?w=10`)).status).toBe(200);
		await setImageStatus(service.database, image.id, "blocked", "spam");
		for (const query of ["", "?w=10"]) expect((await service.open(image.url + query)).status).toBe(404);
	});
});

describe("answers", () => {
	test("the type follows the format [cdn.content-type-output, cdn.format.values, cdn.format-overrides-ext]", async () => {
		const types = { jpg: "image/jpeg", png: "image/png", webp: "image/webp", avif: "image/avif", gif: "image/gif" };
		for (const [format, type] of Object.entries(types)) {
			const response = await service.open(`${quarters.url}?format=${format}`);
			expect(response.headers.get("Content-Type")).toBe(type);
			const decoded = await sharp(await response.arrayBuffer()).metadata();
			expect(decoded).toMatchObject({
				width: 400,
				height: 200,
				format: { jpg: "jpeg", avif: "heif" }[format] ?? format,
			} as never);
		}
		expect((await service.open(`${quarters.url}?format=tiff`)).headers.get("Content-Type")).toBe("image/png");
		expect(
			(await service.open(`${quarters.url.replace(".png", ".jpg")}?format=webp`)).headers.get("Content-Type"),
		).toBe("image/webp");
	});

	test("are safe to embed and cannot run as a page", async () => {
		for (const query of ["", "?w=50"]) {
			const { headers } = await service.open(quarters.url + query);
			expect(
				Object.fromEntries(
					[
						"X-Content-Type-Options",
						"Content-Security-Policy",
						"Cross-Origin-Resource-Policy",
						"Access-Control-Allow-Origin",
						"Timing-Allow-Origin",
						"Set-Cookie",
					].map((name) => [name, headers.get(name)]),
				),
			).toEqual({
				"X-Content-Type-Options": "nosniff",
				"Content-Security-Policy": "default-src 'none'; sandbox",
				"Cross-Origin-Resource-Policy": "cross-origin",
				"Access-Control-Allow-Origin": "*",
				"Timing-Allow-Origin": "*",
				"Set-Cookie": null,
			});
			expect(headers.get("Content-Disposition")).toStartWith("inline");
		}
	});

	test("304 to a known ETag, before anything is rendered; another form has another ETag", async () => {
		const first = await service.open(`${photo.url}?w=70&h=30`);
		const etag = first.headers.get("ETag") ?? "";
		for (const sent of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
			const again = await service.open(`${photo.url}?h=30&w=70`, { headers: { "If-None-Match": sent } });
			expect(again.status).toBe(304);
			expect(again.headers.get("ETag")).toBe(etag);
			expect((await again.arrayBuffer()).byteLength).toBe(0);
		}
		expect((await service.open(`${photo.url}?w=70&h=29`)).headers.get("ETag")).not.toBe(etag);
		expect((await service.open(`${photo.url}?w=70&h=30`, { headers: { "If-None-Match": '"other"' } })).status).toBe(
			200,
		);
	});

	test("HEAD has the headers of GET and no body; other methods are 405", async () => {
		for (const query of ["", "?w=50"]) {
			const get = await service.open(photo.url + query);
			const head = await service.open(photo.url + query, { method: "HEAD" });
			expect(head.status).toBe(200);
			for (const name of ["Content-Type", "ETag", "Cache-Control"])
				expect(head.headers.get(name)).toBe(get.headers.get(name));
			expect((await head.arrayBuffer()).byteLength).toBe(0);
		}
		for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
			const answer = await service.open(photo.url, { method });
			expect(answer.status).toBe(405);
			expect(answer.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
		}
	});

	test("ranges of the stored file", async () => {
		const whole = await bytesOf(photo);
		const range = async (value: string, headers: Record<string, string> = {}) =>
			service.open(photo.url, { headers: { Range: value, ...headers } });
		for (const [sent, from, to] of [
			["bytes=0-99", 0, 100],
			["bytes=100-", 100, whole.length],
			["bytes=-10", whole.length - 10, whole.length],
			["bytes=5-5", 5, 6],
			["bytes=0-99999999", 0, whole.length],
		] as const) {
			const part = await range(sent);
			expect(part.status).toBe(206);
			expect(part.headers.get("Content-Range")).toBe(`bytes ${from}-${to - 1}/${whole.length}`);
			expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(from, to))).toBe(true);
		}
		const past = await range(`bytes=${whole.length}-`);
		expect(past.status).toBe(416);
		expect(past.headers.get("Content-Range")).toBe(`bytes */${whole.length}`);
		expect((await range("bytes=0-9", { "If-Range": '"other"' })).status).toBe(200);
	});
});

describe("the grammar", () => {
	test("the order of parameters does not matter [cdn.order-irrelevant]", async () => {
		expect((await bytesOf(photo, "?w=100&h=50")).equals(await bytesOf(photo, "?h=50&w=100"))).toBe(true);
	});

	test("each distinct address keeps its own result [cdn.cached-per-url]", async () => {
		const [a, b] = [await bytesOf(photo, "?w=100"), await bytesOf(photo, "?w=200")];
		for (let n = 0; n < 3; n++) {
			expect((await bytesOf(photo, "?w=100")).equals(a)).toBe(true);
			expect((await bytesOf(photo, "?w=200")).equals(b)).toBe(true);
		}
		expect(a.equals(b)).toBe(false);
	});

	test.each([
		"w=0",
		"h=4097",
		"w=1.5",
		"w=-1",
		"size=xl",
		"fit=bogus",
		"gravity=x",
		"zoom=2",
		"zoom=-1",
		"q=0",
		"q=101",
		"blur=251",
		"blur=1.5",
		"sharp=11",
		"rotate=45",
		"flip=x",
		"format=tiff",
		"background=zz",
		"background=%23zzzzzz",
		"brightness=11",
		"contrast=11",
		"gamma=-1",
		"saturation=11",
		"trim=foo",
		"metadata=all",
		"segment=x",
		"fx=foo",
		"strength=100",
		"tile=nope",
		"unknown=1",
		"w=%00",
		"w=1e2",
	])("%s is ignored and the image still loads [cdn.invalid-ignored, cdn.wh.range]", async (query) => {
		expect((await bytesOf(photo, `?${query}`)).equals(await bytesOf(photo))).toBe(true);
		expect((await bytesOf(photo, `?w=60&${query}&h=60`)).length).toBeGreaterThan(0);
	});
});

describe("sizes", () => {
	test("size skips w, h and fit [cdn.size.skips-manual]", async () => {
		expect((await bytesOf(photo, "?size=s&w=50&h=50&fit=cover")).equals(await bytesOf(photo, "?size=s"))).toBe(true);
	});

	test("social is 1200×630 whatever the aspect [cdn.size.social]", async () => {
		for (const image of [quarters, photo, seeThrough]) expect(await extentOf(image, "?size=social")).toBe("1200x630");
	});

	test.each([
		["cdn.w-alone", "w=100", "100x50"],
		["cdn.h-alone", "h=100", "200x100"],
		["cdn.wh.range", "w=1", "1x1"],
		["cdn.wh-with-fit", "w=100&h=100", "100x50"],
		["cdn.fit.default", "w=100&h=100&fit=scale-down", "100x50"],
		["cdn.fit.scale-down-no-enlarge", "w=800&h=800", "400x200"],
		["cdn.wh.range", "w=4096", "400x200"],
		["cdn.fit.cover", "w=100&h=100&fit=cover", "100x100"],
		["cdn.fit.crop", "w=100&h=100&fit=crop", "100x100"],
		["cdn.fit.contain", "w=100&h=100&fit=contain", "100x100"],
		["cdn.fit.pad", "w=100&h=100&fit=pad", "100x100"],
		["cdn.fit.squeeze", "w=100&h=100&fit=squeeze", "100x100"],
		["cdn.fit.cover", "w=800&h=800&fit=cover", "800x800"],
		["cdn.fit.crop", "w=800&h=800&fit=crop", "400x200"],
		["cdn.size.s", "rotate=90&w=100", "100x200"],
	])("[%s] %s of 400×200 is %s", async (_id, query, extent) => {
		expect(await extentOf(quarters, `?${query}`)).toBe(extent);
	});

	test("cover and crop fill the box, without bars [cdn.fit.cover, cdn.fit.crop]", async () => {
		for (const fit of ["cover", "crop"]) {
			const query = `?w=100&h=100&fit=${fit}&focus=center`;
			expect(await rgbAt(quarters, query, 5, 5)).toEqual(RED);
			expect(await rgbAt(quarters, query, 95, 5)).toEqual(GREEN);
			expect(await rgbAt(quarters, query, 95, 95)).toEqual(BLUE);
			expect(await rgbAt(quarters, query, 5, 95)).toEqual(WHITE);
		}
	});

	test("pad and contain letterbox the whole picture, in the background's colour [cdn.fit.pad, cdn.fit.contain, cdn.background.named]", async () => {
		for (const fit of ["pad", "contain"]) {
			const query = `?w=100&h=100&fit=${fit}&background=orange`;
			expect(await rgbAt(quarters, query, 50, 5)).toEqual([255, 165, 0]);
			expect(await rgbAt(quarters, query, 50, 95)).toEqual([255, 165, 0]);
			expect(await rgbAt(quarters, query, 5, 30)).toEqual(RED);
			expect(await rgbAt(quarters, query, 95, 70)).toEqual(BLUE);
		}
		expect((await pixelAt(await bytesOf(quarters, "?w=100&h=100&fit=pad"), 50, 5))[3]).toBe(0);
		expect(await rgbAt(quarters, "?w=100&h=100&fit=pad&format=jpg", 50, 5)).toEqual(WHITE);
	});

	test("squeeze keeps all four corners in a square [cdn.fit.squeeze]", async () => {
		expect(await rgbAt(quarters, "?w=100&h=100&fit=squeeze", 3, 3)).toEqual(RED);
		expect(await rgbAt(quarters, "?w=100&h=100&fit=squeeze", 97, 97)).toEqual(BLUE);
	});
});

describe("turning", () => {
	test.each([
		["cdn.rotate", "rotate=90", [WHITE, RED, GREEN, BLUE]],
		["cdn.rotate", "rotate=180", [BLUE, WHITE, RED, GREEN]],
		["cdn.rotate", "rotate=270", [GREEN, BLUE, WHITE, RED]],
		["cdn.flip.h", "flip=h", [GREEN, RED, WHITE, BLUE]],
		["cdn.flip.v", "flip=v", [WHITE, BLUE, GREEN, RED]],
		["cdn.flip.hv", "flip=hv", [BLUE, WHITE, RED, GREEN]],
	])("[%s] %s moves the corners", async (_id, query, expected) => {
		const bytes = await bytesOf(quarters, `?${query}`);
		const { width, height } = await sharp(bytes).metadata();
		const at = async (x: number, y: number) => (await pixelAt(bytes, x, y)).slice(0, 3);
		expect([await at(3, 3), await at(width - 3, 3), await at(width - 3, height - 3), await at(3, height - 3)]).toEqual(
			expected,
		);
	});
});

describe("quality", () => {
	test("higher is larger; the names are numbers [cdn.q.number, cdn.q.named]", async () => {
		const size = async (q: string) => (await bytesOf(photo, `?q=${q}`)).length;
		expect(await size("1")).toBeLessThan(await size("100"));
		for (const [name, number] of [
			["high", "90"],
			["medium-high", "75"],
			["medium-low", "60"],
			["low", "45"],
		] as const) {
			expect(await size(name)).toBe(await size(number));
		}
		expect(await size("low")).toBeLessThan(await size("high"));
	});

	test("has no effect on PNG [cdn.q.lossy-only]", async () => {
		expect((await bytesOf(photo, "?format=png&w=50&q=1")).equals(await bytesOf(photo, "?format=png&w=50&q=100"))).toBe(
			true,
		);
	});
});

describe("backgrounds", () => {
	test.each([
		["cdn.background.named", "red", [255, 0, 0, 255]],
		["cdn.background.hex", "%2300ff00", [0, 255, 0, 255]],
		["cdn.background.rgb", "rgb(0,0,255)", [0, 0, 255, 255]],
		["cdn.background.rgba", "rgba(255,0,0,0.5)", [255, 0, 0, 128]],
	])(
		"[%s, cdn.background.fills-transparent] %s fills what is transparent and nothing else",
		async (_id, colour, expected) => {
			const bytes = await bytesOf(seeThrough, `?background=${colour}`);
			expect(await pixelAt(bytes, 5, 5)).toEqual(expected);
			expect(await pixelAt(bytes, 50, 50)).toEqual([0, 0, 255, 255]);
		},
	);

	test("without one, png and webp stay transparent and jpg is white [cdn.background.omitted-alpha, cdn.background.omitted-white]", async () => {
		for (const format of ["png", "webp"])
			expect((await pixelAt(await bytesOf(seeThrough, `?format=${format}`), 5, 5))[3]).toBe(0);
		expect(await rgbAt(seeThrough, "?format=jpg", 5, 5)).toEqual(WHITE);
	});
});

test("a deleted image leaves nothing to serve, even while it is rendered", async () => {
	const image = await uploaded(service, await noise(2_000, 1_500), "a.jpg");
	const rendering = service.open(`${image.url}?w=1500&format=avif`);
	await send(service, "DELETE", `/v1/images/${image.id}`);
	await rendering;
	expect((await service.open(`${image.url}?w=1500&format=avif`)).status).toBe(404);
});
