import { describe, expect, test } from "bun:test";
import { apiApp } from "@svc/api/app";
import type { ApiRooms } from "@svc/api/kit/rooms";
import { Failure } from "@svc/base/failure";
import { plain } from "../../support/pictures.ts";
import { errorOf, form, headersOf, send, uploaded } from "../../support/requests.ts";
import { changedRoom, serviceFor } from "../../support/service.ts";

const service = serviceFor();
const file = await plain(6, 6);

/** The API over images of which a part is broken. */
function broken(parts: Partial<ApiRooms["images"]>) {
	return askedOf(changedRoom(service.rooms, "images", parts));
}

function askedOf(rooms: ApiRooms) {
	const app = apiApp(rooms, service.version.api);
	return (path: string, init: RequestInit = {}) =>
		app.handle(
			new Request(`http://localhost:3000${path}`, { ...init, headers: { ...headersOf(service), ...init.headers } }),
		);
}

const boom = () => Promise.reject(new Error("SECRET INNARDS"));
const post = () => ({ method: "POST", body: form(file, "a.png") });

async function stored(): Promise<number> {
	const usage = (await (await service.api("/v1/usage")).json()) as { totals: { images_stored: number } };
	return usage.totals.images_stored;
}

describe("the envelope", () => {
	test("one object, JSON, details only where fields are wrong [errors.body-single-object, errors.type, errors.code, errors.message, errors.details-optional, errors.details-shape, errors.action-optional, endpoints.json-bodies]", async () => {
		const missing = await service.api("/v1/images/img_x");
		expect(missing.headers.get("Content-Type")).toBe("application/json");
		expect(await missing.json()).toEqual({
			error: { type: "invalid_request_error", code: "not_found", message: "There is no such thing here." },
		});
		const wrong = await service.api("/v1/images?limit=0");
		expect(await wrong.json()).toEqual({
			error: {
				type: "invalid_request_error",
				code: "validation_error",
				message: expect.any(String) as string,
				details: { limit: ["must be a whole number from 1 to 100"] },
			},
		});
		expect(wrong.headers.has("Retry-After")).toBe(false);
	});

	test("successes carry neither error nor action [errors.success-clean]", async () => {
		const image = await uploaded(service, file);
		for (const path of ["/v1/images", `/v1/images/${image.id}`, "/v1/usage", "/v1/key"]) {
			const body = (await (await service.api(path)).json()) as object;
			expect(Object.keys(body)).not.toContain("error");
			expect(Object.keys(body)).not.toContain("action");
		}
	});

	test("every answer has an id of its own", async () => {
		const ids = await Promise.all([1, 2].map(async () => (await service.api("/v1/usage")).headers.get("X-Request-Id")));
		expect(new Set(ids).size).toBe(2);
		expect(ids[0]).toMatch(/^req_/);
	});

	test("unknown addresses are 404 and known ones with another method 405 with Allow", async () => {
		for (const path of ["/v1/apps/presets", "/v1/apps/app_x/users/me"]) {
			expect(await errorOf(await send(service, "POST", path))).toMatchObject({ status: 404, code: "not_found" });
		}
		for (const path of ["/v1/nothing", "/v1", "/v2/images", "/images"]) {
			expect(await errorOf(await service.api(path))).toMatchObject({ status: 404, code: "not_found" });
		}
		for (const [method, path, allow] of [
			["PUT", "/v1/images", "GET, POST"],
			["POST", "/v1/images/img_x", "DELETE, GET, PATCH"],
			["DELETE", "/v1/usage", "GET"],
			["POST", "/v1/images/batch", "DELETE, PATCH"],
		] as const) {
			const answer = await send(service, method, path);
			expect(answer.headers.get("Allow")).toBe(allow);
			expect(await errorOf(answer)).toMatchObject({ status: 405, code: "bad_request" });
		}
	});

	test("the API lives under /v1 of its own address alone [versioning.v1-prefix, endpoints.base-url]", async () => {
		expect((await service.api("/v1/images")).status).toBe(200);
		for (const url of [
			"http://localhost:3000/images",
			"http://localhost:3001/v1/images",
			"http://localhost:3000/v2/images",
		]) {
			expect((await service.open(url, { headers: headersOf(service) })).status).toBe(404);
		}
	});

	test("an unknown Host is refused before any routing", async () => {
		for (const host of ["evil.example", "localhost:3000.evil.example", "localhost", ""]) {
			const answer = await service.handle(
				new Request("http://localhost:3000/v1/usage", { headers: { Host: host, ...headersOf(service) } }),
			);
			expect(await errorOf(answer)).toMatchObject({ status: 421, code: "bad_request" });
		}
	});
});

