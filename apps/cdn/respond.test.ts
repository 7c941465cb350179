import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { APP, IMAGE, NOW_MS, removeFolders, transformHost } from "@svc/test/support/transform-host";

afterAll(removeFolders);

const LASTING = "public, max-age=300, stale-while-revalidate=60, stale-if-error=86400";

describe("headers", () => {
	test("200 with all that a browser and a cache must know", async () => {
		const { ask } = await transformHost();
		const response = await ask(".jpg");
		const { etag, ...headers } = Object.fromEntries(response.headers);
		expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
		expect(headers).toEqual({
			"accept-ranges": "bytes",
			"access-control-allow-origin": "*",
			"access-control-expose-headers": "*",
			"cache-control": LASTING,
			"cache-tag": `${IMAGE.id},t-${IMAGE.teamHash}`,
			"content-disposition": `inline; filename="${IMAGE.id}.jpg"`,
			"content-length": "19",
			"content-security-policy": "default-src 'none'; sandbox",
			"content-type": "image/jpeg",
			"cross-origin-resource-policy": "cross-origin",
			"timing-allow-origin": "*",
			"x-content-type-options": "nosniff",
			"x-request-id": expect.stringMatching(/^req_/),
		});
	});

	test.each([
		[".jpg", {}],
		[".jpg?w=100", {}],
		[".jpg", { Range: "bytes=0-3" }],
		["/nowhere", {}],
	])("HEAD %s: the same status and headers as GET, without a body", async (target, headers) => {
		const { ask } = await transformHost();
		const whole = await ask(target);
		const head = await ask(target, { method: "HEAD", headers });
		expect(head.status).toBe(whole.status);
		const { "x-request-id": _, ...sent } = Object.fromEntries(head.headers);
		const { "x-request-id": __, ...expected } = Object.fromEntries(whole.headers);
		expect(sent).toEqual(expected);
		expect(await head.text()).toBe("");
	});

	test.each([
		[null, LASTING],
		[NOW_MS + 86_700_000, LASTING],
		[NOW_MS + 86_400_000, "public, max-age=300, stale-while-revalidate=60, stale-if-error=86100"],
		[NOW_MS + 340_000, "public, max-age=300, stale-while-revalidate=40, stale-if-error=40"],
		[NOW_MS + 300_000, "public, max-age=300"],
		[NOW_MS + 120_999, "public, max-age=120"],
		[NOW_MS + 1, "public, max-age=0"],
	])("neither fresh nor stale does an answer outlive the image (expires %p)", async (expiresMs, told) => {
		const { ask } = await transformHost({ image: { expiresMs } });
		expect((await ask(".jpg")).headers.get("cache-control")).toBe(told);
	});

	test.each([
		[{ maxAgeSeconds: 60, sharedMaxAgeSeconds: 3_600 }, null, 60, 3_600],
		[{ maxAgeSeconds: 3_600, sharedMaxAgeSeconds: 60 }, null, 3_600, 60],
		[{ maxAgeSeconds: 60, sharedMaxAgeSeconds: 3_600 }, NOW_MS + 90_000, 60, 90],
		[{ maxAgeSeconds: 60, sharedMaxAgeSeconds: 3_600 }, NOW_MS + 30_000, 30, 30],
	])("the caches in front have an age of their own (%p, expires %p)", async (caching, expiresMs, own, shared) => {
		const { ask } = await transformHost({ image: { expiresMs }, caching });
		const { headers } = await ask(".jpg");
		for (const [name, seconds] of [
			["cache-control", own],
			["cdn-cache-control", shared],
		] as const) {
			const [age = 0, ...stale] = (headers.get(name)?.match(/\d+/g) ?? []).map(Number);
			expect([name, age]).toEqual([name, seconds]);
			const left = expiresMs === null ? 86_400 + seconds : (expiresMs - NOW_MS) / 1_000;
			for (const more of stale) expect(age + more).toBeLessThanOrEqual(left);
		}
	});

	test("where every answer is to be asked for anew, an old one is shown only while there is no other", async () => {
		const { ask } = await transformHost({ caching: { maxAgeSeconds: 0 } });
		expect((await ask(".jpg")).headers.get("cache-control")).toBe("public, max-age=0, stale-if-error=86400");
	});

	test("tags name each image that is seen, and their storage, for Fastly in its own header as well", async () => {
		const tile = { ...IMAGE, id: "img_tile000000000000000000", blobKey: "tile.k", format: "png" } as const;
		const tags = [IMAGE.id, tile.id, `t-${IMAGE.teamHash}`];
		const { ask, world } = await transformHost({ caching: { surrogateKeys: true } });
		world.tile = tile;
		const { headers } = await ask(`.jpg?tile=${tile.id}`);
		expect(headers.get("cache-tag")).toBe(tags.join(","));
		expect(headers.get("surrogate-key")).toBe(tags.join(" "));
	});

	test.each([
		["replaced", { image: { ...IMAGE, blobKey: "another.k" } }],
		["forbidden", { app: { ...APP, policy: "signed" as const } }],
	])("what was %s while it was made is kept by no cache that was told before it had it", async (_, change) => {
		const { ask, world, renderer } = await transformHost({ caching: { sharedMaxAgeSeconds: 86_400 } });
		renderer.pace = async () => void Object.assign(world, change);
		const answer = await ask(".jpg?w=100");
		expect([answer.status, answer.headers.get("cdn-cache-control")]).toEqual([200, "max-age=5"]);
		expect(answer.headers.get("cache-control")).toBe("public, max-age=5");
		renderer.pace = async () => undefined;
		const other = await transformHost({ caching: { sharedMaxAgeSeconds: 86_400 } });
		expect((await other.ask(".jpg?w=100")).headers.get("cdn-cache-control")).toStartWith("max-age=86400,");
	});

	test("max-age counts from the answer, not from before a slow render", async () => {
		const { ask, world, renderer } = await transformHost({ image: { expiresMs: NOW_MS + 20_000 } });
		renderer.pace = async () => {
			world.nowMs += 5000;
		};
		expect((await ask(".jpg?w=100")).headers.get("cache-control")).toBe("public, max-age=15");
	});

	test("the uploaded file name is told to nobody [cdn.dl.none]", async () => {
		const { ask } = await transformHost({ image: { filename: "sick-note.pdf.jpg" } });
		for (const query of ["", "?w=9", "?dl=", "?dl=a/b", "?dl=a&dl=b", `?dl=${"x".repeat(101)}`]) {
			expect((await ask(`.jpg${query}`)).headers.get("content-disposition")).toBe(`inline; filename="${IMAGE.id}.jpg"`);
		}
	});

	test.each([
		["summer.JPEG", `attachment; filename="summer.jpg"`],
		["summer", `attachment; filename="summer.jpg"`],
		["archive.tar.png", `attachment; filename="archive.tar.jpg"`],
		["report.exe", `attachment; filename="report.exe.jpg"`],
		[".png", `attachment; filename="${IMAGE.id}.jpg"`],
		['a"b%20.png', `attachment; filename="a_b_20.jpg"; filename*=UTF-8''a%22b%2520.jpg`],
		["größe (1).png", `attachment; filename="gr__e (1).jpg"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%281%29.jpg`],
		["\u202egpj.png", `attachment; filename="_gpj.jpg"`],
	])("dl=%p saves it under that name, and is no other version", async (name, disposition) => {
		const { ask } = await transformHost();
		const { headers } = await ask(`.jpg?dl=${encodeURIComponent(name)}`);
		expect(headers.get("content-disposition")).toBe(disposition);
		expect(headers.get("etag")).toBe((await ask(".jpg")).headers.get("etag") as string);
	});

	test("the ending of a download is that of the format that is sent", async () => {
		const { ask } = await transformHost();
		const { headers } = await ask(".jpg?dl=summer.jpg&format=webp&w=50");
		expect(headers.get("content-disposition")).toBe('attachment; filename="summer.webp"');
	});
});

