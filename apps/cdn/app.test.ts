import { afterAll, describe, expect, test } from "bun:test";
import { IMAGE, MASTER, NOW_MS, removeFolders, transformHost } from "@svc/test/support/transform-host";

const text = async (response: Response | Promise<Response>) => (await response).text();

afterAll(removeFolders);

describe("finding", () => {
	test("200 without a key, with a wrong one, and with cookies [cdn.no-auth]", async () => {
		const { ask } = await transformHost();
		expect((await ask(".jpg")).status).toBe(200);
		const response = await ask(".jpg", { headers: { Authorization: "Bearer wrong", Cookie: "a=b" } });
		expect(response.status).toBe(200);
		expect(response.headers.has("set-cookie")).toBe(false);
	});

	const absent: [string, string][] = [
		["an unknown id", `/${IMAGE.teamHash}/unknown.png`],
		["an unknown team hash", `/wronghash/${IMAGE.id}.png`],
		["an unknown extension", `/${IMAGE.teamHash}/${IMAGE.id}.tiff`],
		["a format no photograph has", `/${IMAGE.teamHash}/${IMAGE.id}.svg`],
		["another path", "/favicon.ico"],
		["the root", "/"],
		["a broken escape", "/%zz/%ff.png"],
	];

	test.each(absent)(
		"404 for %s, the same for every cause [cdn.404-unknown-id, cdn.404-unknown-hash]",
		async (_, target) => {
			const { ask, renderer, meters } = await transformHost();
			const response = await ask(target);
			expect(response.status).toBe(404);
			expect(Object.fromEntries(response.headers)).toEqual({
				"access-control-allow-origin": "*",
				"access-control-expose-headers": "*",
				"cache-control": "no-store",
				"content-length": "102",
				"content-security-policy": "default-src 'none'; sandbox",
				"content-type": "application/json; charset=utf-8",
				"cross-origin-resource-policy": "cross-origin",
				"timing-allow-origin": "*",
				"x-content-type-options": "nosniff",
				"x-request-id": expect.stringMatching(/^req_\w{22}$/),
			});
			expect(await response.json()).toEqual({
				error: { type: "invalid_request_error", code: "not_found", message: "There is no such thing here." },
			});
			expect(renderer.asked).toEqual([]);
			expect(meters.outcomes()).toEqual({ "not-found": 1 });
		},
	);

	test("404 from the next request on for an image that was deleted or blocked, or has expired, though it is cached", async () => {
		const { ask, world, image } = await transformHost({ image: { expiresMs: NOW_MS + 60_000 } });
		const responses = async () => [(await ask(".jpg")).status, (await ask(".jpg?w=100")).status];
		expect(await responses()).toEqual([200, 200]);
		world.image = { ...image, status: "blocked" };
		expect(await responses()).toEqual([404, 404]);
		world.image = image;
		expect(await responses()).toEqual([200, 200]);
		world.nowMs = NOW_MS + 60_000;
		expect(await responses()).toEqual([404, 404]);
	});

	test("404 also to a client that has the image already", async () => {
		const { ask, world } = await transformHost();
		const etag = (await ask(".jpg")).headers.get("etag") ?? "";
		world.image = undefined;
		expect((await ask(".jpg", { headers: { "If-None-Match": etag } })).status).toBe(404);
	});
});