describe("failures of ours", () => {
	test("500 server_error tells nothing of its cause, which is logged with the request id [errors.code.server_error-500, errors.type.api_error]", async () => {
		const answer = await broken({ store: { ...service.rooms.images.store, list: boom } })("/v1/images");
		const id = answer.headers.get("X-Request-Id");
		const text = await answer.clone().text();
		expect(await errorOf(answer)).toMatchObject({ status: 500, type: "api_error", code: "server_error" });
		expect(text).not.toContain("INNARDS");
		const line = service.log.lines.find(
			({ facts }) => (facts as { request_id?: string }).request_id === id && "cause" in (facts as object),
		);
		expect(line?.facts).toMatchObject({ cause: { message: "SECRET INNARDS" } });
	});

	test("500 upload_failed when the bytes cannot be stored; the same request works afterwards [errors.code.upload_failed, create.rejected-stores-nothing]", async () => {
		const before = await stored();
		for (const blobs of [
			{ ...service.rooms.images.blobs, put: boom },
			{ ...service.rooms.images.blobs, stage: boom },
		]) {
			const answer = await broken({ blobs })("/v1/images", post());
			expect(answer.headers.get("Retry-After")).toBe("2");
			expect(await errorOf(answer)).toMatchObject({
				status: 500,
				type: "processing_error",
				code: "upload_failed",
				action: { type: "wait", retry_after: 2 },
			});
		}
		expect(await stored()).toBe(before);
		expect((await service.api("/v1/images", { ...post(), headers: headersOf(service) })).status).toBe(201);
	});

	test("500 import_failed when it fails after the fetch [errors.code.import_failed]", async () => {
		const importer = {
			fetch: <T>(_url: string, receive: (body: AsyncIterable<Uint8Array>) => Promise<T>) =>
				receive(new Blob([file]).stream()),
		};
		const init = {
			method: "POST",
			body: '{"url":"https://example.com/a.png"}',
			headers: { "Content-Type": "application/json" },
		};
		expect((await broken({ importer })("/v1/images", init)).status).toBe(201);
		for (const blobs of [
			{ ...service.rooms.images.blobs, put: boom },
			{ ...service.rooms.images.blobs, stage: () => Promise.reject(new Failure("upload_failed")) },
		]) {
			const answer = await broken({ importer, blobs })("/v1/images", init);
			expect(answer.headers.get("Retry-After")).toBe("2");
			expect(await errorOf(answer)).toMatchObject({
				status: 500,
				type: "processing_error",
				code: "import_failed",
			});
		}
	});

	test.each(["EMFILE", "ENOSPC", "EIO", "ENOMEM"])(
		"500 and a retry when a picture cannot be looked at for %s: no file is to blame for that",
		async (code) => {
			const fault = Object.assign(new Error(`${code}: no more of it`), { code });
			const answer = await broken({ inspector: { inspect: () => Promise.reject(fault) } })("/v1/images", post());
			expect(answer.headers.get("Retry-After")).toBe("2");
			expect(await errorOf(answer)).toMatchObject({ status: 500, code: "upload_failed" });
		},
	);

	test("500 delete_failed, and the image stays [errors.code.delete_failed]", async () => {
		const image = await uploaded(service, file);
		const answer = await broken({ store: { ...service.rooms.images.store, delete: boom } })(`/v1/images/${image.id}`, {
			method: "DELETE",
		});
		expect(await errorOf(answer)).toMatchObject({ status: 500, type: "api_error", code: "delete_failed" });
		expect((await service.api(`/v1/images/${image.id}`)).status).toBe(200);
	});

	test("503 when nobody can say in time who calls [errors.code.app_context_unavailable, errors.retry-after-matches-action, errors.action-shape, errors.action-wait-only, limits.header.retry-after]", async () => {
		for (const find of [boom, () => new Promise<never>(() => undefined)]) {
			const answer = await askedOf(
				changedRoom(service.rooms, "keys", { store: { ...service.rooms.keys.store, find } }),
			)("/v1/usage");
			expect(answer.headers.get("Retry-After")).toBe("2");
			expect(await errorOf(answer)).toMatchObject({
				status: 503,
				type: "api_error",
				code: "app_context_unavailable",
				action: { type: "wait", retry_after: 2 },
			});
		}
		expect((await service.api("/v1/usage")).status).toBe(200);
	});

	test("503 create_outcome_ambiguous when the commit's answer is lost and cannot be looked up [idem.ambiguous, limits.retry-after-2]", async () => {
		const images = { ...service.rooms.images.store, commitCreate: boom, exists: boom, markBlobDead: boom };
		const answer = await broken({ store: images })("/v1/images", post());
		expect(answer.headers.get("Retry-After")).toBe("2");
		expect(await errorOf(answer)).toMatchObject({
			status: 503,
			type: "api_error",
			code: "create_outcome_ambiguous",
			action: { type: "wait", retry_after: 2 },
		});
	});

	test("a commit that happened although its answer was lost is a 201", async () => {
		const before = await stored();
		const images = {
			...service.rooms.images.store,
			async commitCreate(...given: Parameters<typeof service.rooms.images.store.commitCreate>) {
				await service.rooms.images.store.commitCreate(...given);
				throw new Error("the answer was lost");
			},
		};
		expect((await broken({ store: images })("/v1/images", post())).status).toBe(201);
		expect(await stored()).toBe(before + 1);
	});

	test("/readyz tells which part does not work", async () => {
		expect(await (await service.api("/readyz")).json()).toEqual({
			ready: true,
			checks: { database: "ok", blobs: "ok", mail: "ok", billing: "ok" },
		});
		service.drain();
		const draining = await service.api("/readyz");
		expect(draining.status).toBe(503);
		expect((await service.api("/healthz")).status).toBe(200);
	});

	test("no secret is in the log", () => {
		expect(JSON.stringify(service.log.lines)).not.toContain(service.apiKey);
	});
});
