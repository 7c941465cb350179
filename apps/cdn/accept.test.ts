import { afterAll, describe, expect, test } from "bun:test";
import { removeFolders, transformHost } from "@svc/test/support/transform-host";
import { acceptedFormats } from "./accept.ts";

afterAll(removeFolders);

const CHROME = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8";
const SAFARI_13 = "image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5";

describe("what a request accepts", () => {
	test.each([
		[CHROME, ["avif", "webp"]],
		[SAFARI_13, []],
		["image/webp,*/*", ["webp"]],
		["*/*", []],
		["image/*", []],
		["", []],
		["IMAGE/WebP ; Q=0.5 , image/avif;q=0.4", ["webp", "avif"]],
		["image/avif;q=0.5,image/webp;q=0.5", ["avif", "webp"]],
		["image/avif;q=0,image/webp;q=0.001", ["webp"]],
		["image/avif;q=1.1,image/webp;q=x", []],
		["image/avif;q=0.000", []],
		["image/avif;v=1;q=0.2,image/webp;q=0.3", ["webp", "avif"]],
		[",,;q=1,image/webp;", ["webp"]],
	])("%p", (header, formats) => {
		expect(acceptedFormats(header)).toEqual(formats as ("avif" | "webp")[]);
	});

	test("nothing said is nothing accepted", () => expect(acceptedFormats(null)).toEqual([]));
});