describe("what is made", () => {
	test("no parameters: the stripped master, made once", async () => {
		const { ask, renderer, meters } = await transformHost();
		expect(await text(ask(".jpg"))).toBe("0123456789 stripped");
		expect(await text(ask(".jpg?unknown=1"))).toBe("0123456789 stripped");
		expect(renderer.asked).toEqual(["strip"]);
		expect(meters.outcomes()).toEqual({ rendered: 1, "hit-memory": 1 });
	});

	test.each([
		{ local: true, outcomes: { original: 3 } },
		// From elsewhere they are fetched once.
		{ local: false, outcomes: { rendered: 1, "hit-memory": 2 } },
	])("nothing to strip: the stored bytes, looked through once (on this disk: $local)", async ({ local, outcomes }) => {
		const { ask, renderer, meters } = await transformHost({ local });
		renderer.stripped = undefined;
		for (let visit = 0; visit < 3; visit++) expect(await (await ask(".jpg")).bytes()).toEqual(MASTER);
		expect(renderer.asked).toEqual(["strip"]);
		expect(meters.outcomes()).toEqual(outcomes);
	});

	test("one rendition for every order and spelling of the same wish [cdn.order-irrelevant]", async () => {
		const { ask, renderer } = await transformHost();
		const bodies = await Promise.all(
			["?w=100&h=50", "?h=50&w=100", "?w=100&h=50&fit=scale-down&x=y", "?h=50&w=0100&blur=0&q=101"].map((query) =>
				text(ask(`.jpg${query}`)),
			),
		);
		expect(new Set(bodies)).toEqual(new Set(["pixels of w=100"]));
		expect(renderer.asked).toEqual(["w=100"]);
	});

	test("each address has its own rendition, and keeps it [cdn.cached-per-url]", async () => {
		const { ask, renderer } = await transformHost();
		for (let visit = 0; visit < 2; visit++) {
			expect(await text(ask(".jpg?w=100"))).toBe("pixels of w=100");
			expect(await text(ask(".jpg?w=200"))).toBe("pixels of w=200");
		}
		expect(renderer.asked).toEqual(["w=100", "w=200"]);
	});

	test("an earlier process's rendition is served from the disk", async () => {
		const first = await transformHost();
		await first.ask(".jpg?w=100");
		while (first.cache.entries === 0) await new Promise(setImmediate);
		const second = await transformHost({ dir: first.dir });
		expect(await text(second.ask(".jpg?w=100"))).toBe("pixels of w=100");
		expect(second.meters.outcomes()).toEqual({ "hit-disk": 1 });
	});

	test.each([
		[".jpg", "image/jpeg", "jpg"],
		[".jpeg", "image/jpeg", "jpg"],
		[".png", "image/png", "png"],
		[".webp?w=10", "image/webp", "webp"],
		[".png?format=webp", "image/webp", "webp"],
		[".png?format=jpg", "image/jpeg", "jpg"],
		[".png?format=tiff", "image/png", "png"],
		[".jpg?format=avif", "image/avif", "avif"],
		[".jpg?format=gif", "image/gif", "gif"],
	])("%s is %s", async (target, contentType, ending) => {
		const { ask } = await transformHost();
		const response = await ask(target);
		expect(response.headers.get("content-type")).toBe(contentType);
		expect(response.headers.get("content-disposition")).toBe(`inline; filename="${IMAGE.id}.${ending}"`);
	});

	test("a card of a PNG is a JPEG, unless the format says otherwise", async () => {
		const { ask } = await transformHost({ image: { format: "png" } });
		const typeOf = async (target: string) => (await ask(target)).headers.get("content-type");
		expect(await typeOf(".png?size=social")).toBe("image/jpeg");
		expect(await typeOf(".png?size=social&format=png")).toBe("image/png");
		expect(await typeOf(".webp?size=social")).toBe("image/webp");
	});

	test("what cannot be rendered is served under its own name, whatever is asked", async () => {
		const { ask, renderer } = await transformHost({ image: { format: "svg" } });
		const response = await ask(".svg?w=100&format=png");
		expect(response.headers.get("content-type")).toBe("image/svg+xml");
		expect((await ask(".png")).status).toBe(404);
		expect(renderer.asked).toEqual(["strip"]);
	});

	test("the whole query is ignored past 16 KB", async () => {
		const { ask } = await transformHost();
		expect(await text(ask(`.jpg?w=100&${"x".repeat(20_000)}`))).toBe("0123456789 stripped");
	});
});

describe("the request's id", () => {
	test("is on every answer, and on each another one", async () => {
		const { ask, renderer } = await transformHost();
		const first = await ask(".jpg?w=1");
		const etag = first.headers.get("etag") ?? "";
		const answers = [
			first,
			await ask(".jpg?w=1"),
			await ask(".jpg?w=1", { method: "HEAD" }),
			await ask(".jpg?w=1", { headers: { "If-None-Match": etag } }),
			await ask(".jpg?w=1", { headers: { "If-Match": '"other"' } }),
			await ask(".jpg?w=1", { headers: { Range: "bytes=0-1" } }),
			await ask(".jpg?w=1", { headers: { Range: "bytes=999-" } }),
			await ask("/nowhere"),
			await ask(".jpg", { method: "OPTIONS" }),
			await ask(".jpg", { method: "POST" }),
		];
		renderer.pace = () => Promise.reject(new Error("no"));
		answers.push(await ask(".jpg?w=2"));
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 304, 412, 206, 416, 404, 204, 405, 500]);
		const ids = answers.map(({ headers }) => headers.get("x-request-id"));
		for (const id of ids) expect(id).toMatch(/^req_\w{22}$/);
		expect(new Set(ids).size).toBe(answers.length);
	});
});

describe("other methods", () => {
	test.each(["POST", "PUT", "PATCH", "DELETE", "PROPFIND"])("405 for %s", async (method) => {
		const { ask } = await transformHost();
		const response = await ask(".jpg", { method });
		expect(response.status).toBe(405);
		expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
		expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", code: "bad_request" } });
	});

	test("204 for OPTIONS, telling nothing about the image", async () => {
		const { ask } = await transformHost();
		for (const target of [".jpg", "/nowhere"]) {
			const response = await ask(target, { method: "OPTIONS" });
			expect(response.status).toBe(204);
			expect(response.headers.get("access-control-allow-origin")).toBe("*");
			expect(response.headers.get("access-control-allow-methods")).toBe("GET, HEAD, OPTIONS");
		}
	});
});

test("gauges tell of the gate and the cache", async () => {
	const { ask, meters, cache } = await transformHost();
	await ask(".jpg?w=100");
	while (cache.entries === 0) await new Promise(setImmediate);
	const read = Object.fromEntries([...meters.gauges].map(([name, gauge]) => [name, gauge()]));
	expect(read).toEqual({
		svc_cdn_gate_running: 0,
		svc_cdn_gate_waiting: 0,
		svc_cdn_shed_total: 0,
		svc_cdn_abandoned_total: 0,
		svc_cdn_cache_bytes: 4096,
		svc_cdn_cache_small_bytes: 0,
		svc_cdn_cache_hot_bytes: 1024 + "pixels of w=100".length,
		svc_cdn_cache_entries: 1,
		svc_cdn_remakes_waiting: 0,
	});
	expect(meters.observed).toEqual(["svc_cdn_render_seconds"]);
});
