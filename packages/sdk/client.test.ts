import { afterEach, describe, expect, test } from "bun:test";
import { createClient } from "./client.ts";
import { ApiError, ConnectionError } from "./failure.ts";
import type { ClientOptions } from "./wire/request.ts";

const IMAGE = { id: "img_1", object: "image", url: "http://cdn.test/t/img_1.png" };

interface Seen {
	readonly method: string;
	readonly path: string;
	readonly headers: Headers;
	readonly body: string;
}

type Reply = (request: Request) => Response | Promise<Response>;

const servers: Bun.Server<undefined>[] = [];

afterEach(async () => {
	await Promise.all(servers.splice(0).map((server) => server.stop(true)));
});

function ok(body: unknown, headers: Record<string, string> = {}): Reply {
	return () => Response.json(body, { headers });
}

function refuse(
	status: number,
	code: string,
	more: Record<string, unknown> = {},
	headers: Record<string, string> = {},
) {
	const error = { type: "some_error", code, message: `It was ${code}.`, ...more };
	return () => Response.json({ error }, { status, headers: { "x-request-id": "req_7", ...headers } });
}

/** A real server that plays its replies in order and keeps playing the last one. */
function serve(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
	const seen: Seen[] = [];
	const server = Bun.serve({
		port: 0,
		async fetch(request) {
			const { pathname, search } = new URL(request.url);
			const reply = replies[Math.min(seen.length, replies.length - 1)];
			const { method, headers } = request;
			seen.push({ method, path: pathname + search, headers, body: await request.clone().text() });
			return reply ? reply(request) : new Response("no reply", { status: 500 });
		},
	});
	servers.push(server);
	const baseUrl = `http://127.0.0.1:${server.port}`;
	return {
		seen,
		baseUrl,
		client: createClient({ baseUrl, apiKey: "svc_sk_test_x", fetch: fetchOverBadLine, ...options }),
	};
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
	return promise.then(
		() => undefined,
		(error: unknown) => error,
	);
}

function formOf(seen: Seen | undefined): Promise<FormData> {
	return new Response(seen?.body, { headers: { "content-type": seen?.headers.get("content-type") ?? "" } }).formData();
}

/** The service acts and answers, and the answer is lost on its way. */
const drop = ok({}, { "x-lost": "yes" });

async function fetchOverBadLine(url: string, init: RequestInit): Promise<Response> {
	const response = await fetch(url, init);
	if (response.headers.has("x-lost")) throw new TypeError("the connection was closed");
	return response;
}

describe("requests", () => {
	test("the key and the selected user travel as headers, never in the address [sdk.headers]", async () => {
		const { client, seen } = serve([ok(IMAGE)], { user: "usr_1" });
		await client.images.get("img_1");
		await client.images.get("img_1", { user: "usr_2" });
		await client.images.get("img_1", { user: null });
		expect(seen.map((request) => request.headers.get("x-svc-user"))).toEqual(["usr_1", "usr_2", null]);
		expect(seen[0]?.headers.get("authorization")).toBe("Bearer svc_sk_test_x");
		expect(seen[0]?.path).toBe("/v1/images/img_1");
	});

	test("a blank user is sent and not left out, which would select the App storage [sdk.blank-user]", async () => {
		const { client, seen } = serve([ok(IMAGE)]);
		await client.images.get("img_1", { user: "" });
		expect(seen[0]?.headers.get("x-svc-user")).toBe("");
	});

	test("an id cannot leave its path segment [sdk.id]", async () => {
		const { client, seen } = serve([ok(IMAGE)]);
		await client.images.get("../key?x=1#y");
		expect(seen[0]?.path).toBe("/v1/images/..%2Fkey%3Fx%3D1%23y");
	});

	test("a malformed key is refused without being quoted [sdk.key-secret]", () => {
		const attempt = () => createClient({ baseUrl: "http://localhost", apiKey: "svc_sk_secret\nX-Evil: 1" });
		expect(attempt).toThrow(TypeError);
		expect(attempt).not.toThrow(/svc_sk_secret/);
	});

	test("a redirect is refused, so that the key stays with its address [sdk.redirect]", async () => {
		const elsewhere = serve([ok(IMAGE)]);
		const { client } = serve([() => Response.redirect(`${elsewhere.baseUrl}/v1/images/img_1`, 307)]);
		const error = await failureOf(client.images.get("img_1"));
		expect(error).toBeInstanceOf(ConnectionError);
		expect((error as ConnectionError).reason).toBe("redirect");
		expect(elsewhere.seen).toHaveLength(0);
	});

	test("any call can be made, with query, body and answer facts [sdk.request]", async () => {
		const { client, seen } = serve([ok({ object: "batch_result" }, { "x-storage-used": "7" })]);
		const used: (string | null)[] = [];
		const body = await client.request("PATCH", "/v1/images/batch", {
			query: { a: "b c", flag: null, no: undefined },
			body: { ids: ["img_1"] },
			onAnswer: (answer) => used.push(answer.headers.get("x-storage-used")),
		});
		expect(body).toEqual({ object: "batch_result" });
		expect(used).toEqual(["7"]);
		expect(seen[0]?.path).toBe("/v1/images/batch?a=b%20c&flag");
		expect(seen[0]?.body).toBe('{"ids":["img_1"]}');
		expect(seen[0]?.headers.get("content-type")).toBe("application/json");
	});
});