describe("what the client has already", () => {
	test("304 before any pixel, for a tag that it was never even served", async () => {
		const first = await transformHost();
		const etag = (await first.ask(".jpg?w=100")).headers.get("etag") ?? "";
		const { ask, renderer, meters } = await transformHost();
		const response = await ask(".jpg?w=0100&x=y", { headers: { "If-None-Match": etag } });
		expect(response.status).toBe(304);
		expect(await response.text()).toBe("");
		const { "cache-control": cacheControl, "cache-tag": tag, etag: same } = Object.fromEntries(response.headers);
		expect([cacheControl, tag, same]).toEqual([LASTING, `${IMAGE.id},t-${IMAGE.teamHash}`, etag]);
		expect(renderer.asked).toEqual([]);
		expect(meters.outcomes()).toEqual({ "not-modified": 1 });
	});

	test.each([
		["the tag", (etag: string) => etag, 304],
		["a weak tag", (etag: string) => `W/${etag}`, 304],
		["a list", (etag: string) => `"other", W/"more" ,${etag}`, 304],
		["anything", () => "*", 304],
		["another tag", () => '"other"', 200],
		["an unquoted tag", (etag: string) => etag.slice(1, -1), 200],
		["nothing", () => "", 200],
	])("If-None-Match with %s", async (_, header, status) => {
		const { ask } = await transformHost();
		const etag = (await ask(".jpg")).headers.get("etag") ?? "";
		for (const method of ["GET", "HEAD"]) {
			expect((await ask(".jpg", { method, headers: { "If-None-Match": header(etag) } })).status).toBe(status);
		}
	});

	test.each([
		["the tag", (etag: string) => etag, 200],
		["a list", (etag: string) => `"other", W/"more" ,${etag}`, 200],
		["anything", () => "*", 200],
		["a weak tag", (etag: string) => `W/${etag}`, 412],
		["another tag", () => '"other"', 412],
		["another tag that ends like a weak one", (etag: string) => `"W/", W/${etag}`, 412],
		["an unquoted tag", (etag: string) => etag.slice(1, -1), 412],
		["nothing", () => "", 412],
	])("If-Match with %s", async (_, header, status) => {
		const { ask, renderer } = await transformHost();
		const etag = (await ask(".jpg?w=9")).headers.get("etag") ?? "";
		for (const method of ["GET", "HEAD"]) {
			const answer = await ask(".jpg?w=9", { method, headers: { "If-Match": header(etag) } });
			expect(answer.status).toBe(status);
			if (status === 200) continue;
			expect([answer.headers.get("cache-control"), await answer.text()]).toEqual(["no-store", ""]);
			expect(answer.headers.has("etag")).toBe(false);
		}
		expect(renderer.asked).toEqual(["w=9"]);
	});

	test("If-Match comes before If-None-Match, and both before a range", async () => {
		const { ask, meters } = await transformHost();
		const etag = (await ask(".jpg")).headers.get("etag") ?? "";
		const statusOf = async (headers: Record<string, string>) => (await ask(".jpg", { headers })).status;
		expect(await statusOf({ "If-Match": '"other"', "If-None-Match": etag })).toBe(412);
		expect(await statusOf({ "If-Match": etag, "If-None-Match": etag })).toBe(304);
		expect(await statusOf({ "If-Match": etag, Range: "bytes=0-3" })).toBe(206);
		expect(await statusOf({ "If-Match": '"other"', Range: "bytes=999-" })).toBe(412);
		expect(meters.outcomes()).toMatchObject({ "not-expected": 2 });
	});

	test("an image that is not there is 404, whatever is expected of it", async () => {
		const { ask, world } = await transformHost();
		world.image = undefined;
		for (const expected of ["*", '"other"']) {
			expect((await ask(".jpg", { headers: { "If-Match": expected } })).status).toBe(404);
		}
	});

	test("dates are ignored: there is no Last-Modified", async () => {
		const { ask } = await transformHost();
		const before = "Sat, 01 Jan 2000 00:00:00 GMT";
		const answer = await ask(".jpg", { headers: { "If-Unmodified-Since": before, "If-Modified-Since": before } });
		expect([answer.status, answer.headers.has("last-modified")]).toEqual([200, false]);
	});

	test("what was made without a fact has no version: If-Match takes it by * only", async () => {
		const { ask, finder } = await transformHost();
		const target = ".jpg?w=10&h=10&fit=cover&gravity=face";
		const etag = (await ask(target)).headers.get("etag") ?? "";
		const fresh = await transformHost();
		fresh.finder.pace = () => Promise.reject(new Error("no model"));
		const statusOf = async (expected: string) =>
			(await fresh.ask(target, { headers: { "If-Match": expected } })).status;
		expect(finder.asked.length).toBeGreaterThan(0);
		expect([await statusOf(etag), await statusOf("*")]).toEqual([412, 200]);
	});

	test("tags differ by rendition and by blob", async () => {
		const tags = new Set<string | null>();
		for (const blobKey of ["blob/1", "blob/2"]) {
			const { ask } = await transformHost({ image: { blobKey } });
			for (const target of [".jpg", ".jpg?w=1", ".png", ".jpg?w=1&q=50"])
				tags.add((await ask(target)).headers.get("etag"));
		}
		expect(tags.size).toBe(8);
	});
});

