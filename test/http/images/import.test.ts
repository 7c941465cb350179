import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { apiApp } from "@svc/api/app";
import { safeImporter } from "@svc/import/safe-fetch";
import type { Image } from "@svc/sdk/shapes";
import { type Origin, startOrigin } from "../../support/origin.ts";
import { noise, plain } from "../../support/pictures.ts";
import { errorOf, headersOf, importImage } from "../../support/requests.ts";
import { changedRoom, type OpenService, openService } from "../../support/service.ts";

let service: OpenService;
let origin: Origin;
let hidden: Origin;

beforeAll(async () => {
	const picture = await plain(30, 20, "jpeg");
	const oversized = new Uint8Array(20_000_001);
	oversized.set(await noise(100, 100));
	const pages: Record<string, Uint8Array | string> = {
		"/dir/dog.jpg?x=1": picture,
		"/dir/": picture,
		"/a%20b%2Fc.jpg": picture,
		"/oversized.jpg": oversized,
		"/page.html": "<!doctype html><p>hello",
		"/garbage.jpg": "garbage",
	};
	const to = (location: string) => (response: ServerResponse) => response.writeHead(302, { Location: location }).end();
	const answerNotFound = (response: ServerResponse) => response.writeHead(404).end();
	const faults: Record<string, (response: ServerResponse) => unknown> = {
		"/to-hidden": (response) => to(hidden.url("/secret.jpg"))(response),
		"/to-metadata": to("http://169.254.169.254/latest"),
		"/hop": to("/dir/"),
		"/500": (response) => response.writeHead(500).end(),
		"/broken": (response) => response.socket?.end("nonsense\r\n\r\n"),
		"/cut": (response) =>
			response.writeHead(200, { "Content-Length": "1000" }).write("abc", () => response.socket?.destroy()),
		"/stall": () => undefined,
	};
	hidden = await startOrigin((_, response) => response.end(picture));
	origin = await startOrigin((request, response) => {
		const page = pages[request.url ?? ""];
		if (page === undefined) (faults[request.url ?? ""] ?? answerNotFound)(response);
		else response.end(page);
	});
	service = await openService({ SVC_IMPORT_ALLOW: origin.host });
});
afterAll(async () => {
	origin.stop();
	hidden.stop();
	await service.close();
});

const importing = (body: object) => importImage(service, body);

async function imported(body: object): Promise<Image> {
	const response = await importing(body);
	if (response.status !== 201) throw new Error(await response.text());
	return (await response.json()) as Image;
}

async function imagesHeld(): Promise<number> {
	const usage = (await (await service.api("/v1/usage")).json()) as { totals: { images_stored: number } };
	return usage.totals.images_stored;
}

describe("an import that succeeds", () => {
	test("201, named after its path, with its source [create.content-type-selects, create.json.url-required, image.fields.filename-import, image.metadata.source_url]", async () => {
		const url = origin.url("/dir/dog.jpg?x=1");
		expect(await imported({ url })).toMatchObject({
			filename: "dog.jpg",
			format: "jpg",
			width: 30,
			height: 20,
			metadata: { source_url: url },
		});
		expect((await imported({ url: origin.url("/a%20b%2Fc.jpg") })).filename).toBe("c.jpg");
		const unnamed = await imported({ url: origin.url("/dir/") });
		expect(unnamed.filename).toBe(`${unnamed.id}.jpg`);
		expect((await imported({ url: origin.url("/hop") })).metadata.source_url).toBe(origin.url("/hop"));
	});

	test("JSON takes the fields [create.json.ttl, create.json.caption, create.json.published_at, create.json.metadata, create.json.labels, create.ttl.json-null, create.ttl.never]", async () => {
		const url = origin.url("/dir/dog.jpg?x=1");
		const image = await imported({
			url,
			ttl: "7d",
			caption: "x",
			published_at: "2024-01-02T03:04:05Z",
			metadata: { a: "b" },
			labels: { k: "v" },
		});
		expect(image).toMatchObject({
			caption: "x",
			published_at: "2024-01-02T03:04:05.000Z",
			metadata: { a: "b", source_url: url },
			labels: { k: "v" },
		});
		expect(Date.parse(String(image.expires_at)) - Date.parse(image.created_at)).toBe(7 * 86_400_000);
		expect((await imported({ url, ttl: null })).expires_at).toBeNull();
		expect((await imported({ url, ttl: "never" })).expires_at).toBeNull();
		expect((await imported({ url, published_at: 1_700_000_000, ttl: 300 })).published_at).toBe(
			"2023-11-14T22:13:20.000Z",
		);
	});

	test("the Image's own names are ignored; source_url comes on top of 50 keys [create.rule1.image-fields-ignored]", async () => {
		const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, "v"]));
		const image = await imported({
			url: origin.url("/dir/dog.jpg?x=1"),
			id: "x",
			sizes: {},
			nsfw: true,
			status: "failed",
			object: "y",
			metadata,
		});
		expect(image).toMatchObject({ object: "image", status: "ready", nsfw: false });
		expect(Object.keys(image.metadata)).toHaveLength(51);
	});
});

