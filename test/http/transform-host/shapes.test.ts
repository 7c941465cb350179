import { beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { imageUrl, type TransformOptions } from "@svc/sdk/transform";
import sharp from "sharp";
import { addApp } from "../../support/apps.ts";
import { corpus, corpusNote, withoutCorpus } from "../../support/corpus.ts";
import { corners, noise, pixelAt, plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

/* Parameters that say which pixels there are, asked for as the SDK asks and answered by the workers. */

const service = serviceFor();
/** 400×200: red and green quarters above white and blue ones. */
let quarters: Image;
let photo: Image;
let mark: Image;

beforeAll(async () => {
	quarters = await uploaded(service, await corners(400, 200));
	photo = await uploaded(service, await noise(600, 400), "photo.jpg");
	mark = await uploaded(service, await plain(40, 20, "png", "#ff00ff"));
});

async function asked(image: Image, options: TransformOptions | string): Promise<Response> {
	const response = await service.open(
		typeof options === "string" ? `${image.url}?${options}` : imageUrl(image, options),
	);
	expect(response.status).toBe(200);
	return response;
}

async function bytesOf(image: Image, options: TransformOptions | string): Promise<Buffer<ArrayBuffer>> {
	return Buffer.from(await (await asked(image, options)).arrayBuffer());
}

async function etagOf(image: Image, options: TransformOptions | string): Promise<string | null> {
	return (await asked(image, options)).headers.get("ETag");
}

async function extentOf(image: Image, options: TransformOptions): Promise<string> {
	const { width, height, format } = await sharp(await bytesOf(image, options)).metadata();
	return `${format} ${width}x${height}`;
}

describe("dpr", () => {
	test("gives that many more pixels, as the address without it", async () => {
		expect(await extentOf(photo, { w: 100, dpr: 2 })).toBe("jpeg 200x133");
		expect(await etagOf(photo, { w: 100, dpr: 2 })).toBe(await etagOf(photo, { w: 200 }));
		expect(await etagOf(photo, { size: "s", dpr: 2 })).toBe(await etagOf(photo, { size: "m" }));
		expect(await etagOf(photo, { dpr: 3 })).toBe(await etagOf(photo, {}));
	});
});

describe("frame", () => {
	const COLOURS = ["#ff0000", "#00ff00", "#0000ff"];

	async function animation(format: "gif" | "webp"): Promise<Image> {
		const frames = await Promise.all(COLOURS.map((colour) => plain(40, 20, "png", colour)));
		const joined = sharp(frames, { join: { animated: true } });
		const bytes = await (format === "gif"
			? joined.gif({ delay: [90, 90, 90] })
			: joined.webp({ lossless: true })
		).toBuffer();
		return await uploaded(service, new Uint8Array(bytes), `moving.${format}`);
	}

	test.each(["gif", "webp"] as const)(
		"of an animated %s is a still of its own; past the end it is the last",
		async (format) => {
			const moving = await animation(format);
			const pixels = [];
			for (const frame of [0, 1, 2, 9]) {
				const still = await bytesOf(moving, { frame });
				expect((await sharp(still).metadata()).pages ?? 1).toBe(1);
				pixels.push((await pixelAt(still, 5, 5)).slice(0, 3).map((value) => Math.round(value / 255) * 255));
			}
			const [red, green, blue] = [
				[255, 0, 0],
				[0, 255, 0],
				[0, 0, 255],
			];
			expect(pixels).toEqual([red, green, blue, blue]);
			expect(await etagOf(moving, { frame: 9 })).toBe(await etagOf(moving, { frame: 2 }));
			expect((await sharp(await bytesOf(moving, { w: 20 })).metadata()).pages).toBe(3);
		},
	);

	test("of a still is nothing that is asked for", async () => {
		expect(await etagOf(quarters, { frame: 3, w: 9 })).toBe(await etagOf(quarters, { w: 9 }));
		const still = await uploaded(service, await plain(40, 20, "webp", "#00ff00"), "still.webp");
		expect(await etagOf(still, { frame: 3 })).toBe(await etagOf(still, {}));
	});

	test("is cut, turned and set as any still; AVIF where that is accepted", async () => {
		const moving = await animation("gif");
		expect(await extentOf(moving, { frame: 1, rotate: 90, w: 10, format: "png" })).toBe("png 10x20");
		const auto = (query: string) =>
			service.open(`${moving.url}?${query}&format=auto`, { headers: { Accept: "image/avif,image/webp" } });
		expect((await auto("frame=1")).headers.get("content-type")).toBe("image/avif");
		expect((await auto("w=20")).headers.get("content-type")).toBe("image/webp");
	});
});

describe("info", () => {
	test("has what a page needs before the picture: size, colours, and a picture of at most 32 pixels", async () => {
		const told = JSON.parse((await bytesOf(quarters, { info: "json", rotate: 90, w: 100 })).toString());
		expect(told).toMatchObject({ width: 100, height: 200, format: "png", faces: [] });
		expect(told.original).toMatchObject({ width: 400, height: 200, format: "png", frames: 1, alpha: false });
		expect(told.colors).toHaveLength(4);
		const small = Buffer.from(told.placeholder.replace("data:image/webp;base64,", ""), "base64");
		expect(small.length).toBeLessThanOrEqual(1_000);
		expect(await sharp(small).metadata()).toMatchObject({ format: "webp", width: 16, height: 32 });
		const [red = 0, green = 255] = await pixelAt(small, 12, 4);
		expect([red > 200, green < 60]).toEqual([true, true]);
	});
});

describe("focus and crop", () => {
	test("show the part that is said by numbers", async () => {
		const right = await bytesOf(quarters, { w: 50, h: 100, fit: "cover", focus: "top-right" });
		expect((await pixelAt(right, 25, 20)).slice(0, 3)).toEqual([0, 255, 0]);
		const piece = await bytesOf(quarters, { crop: { x: 190, y: 90, w: 20, h: 20 } });
		const seen = await Promise.all([pixelAt(piece, 1, 1), pixelAt(piece, 18, 1), pixelAt(piece, 18, 18)]);
		expect(seen.map((pixel) => pixel.slice(0, 3))).toEqual([
			[255, 0, 0],
			[0, 255, 0],
			[0, 0, 255],
		]);
	});

	test.skipIf(withoutCorpus)(
		`a piece is one of the picture as the API describes it, whatever turn its file has${corpusNote}`,
		async () => {
			const turned = await uploaded(service, await corpus("jpeg_o6_landscape.jpg"), "turned.jpg");
			const { width, height } = turned;
			const piece = { x: width - 300, y: height - 200, w: 300, h: 200 };
			const whole = await sharp(await bytesOf(turned, { format: "png", metadata: "none" }))
				.extract({ left: piece.x, top: piece.y, width: 300, height: 200 })
				.raw()
				.toBuffer();
			const cut = await sharp(await bytesOf(turned, { format: "png", crop: piece }))
				.raw()
				.toBuffer();
			expect(cut.equals(whole)).toBe(true);
		},
	);
});

describe("overlay", () => {
	test("lies over the picture, at its place and as wide as asked", async () => {
		const covered = await bytesOf(quarters, { overlay: mark, overlay_at: "top-left", overlay_w: 0.5 });
		expect((await pixelAt(covered, 10, 10)).slice(0, 3)).toEqual([255, 0, 255]);
		expect((await pixelAt(covered, 204, 104)).slice(0, 3)).toEqual([255, 0, 255]);
		expect((await pixelAt(covered, 2, 2)).slice(0, 3)).toEqual([255, 0, 0]);
		const faint = await bytesOf(quarters, { overlay: mark, overlay_at: "top-left", overlay_opacity: 0.5 });
		expect((await pixelAt(faint, 10, 10))[2]).toBe(128);
	});

	test("one of another storage, a deleted or unknown one is as if it were not asked for", async () => {
		const { key } = await addApp(service.database);
		const foreign = await uploaded(service, await plain(10, 10), "a.png", {}, { key });
		const gone = await uploaded(service, await plain(10, 10), "b.png");
		const before = await etagOf(quarters, { w: 90, overlay: gone });
		expect((await send(service, "DELETE", `/v1/images/${gone.id}`)).ok).toBe(true);
		const without = await etagOf(quarters, { w: 90 });
		expect(before).not.toBe(without);
		for (const overlay of [foreign, gone, "img_0000000000000000000000", "../x"]) {
			expect(await etagOf(quarters, { w: 90, overlay, overlay_at: "top" })).toBe(without);
		}
	});
});

describe("radius", () => {
	test("rounds the corners, transparent or on the background", async () => {
		expect((await pixelAt(await bytesOf(quarters, { radius: "max" }), 1, 1))[3]).toBe(0);
		const jpeg = await bytesOf(quarters, { radius: 60, format: "jpg", background: "#0000ff" });
		expect((await pixelAt(jpeg, 2, 2))[2]).toBeGreaterThan(230);
		expect((await pixelAt(jpeg, 100, 50))[0]).toBeGreaterThan(230);
	});
});

describe("how it is encoded", () => {
	test("lossless gives exactly the pixels, as a WebP alone", async () => {
		const bytes = await bytesOf(quarters, { format: "webp", lossless: true });
		const [kept, master] = await Promise.all(
			[bytes, await bytesOf(quarters, {})].map((one) => sharp(one).removeAlpha().raw().toBuffer()),
		);
		expect(master && kept?.equals(master)).toBe(true);
		expect(await etagOf(photo, { w: 80, lossless: true })).toBe(await etagOf(photo, { w: 80 }));
	});

	test("q=auto is a quality of its own", async () => {
		expect(await extentOf(photo, { w: 200, q: "auto" })).toBe("jpeg 200x133");
		expect(await etagOf(photo, { w: 200, q: "auto" })).not.toBe(await etagOf(photo, { w: 200 }));
	});
});

describe("hostile values", () => {
	test.each([
		"dpr=1e999&focus=NaN,NaN&crop=-1,-1,-1,-1",
		"crop=0,0,999999999,999999999&radius=99999999999999999999",
		"crop=0,0,1,1&crop=0,0,2,2",
		"overlay=__proto__&overlay_at=constructor&overlay_w=Infinity&overlay_opacity=0x1",
		"q=AUTO&lossless=TRUE&tile_opacity=1",
		`focus=${"0,".repeat(40)}&radius=max%00`,
	])("%s is as if it were not there", async (query) => {
		expect(await etagOf(quarters, query)).toBe(await etagOf(quarters, ""));
	});

	test("the smallest and largest of everything together is still a picture", async () => {
		const all = `dpr=3&crop=399,199,1,1&radius=2048&overlay=${mark.id}&overlay_w=0.01&overlay_opacity=0.01&tile=${mark.id}&tile_opacity=0.01&w=1&h=4096&fit=cover&focus=1,1&q=auto&format=webp`;
		const { width, height } = await sharp(await bytesOf(quarters, all)).metadata();
		expect([width, height]).toEqual([1, 4_096]);
	});
});