/** Over a real server, which has its own ideas about ranges of files and about lengths. */
describe.each([
	["a stripped original", ".jpg", "0123456789 stripped", true],
	["a rendition", ".jpg?w=100", "pixels of w=100", true],
	["stored bytes on this disk", ".jpg", "0123456789 the stored bytes", true],
	["stored bytes elsewhere", ".jpg", "0123456789 the stored bytes", false],
])("parts of %s", (name, target, whole, local) => {
	let server: ReturnType<typeof Bun.serve> | undefined;
	let url = "";
	beforeAll(async () => {
		const { app, address, renderer } = await transformHost({ local });
		if (name.startsWith("stored")) renderer.stripped = undefined;
		server = Bun.serve({ port: 0, fetch: (request) => app.handle(request) });
		url = `${server.url.origin}${address}${target}`;
	});
	afterAll(() => server?.stop(true));

	test.each([
		["bytes=0-3", 0, 4],
		["bytes=5-5", 5, 6],
		["bytes=4-", 4, undefined],
		["bytes=-4", -4, undefined],
		["bytes=0-9999", 0, undefined],
	])("206 for %s", async (range, from, to) => {
		const response = await fetch(url, { headers: { Range: range } });
		const part = whole.slice(from, to);
		const first = from < 0 ? whole.length + from : from;
		expect(response.status).toBe(206);
		expect(await response.text()).toBe(part);
		expect(response.headers.get("content-range")).toBe(`bytes ${first}-${first + part.length - 1}/${whole.length}`);
		if (local) expect(response.headers.get("content-length")).toBe(String(part.length));
	});

	test.each(["bytes=0-1,3-4", "bytes=4-3", "lines=0-1", "nonsense"])("200 and the whole for %s", async (range) => {
		const response = await fetch(url, { headers: { Range: range } });
		expect([response.status, await response.text()]).toEqual([200, whole]);
		expect(response.headers.has("content-range")).toBe(false);
		if (local) expect(response.headers.get("content-length")).toBe(String(whole.length));
	});

	test.each(["bytes=9999-", "bytes=-0"])("416 for %s", async (range) => {
		const response = await fetch(url, { headers: { Range: range } });
		expect(response.status).toBe(416);
		expect(response.headers.get("content-range")).toBe(`bytes */${whole.length}`);
		expect(response.headers.get("cache-control")).toBe("no-store");
	});

	test("If-Range: the part of this very version, the whole of any other", async () => {
		const etag = (await fetch(url)).headers.get("etag") ?? "";
		const statusOf = async (version: string) =>
			(await fetch(url, { headers: { Range: "bytes=0-3", "If-Range": version } })).status;
		expect(await statusOf(etag)).toBe(206);
		expect(await statusOf('"other"')).toBe(200);
		expect(await statusOf(`W/${etag}`)).toBe(200);
		expect(await statusOf("Sat, 21 Nov 2026 10:00:00 GMT")).toBe(200);
	});

	test("HEAD tells the length", async () => {
		const response = await fetch(url, { method: "HEAD" });
		expect(response.headers.get("content-length")).toBe(String(whole.length));
	});
});