describe("an import that is refused", () => {
	test("422 names the fields, before anything is fetched [create.json.url-required, create.rule1.unknown-field, create.json.metadata, create.json.labels, create.rejected-stores-nothing]", async () => {
		const asked = origin.asked.length;
		const url = origin.url("/dir/dog.jpg?x=1");
		for (const [body, fields] of [
			[{}, ["url"]],
			[{ url: "not a uri" }, ["url"]],
			[{ url: 5 }, ["url"]],
			[{ url, foo: 1 }, ["foo"]],
			[{ url, metadata: "{}" }, ["metadata"]],
			[{ url, labels: "{}" }, ["labels"]],
			[{ url, ttl: "" }, ["ttl"]],
			[{ url, caption: null, published_at: null }, ["caption", "published_at"]],
		] as const) {
			expect(await errorOf(await importing(body))).toMatchObject({
				status: 422,
				code: "validation_error",
				fields: [...fields],
			});
		}
		expect(origin.asked).toHaveLength(asked);
	});

	test("private, local and foreign-scheme addresses give 422 under url [import.disallowed-destination, create.json.url-public]", async () => {
		for (const url of [
			"http://127.0.0.1/",
			"http://169.254.169.254/",
			"file:///etc/passwd",
			hidden.url("/secret.jpg"),
			"http://[::1]/",
			"http://localhost/",
			"http://10.0.0.1/",
			"http://2130706433/",
		]) {
			expect(await errorOf(await importing({ url }))).toMatchObject({
				status: 422,
				code: "validation_error",
				fields: ["url"],
			});
		}
		expect(hidden.asked).toEqual([]);
	});

	test("so do redirects to them [import.disallowed-redirect]", async () => {
		for (const path of ["/to-hidden", "/to-metadata"]) {
			expect(await errorOf(await importing({ url: origin.url(path) }))).toMatchObject({ status: 422, fields: ["url"] });
		}
		expect(hidden.asked).toEqual([]);
	});

	test("what was fetched is judged under file [create.file-error.import-details-file, create.multipart.file-max-bytes]", async () => {
		for (const path of ["/oversized.jpg", "/page.html", "/garbage.jpg"]) {
			expect(await errorOf(await importing({ url: origin.url(path) }))).toMatchObject({
				status: 422,
				code: "validation_error",
				fields: ["file"],
			});
		}
	});

	test("502 fetch_failed, and nothing is stored [import.upstream-unavailable, import.upstream-invalid, create.rejected-stores-nothing, errors.type.processing_error]", async () => {
		const before = await imagesHeld();
		for (const path of ["/500", "/404", "/broken", "/cut"]) {
			expect(await errorOf(await importing({ url: origin.url(path) }))).toMatchObject({
				status: 502,
				type: "processing_error",
				code: "fetch_failed",
			});
		}
		expect(await imagesHeld()).toBe(before);
	});

	test("504 fetch_failed when the one deadline passes (shortened here; its default is 30 s) [import.timeout-30s]", async () => {
		const importer = safeImporter({ allow: [origin.host], deadlineMs: 200 });
		const app = apiApp(changedRoom(service.rooms, "images", { importer }), service.version.api);
		const request = new Request("http://localhost:3000/v1/images", {
			method: "POST",
			headers: { ...headersOf(service), "Content-Type": "application/json" },
			body: JSON.stringify({ url: origin.url("/stall") }),
		});
		expect(await errorOf(await app.handle(request))).toMatchObject({
			status: 504,
			type: "processing_error",
			code: "fetch_failed",
		});
	});

	test("JSON that cannot be read is 400 bad_request", async () => {
		const post = async (body: string, type = "application/json") => {
			const headers = { ...headersOf(service), "Content-Type": type };
			return errorOf(await service.api("/v1/images", { method: "POST", body, headers }));
		};
		for (const body of [
			"",
			"{",
			"[]",
			"null",
			'"x"',
			"[".repeat(100_000),
			`{"url":${"[".repeat(40)}${"]".repeat(40)}}`,
			`{"url":"${"x".repeat(600_000)}"}`,
		]) {
			expect(await post(body)).toMatchObject({ status: 400, code: "bad_request" });
		}
		expect(await post("{}", "application/json; charset=utf-8")).toMatchObject({ status: 422 });
	});
});