describe("images", () => {
	test("every option becomes its multipart field, and nothing else is sent [sdk.upload]", async () => {
		const { client, seen } = serve([ok(IMAGE)]);
		await client.images.upload(new Blob(["pixels"]), {
			filename: "cat.png",
			caption: "A cat",
			ttl: "7d",
			publishedAt: new Date(0),
			metadata: { by: "me" },
			labels: { kind: "cat" },
		});
		const form = await formOf(seen[0]);
		const file = form.get("file");
		form.delete("file");
		expect([...form.entries()]).toEqual([
			["caption", "A cat"],
			["published_at", "1970-01-01T00:00:00.000Z"],
			["ttl", "7d"],
			["metadata", '{"by":"me"}'],
			["labels", '{"kind":"cat"}'],
		]);
		expect(file instanceof File ? [file.name, await file.text()] : file).toEqual(["cat.png", "pixels"]);
	});

	test("bytes, buffers, files and streams all arrive [sdk.upload-sources]", async () => {
		const { client, seen } = serve([ok(IMAGE)]);
		const bytes = new TextEncoder().encode("pixels");
		await client.images.upload(bytes);
		await client.images.upload(bytes.buffer);
		await client.images.upload(new Blob([bytes]).stream());
		await client.images.upload(new File([bytes], "own.png"));
		const names = await Promise.all(
			seen.map(async (request) => {
				const file = (await formOf(request)).get("file");
				return file instanceof File ? `${file.name}=${await file.text()}` : "none";
			}),
		);
		expect(names).toEqual(["image=pixels", "image=pixels", "image=pixels", "own.png=pixels"]);
	});

	test("an import is JSON with the given fields only [sdk.import]", async () => {
		const { client, seen } = serve([ok(IMAGE)]);
		await client.images.import("https://pics.test/a.png", { labels: { kind: "cat" } });
		expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ url: "https://pics.test/a.png", labels: { kind: "cat" } });
	});

	test("an update sends the changes that were given, null and all, and nothing else [sdk.update]", async () => {
		const { client, seen } = serve([ok(IMAGE)]);
		await client.images.update("img_1", {
			caption: null,
			publishedAt: new Date(0),
			ttl: null,
			metadata: { by: null },
			labels: { kind: "cat" },
			ifLabels: { kind: "dog" },
		});
		await client.images.update("img_1", { caption: undefined, public: false }, { user: "usr_1" });
		expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(2).fill("PATCH /v1/images/img_1"));
		expect(seen.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
			{
				caption: null,
				published_at: "1970-01-01T00:00:00.000Z",
				ttl: null,
				metadata: { by: null },
				labels: { kind: "cat" },
				if_labels: { kind: "dog" },
			},
			{ public: false },
		]);
		expect(seen[1]?.headers.get("x-svc-user")).toBe("usr_1");
	});

	test("a batch is one call, and its failures are no exception [sdk.many]", async () => {
		const result = { object: "batch_result", data: [], errors: [{ id: "b", error: { code: "media_locked" } }] };
		const { client, seen } = serve([() => Response.json(result, { status: 207 })]);
		expect(await client.images.updateMany(["a", "b"], { caption: "x" })).toEqual(result as never);
		expect(await client.images.deleteMany(["a", "b"])).toEqual(result as never);
		expect(seen.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
			'PATCH /v1/images/batch {"ids":["a","b"],"caption":"x"}',
			'DELETE /v1/images/batch {"ids":["a","b"]}',
		]);
	});

	test("label filters are equality, IN and absence [sdk.filter]", async () => {
		const { client, seen } = serve([ok({ data: [], pagination: { next_cursor: null } })]);
		await client.images.list({ labels: { kind: ["cat", "dog"], size: "xl", draft: null }, limit: 3 });
		expect(decodeURIComponent(seen[0]?.path ?? "")).toBe(
			"/v1/images?label[kind]=cat,dog&label[size]=xl&label[!draft]&limit=3",
		);
	});

	test("an empty list of ids is sent and never becomes the list of everything [sdk.empty-ids]", async () => {
		const { client, seen } = serve([ok({ data: [], pagination: { next_cursor: null } })]);
		await client.images.list({ ids: [] });
		expect(seen[0]?.path).toBe("/v1/images?ids=");
	});

	test("all images of all pages come, with one filter for the whole walk [sdk.pages]", async () => {
		const page = (ids: string[], next_cursor: string | null) =>
			ok({
				object: "list",
				data: ids.map((id) => ({ id })),
				pagination: { has_more: next_cursor !== null, next_cursor },
			});
		const { client, seen } = serve([page(["a", "b"], "c1"), page(["c"], null)]);
		const ids: string[] = [];
		for await (const image of client.images.all({ labels: { kind: "cat" }, limit: 2 })) ids.push(image.id);
		expect(ids).toEqual(["a", "b", "c"]);
		expect(seen.map((request) => decodeURIComponent(request.path))).toEqual([
			"/v1/images?label[kind]=cat&limit=2",
			"/v1/images?label[kind]=cat&limit=2&cursor=c1",
		]);
	});
});