describe("format=auto", () => {
	const typeOf = async (
		target: string,
		accept: string | undefined,
		image: Parameters<typeof transformHost>[0] = {},
	): Promise<string | null> => {
		const { ask } = await transformHost(image);
		const { headers } = await ask(target, accept === undefined ? {} : { headers: { Accept: accept } });
		return headers.get("content-type");
	};

	test("is the best that is accepted, and the picture's own where nothing is", async () => {
		expect(await typeOf(".jpg?w=99&format=auto", CHROME)).toBe("image/avif");
		expect(await typeOf(".jpg?w=99&format=auto", "image/webp,*/*")).toBe("image/webp");
		expect(await typeOf(".jpg?w=99&format=auto", SAFARI_13)).toBe("image/jpeg");
		expect(await typeOf(".jpg?w=99&format=auto", undefined)).toBe("image/jpeg");
		expect(await typeOf(".png?w=99&f%6frmat=%61uto", SAFARI_13)).toBe("image/png");
		expect(await typeOf(".png?w=99&f%6frmat=%61uto", CHROME)).toBe("image/avif");
	});

	test("is AVIF for stills of up to 2,000,000 pixels alone", async () => {
		const large = { image: { width: 4_000, height: 2_000 } };
		expect(await typeOf(".jpg?w=2000&h=1000&fit=cover&format=auto", CHROME, large)).toBe("image/avif");
		expect(await typeOf(".jpg?w=2000&h=1001&fit=cover&format=auto", CHROME, large)).toBe("image/webp");
		expect(await typeOf(".jpg?format=auto", CHROME, large)).toBe("image/webp");
		expect(await typeOf(".jpg?w=2001&h=1000&fit=cover&format=auto", "image/avif", large)).toBe("image/jpeg");
		for (const format of ["gif", "webp"] as const) {
			for (const [frames, type] of [
				[1, "image/avif"],
				[2, "image/webp"],
			] as const) {
				const { ask, finder } = await transformHost({ image: { format } });
				finder.there = { ...finder.there, header: { frames, alpha: false } };
				const { headers } = await ask(`.${format}?w=99&format=auto`, { headers: { Accept: CHROME } });
				expect([format, frames, headers.get("content-type")]).toEqual([format, frames, type]);
			}
		}
	});

	test("loses no transparency that is made here", async () => {
		for (const [query, type] of [
			["segment=foreground", "png"],
			["radius=9", "png"],
			["segment=foreground&background=red", "jpeg"],
			["segment=foreground&size=social", "jpeg"],
			["radius=9&background=red", "png"],
			["w=9", "jpeg"],
		] as const) {
			expect([query, await typeOf(`.jpg?${query}&format=auto`, SAFARI_13)]).toEqual([query, `image/${type}`]);
		}
	});

	test("without loss it is WebP where that is accepted", async () => {
		expect(await typeOf(".png?w=9&lossless=true&format=auto", CHROME, { image: { format: "png" } })).toBe("image/webp");
		expect(await typeOf(".png?w=9&lossless=true&format=auto", "image/avif", { image: { format: "png" } })).toBe(
			"image/png",
		);
	});

	test("shares version and entry with the address that names the format", async () => {
		const { ask, renderer } = await transformHost();
		const auto = await ask(".jpg?w=99&format=auto", { headers: { Accept: CHROME } });
		const named = await ask(".jpg?format=avif&w=99");
		const fallback = await ask(".jpg?w=99&format=auto", { headers: { Accept: SAFARI_13 } });
		const plain = await ask(".jpg?w=99");
		expect(auto.headers.get("etag")).toBe(named.headers.get("etag") as string);
		expect(fallback.headers.get("etag")).toBe(plain.headers.get("etag") as string);
		expect(renderer.asked).toEqual(["format=avif&w=99", "w=99"]);
		const original = await ask(".jpg?format=auto", { headers: { Accept: SAFARI_13 } });
		expect(original.headers.get("etag")).toBe((await ask(".jpg")).headers.get("etag") as string);
	});

	test("every answer with bytes, a part of them or none says that it varies, and no other address does", async () => {
		const { ask } = await transformHost();
		const auto = ".jpg?w=99&format=auto";
		const whole = await ask(auto, { headers: { Accept: CHROME } });
		const etag = whole.headers.get("etag") ?? "";
		const answers = [
			whole,
			await ask(auto, { headers: { Accept: CHROME, "If-None-Match": etag } }),
			await ask(auto, { headers: { Accept: CHROME, Range: "bytes=0-3" } }),
			await ask(auto, { headers: { Accept: CHROME }, method: "HEAD" }),
			await ask(auto),
			await ask(".jpg?format=auto"),
		];
		expect(answers.map(({ status }) => status)).toEqual([200, 304, 206, 200, 200, 200]);
		for (const { headers } of answers) expect(headers.get("vary")).toBe("Accept");
		for (const other of [
			".jpg",
			".jpg?w=99",
			".jpg?format=avif",
			".jpg?q=auto",
			".jpg?gravity=auto&w=9&h=9&fit=cover",
			".jpg?format=auto&format=png",
		]) {
			expect([other, (await ask(other, { headers: { Accept: CHROME } })).headers.get("vary")]).toEqual([other, null]);
		}
	});

	test("a drawing stays one, and its answer varies all the same", async () => {
		const { ask } = await transformHost({ image: { format: "svg" } });
		const { headers } = await ask(".svg?format=auto", { headers: { Accept: CHROME } });
		expect([headers.get("content-type"), headers.get("vary")]).toEqual(["image/svg+xml", "Accept"]);
	});

	test("is not plain: an App that serves its presets alone does not serve it", async () => {
		const { ask, world } = await transformHost();
		world.app = { ...world.app, policy: "presets" };
		world.rules.presets.set("small", "w=99&format=auto");
		const statuses = [];
		for (const query of ["", "?size=s", "?size=s&format=auto", "?format=auto", "?size=s&dl=a"]) {
			statuses.push((await ask(`.jpg${query}`, { headers: { Accept: CHROME } })).status);
		}
		expect(statuses).toEqual([200, 200, 403, 403, 200]);
		const preset = await ask(".jpg?preset=small", { headers: { Accept: CHROME } });
		expect([preset.headers.get("content-type"), preset.headers.get("vary")]).toEqual(["image/avif", "Accept"]);
	});
});