describe("failures", () => {
	test("an error answer keeps code, details, action, wait and request id [sdk.api-error]", async () => {
		const action = { type: "wait", retry_after: 90 };
		const { client } = serve([refuse(422, "validation_error", { details: { ttl: ["is too short"] }, action })]);
		const error = await failureOf(client.images.get("img_1"));
		expect(error).toBeInstanceOf(ApiError);
		const { status, code, type, message, details, retryAfterSeconds, requestId } = error as ApiError;
		expect({ status, code, type, message, details, retryAfterSeconds, requestId }).toEqual({
			status: 422,
			code: "validation_error",
			type: "some_error",
			message: "It was validation_error.",
			details: { ttl: ["is too short"] },
			retryAfterSeconds: 90,
			requestId: "req_7",
		});
		expect((error as ApiError).action).toEqual(action);
	});

	test("an error page of a proxy is still an ApiError with its status [sdk.foreign-error]", async () => {
		const { client } = serve([() => new Response("<h1>Forbidden</h1>", { status: 403 })]);
		const error = await failureOf(client.usage.get());
		expect(error).toBeInstanceOf(ApiError);
		expect((error as ApiError).status).toBe(403);
	});

	test("broken JSON is a ConnectionError and not a SyntaxError [sdk.malformed]", async () => {
		const { client } = serve([() => new Response("{", { headers: { "content-type": "application/json" } })]);
		expect(((await failureOf(client.usage.get())) as ConnectionError).reason).toBe("malformed");
	});

	test("a silent service ends in a ConnectionError after the timeout, body included [sdk.timeout]", async () => {
		const silent: Reply = () => new Promise(() => undefined);
		const stalled: Reply = () =>
			new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) }));
		for (const reply of [silent, stalled]) {
			const { client } = serve([reply], { timeoutMs: 60, retries: 0 });
			expect(((await failureOf(client.key.get())) as ConnectionError).reason).toBe("timeout");
		}
	});

	test("a call ends with the time that is left for it, whatever its tries would take [sdk.left]", async () => {
		const silent: Reply = () => new Promise(() => undefined);
		// Longer than a test may run: it would have no end.
		const slow = serve([silent], { leftMs: () => 300, timeoutMs: 600_000 });
		expect(((await failureOf(slow.client.key.get())) as ConnectionError).reason).toBe("timeout");
		expect(slow.seen).toHaveLength(1);
		const busy = serve([refuse(503, "server_error", {}, { "retry-after": "5" })], { leftMs: () => 1_000 });
		expect(((await failureOf(busy.client.key.get())) as ApiError).status).toBe(503);
		expect(busy.seen).toHaveLength(1);
	});

	test("an abort rejects with its own reason, also while waiting for a retry [sdk.abort]", async () => {
		const busy = refuse(503, "server_error", {}, { "retry-after": "30" });
		for (const reply of [busy, () => new Promise<Response>(() => undefined)]) {
			const { client, seen } = serve([reply]);
			const controller = new AbortController();
			const reason = new Error("enough");
			setTimeout(() => controller.abort(reason), 60);
			expect(await failureOf(client.key.get({ signal: controller.signal }))).toBe(reason);
			expect(seen).toHaveLength(1);
		}
	});
});

describe("retries", () => {
	test("a safe call is repeated after 429, 503 and a lost connection [sdk.retry-get]", async () => {
		const busy = [refuse(429, "rate_limited"), refuse(503, "app_context_unavailable"), drop];
		const { client, seen } = serve([...busy, ok(IMAGE)]);
		expect((await client.images.get("img_1")).id).toBe("img_1");
		expect(seen).toHaveLength(4);
	});

	test("the service's own wait is honoured [sdk.retry-after]", async () => {
		const { client } = serve([refuse(429, "rate_limited", {}, { "retry-after": "1" }), ok(IMAGE)]);
		const started = performance.now();
		await client.images.get("img_1");
		expect(performance.now() - started).toBeGreaterThanOrEqual(990);
	});

	test("a wait of minutes is told to the caller instead of waited for [sdk.retry-too-long]", async () => {
		const { client, seen } = serve([refuse(429, "rate_limited", {}, { "retry-after": "600" })]);
		expect(((await failureOf(client.key.get())) as ApiError).retryAfterSeconds).toBe(600);
		expect(seen).toHaveLength(1);
	});

	test("a create repeats its body and its Idempotency-Key [sdk.retry-create]", async () => {
		const busy = [
			refuse(500, "upload_failed"),
			refuse(409, "idempotency_key_in_progress"),
			refuse(503, "create_outcome_ambiguous"),
		];
		const { client, seen } = serve([...busy, ok(IMAGE)]);
		await client.images.upload(new Blob(["pixels"]));
		expect(new Set(seen.map((request) => request.headers.get("idempotency-key"))).size).toBe(1);
		expect(seen[0]?.headers.get("idempotency-key")).toMatch(/^[0-9a-f-]{36}$/);
		const files = await Promise.all(seen.map(async (request) => (await formOf(request)).get("file")));
		expect(await Promise.all(files.map((file) => (file instanceof Blob ? file.text() : "")))).toEqual(
			Array(4).fill("pixels"),
		);
	});

	test("two creates have two keys, and a given key is used as it is [sdk.own-key]", async () => {
		const { client, seen } = serve([ok(IMAGE)]);
		await client.images.import("https://pics.test/a.png");
		await client.images.import("https://pics.test/a.png");
		await client.images.import("https://pics.test/a.png", { idempotencyKey: "mine" });
		const keys = seen.map((request) => request.headers.get("idempotency-key"));
		expect(new Set(keys).size).toBe(3);
		expect(keys[2]).toBe("mine");
	});

	test("what could be done twice, and what will not get better, is sent once [sdk.no-retry]", async () => {
		const post = serve([refuse(503, "server_error")]);
		await failureOf(post.client.request("POST", "/v1/apps", { body: {} }));
		const patch = serve([refuse(503, "server_error")]);
		await failureOf(patch.client.request("PATCH", "/v1/images/img_1", { body: {} }));
		const get = serve([refuse(500, "server_error")]);
		await failureOf(get.client.key.get());
		const create = serve([refuse(409, "idempotency_key_conflict")]);
		await failureOf(create.client.images.import("https://pics.test/a.png"));
		expect([post, patch, get, create].map(({ seen }) => seen.length)).toEqual([1, 1, 1, 1]);
	});

	test("the last failure is thrown when the tries are used up [sdk.retries]", async () => {
		const { client, seen } = serve([refuse(503, "server_error")], { retries: 1 });
		expect(((await failureOf(client.key.get())) as ApiError).code).toBe("server_error");
		expect(seen).toHaveLength(2);
	});

	test("after a lost answer a 404 means that the image is gone, which was asked for [sdk.delete-lost]", async () => {
		const { client } = serve([drop, refuse(404, "not_found")]);
		expect(await client.images.delete("img_1")).toEqual({ id: "img_1", object: "image", deleted: true });
	});

	test("a batch delete is repeated after a lost answer; an update is not, since its condition may have moved [sdk.delete-many-lost]", async () => {
		const result = { object: "batch_result", data: [], errors: [] };
		const removal = serve([drop, ok(result)]);
		expect(await removal.client.images.deleteMany(["a"])).toEqual(result as never);
		const update = serve([drop, ok(IMAGE)]);
		expect(await failureOf(update.client.images.update("a", {}))).toBeInstanceOf(ConnectionError);
		expect([removal.seen.length, update.seen.length]).toEqual([2, 1]);
	});

	test("a first 404, and one after a refusal that did nothing, is an error [sdk.delete-404]", async () => {
		for (const replies of [[refuse(404, "not_found")], [refuse(429, "rate_limited"), refuse(404, "not_found")]]) {
			const { client } = serve(replies);
			expect(((await failureOf(client.images.delete("img_1"))) as ApiError).code).toBe("not_found");
		}
	});
});
