import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { imageOf, importWithoutKey, turnsOf, uploadWithoutKey } from "../../support/anonymous.ts";
import { addApp, countOf } from "../../support/apps.ts";
import { acted, queueOf } from "../../support/moderation.ts";
import { type Origin, startOrigin } from "../../support/origin.ts";
import { addPerson, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";

/* Images of those who have no key: what becomes of them. How many there may be: anonymous-cap.test.ts. */

const DAY_MS = 86_400_000;

let service: OpenService;
let origin: Origin;
let file: Buffer<ArrayBuffer>;
let large: Buffer<ArrayBuffer>;
beforeAll(async () => {
	file = await plain(12, 9);
	large = Buffer.concat([file, Buffer.alloc(20_000_001 - file.length)]);
	origin = await startOrigin((request, response) => response.end(request.url === "/large.png" ? large : file));
	service = await openService({ SVC_VARIANT: "legacy", SVC_IMPORT_ALLOW: origin.host });
});
afterAll(async () => {
	await service.close();
	origin.stop();
});

/** Every test is another network, and has all of its turns. */
let networks = 0;
const stranger = () => ({ address: `203.0.113.${++networks}` });

const kept = () => countOf(service.database, sql`SELECT count(*) FROM images`);
const expiryOf = async (answer: Promise<Response>) => {
	const { expires_at, created_at } = await imageOf(await answer);
	return Date.parse(expires_at ?? "") - Date.parse(created_at);
};

describe("a create without a key", () => {
	test("201 for a file and for an address; the image is served at once [create.legacy.auth-optional, auth.bearer-required-legacy]", async () => {
		const from = stranger();
		const uploaded = await imageOf(await uploadWithoutKey(service, file, { caption: "a cat" }, from));
		const imported = await imageOf(await importWithoutKey(service, { url: origin.url("/b.png") }, from));
		expect(uploaded).toMatchObject({ status: "ready", caption: "a cat", filename: "picture.png", width: 12 });
		expect(imported).toMatchObject({ status: "ready", metadata: { source_url: origin.url("/b.png") } });
		for (const { url } of [uploaded, imported]) {
			const served = await service.open(url);
			expect([served.status, Buffer.from(await served.arrayBuffer())]).toEqual([200, file]);
		}
	});

	test("401 for a key that is there and wrong, and where a storage is selected: nothing falls into the pool by mistake", async () => {
		const before = await kept();
		for (const headers of [
			{ Authorization: "Bearer svc_live_unknown" },
			{ Authorization: "Bearer " },
			{ Authorization: "" },
			{ Authorization: "Basic dTpw" },
			{ "X-Svc-User": "usr_0123456789abcdefghij" },
			{ "X-Svc-User": "" },
			{ "X-Svc-App": "app_0123456789abcdefghij" },
		] as Record<string, string>[]) {
			const answer = await uploadWithoutKey(service, file, {}, { ...stranger(), headers });
			expect(answer.headers.has("X-Svc-Action")).toBe(false);
			expect(await errorOf(answer), JSON.stringify(headers)).toMatchObject({ status: 401, code: "unauthorized" });
		}
		expect(await kept()).toBe(before);
	});

	test("401 for everything else without a key; a public image can be read [auth.bearer-required-legacy]", async () => {
		const image = await imageOf(await uploadWithoutKey(service, file, {}, stranger()));
		const path = `/v1/images/${image.id}`;
		const body = JSON.stringify({ ids: [image.id], caption: "mine now" });
		const json = { "Content-Type": "application/json" };
		for (const [method, at, init] of [
			["GET", "/v1/images", {}],
			["GET", "/v1/usage", {}],
			["GET", "/v1/billing/status", {}],
			["GET", "/v1/key", {}],
			["POST", "/v1/auth/exchange", { body: JSON.stringify({ code: "x" }), headers: json }],
			["PATCH", path, { body: JSON.stringify({ caption: "mine now" }), headers: json }],
			["DELETE", path, {}],
			["PATCH", "/v1/images/batch", { body, headers: json }],
			["DELETE", "/v1/images/batch", { body, headers: json }],
		] as const) {
			const answer = await service.api(at, { method, headers: {}, ...init });
			expect(await errorOf(answer), `${method} ${at}`).toMatchObject({ status: 401, code: "unauthorized" });
		}
		const read = await service.api(path, { headers: {} });
		expect([read.status, await read.json()]).toEqual([200, image]);
	});

	test.each(["current", "transition"])("401 in %s [create.legacy.auth-optional]", async (variant) => {
		const other = await openService({ SVC_VARIANT: variant });
		const answer = await uploadWithoutKey(other, file);
		expect(answer.headers.get("Access-Control-Expose-Headers")).not.toContain("X-Svc-Action");
		expect([answer.headers.has("X-Svc-Action"), answer.headers.has("X-RateLimit-Limit")]).toEqual([false, false]);
		expect(await errorOf(answer)).toMatchObject({ status: 401, code: "unauthorized" });
		expect(await countOf(other.database, sql`SELECT count(*) FROM images`)).toBe(0);
		await other.close();
	});

	test("it is in one pool, and in nobody's list [anon.shared-pool]", async () => {
		const first = await imageOf(await uploadWithoutKey(service, file, {}, stranger()));
		const second = await imageOf(await uploadWithoutKey(service, file, {}, stranger()));
		const poolOf = ({ url }: { url: string }) => new URL(url).pathname.split("/")[1];
		expect(poolOf(first)).toBe(poolOf(second));
		const app = await addApp(service.database);
		const person = await addPerson(service.database);
		for (const key of [service.apiKey, app.key]) {
			const listed = (await (await send(service, "GET", "/v1/images", undefined, { key })).json()) as {
				data: unknown[];
			};
			expect(listed.data).toEqual([]);
			expect((await send(service, "GET", `/v1/images/${first.id}`, undefined, { key })).status).toBe(200);
			for (const [method, body] of [["PATCH", { caption: "mine" }], ["DELETE"]] as const) {
				const answer = await send(service, method, `/v1/images/${first.id}`, body, { key });
				expect((await errorOf(answer)).status, method).toBe(404);
			}
		}
		const ownApp = await service.rooms.apps.ownApp.find();
		const asTeam = { key: person.secret, headers: { "X-Svc-App": ownApp?.app.id ?? "" } };
		expect((await send(service, "GET", "/v1/images", undefined, asTeam)).status).toBe(404);
	});

	test("operators find it like any other: once it is reported in their queue, to block or to delete", async () => {
		const operator = await addPerson(service.database, { operator: true });
		const [image, other] = [
			await imageOf(await uploadWithoutKey(service, file, {}, stranger())),
			await imageOf(await uploadWithoutKey(service, file, {}, stranger())),
		];
		for (const { url } of [image, other]) {
			const report = { body: JSON.stringify({ url, reason: "spam" }), headers: { "Content-Type": "application/json" } };
			expect((await service.api("/v1/reports", { method: "POST", ...report })).status).toBe(202);
		}
		expect((await queueOf(service, operator, "")).toSorted()).toEqual([image.id, other.id].toSorted());
		await acted(service, operator, image.id, "block", { reason: "spam" });
		const app = (await service.rooms.apps.ownApp.find())?.app.id ?? "";
		expect(await queueOf(service, operator, `state=blocked&app=${app}`)).toEqual([image.id]);
		expect((await service.open(image.url)).status).toBe(404);
		await acted(service, operator, image.id, "unblock");
		expect((await service.open(image.url)).status).toBe(200);
		const gone = await send(service, "DELETE", `/v1/moderation/images/${other.id}`, undefined, as(operator));
		expect(gone.status).toBe(200);
		expect((await service.open(other.url)).status).toBe(404);
	});

	test("operators close the pool by blocking its App: 403 app_blocked, and keys go on", async () => {
		const before = await kept();
		const app = (await service.rooms.apps.ownApp.find())?.app.id;
		const verb = (name: string, body?: object) =>
			send(service, "POST", `/v1/operator/apps/${app}/${name}`, body, { key: service.token });
		expect((await verb("block", { reason: "spam" })).status).toBe(200);
		const refused = await uploadWithoutKey(service, file, {}, stranger());
		expect(await errorOf(refused)).toMatchObject({ status: 403, code: "app_blocked" });
		expect(await kept()).toBe(before);
		expect((await upload(service, file)).status).toBe(201);
		expect((await verb("unblock")).status).toBe(200);
		expect((await uploadWithoutKey(service, file, {}, stranger())).status).toBe(201);
	});
});

describe("how long it is kept", () => {
	test("30 days unless a shorter ttl is sent; then it is swept [anon.ttl-30d]", async () => {
		const from = stranger();
		expect(await expiryOf(uploadWithoutKey(service, file, {}, from))).toBe(30 * DAY_MS);
		expect(await expiryOf(uploadWithoutKey(service, file, { ttl: "" }, from))).toBe(30 * DAY_MS);
		expect(await expiryOf(uploadWithoutKey(service, file, { ttl: "30d" }, from))).toBe(30 * DAY_MS);
		expect(await expiryOf(uploadWithoutKey(service, file, { ttl: "5m" }, from))).toBe(300_000);
		const url = origin.url("/a.png");
		expect(await expiryOf(importWithoutKey(service, { url }, from))).toBe(30 * DAY_MS);
		expect(await expiryOf(importWithoutKey(service, { url, ttl: 86_400 }, from))).toBe(DAY_MS);
	});

	test("422 names ttl where it would stay longer, or for ever; nothing is stored [anon.ttl-30d]", async () => {
		const before = await kept();
		const from = stranger();
		const url = origin.url("/a.png");
		const refused = [
			...["31d", "2592001", "90d", "never", "4m", "soon"].map((ttl) => uploadWithoutKey(service, file, { ttl }, from)),
			...["31d", 2_592_001, "never", null, ""].map((ttl) => importWithoutKey(service, { url, ttl }, from)),
		];
		for (const answer of refused) {
			expect(await errorOf(await answer)).toMatchObject({ status: 422, code: "validation_error", fields: ["ttl"] });
		}
		expect(await kept()).toBe(before);
		expect((await upload(service, file, "a.png", { ttl: "90d" })).status).toBe(201);
	});

	test("after its time it is gone, from the disk too [anon.ttl-30d]", async () => {
		const own = await openService({ SVC_VARIANT: "legacy" });
		const image = await imageOf(await uploadWithoutKey(own, file));
		own.clock.advance(30 * DAY_MS - 60_000);
		expect((await own.open(image.url)).status).toBe(200);
		own.clock.advance(60_000);
		expect((await own.open(image.url)).status).toBe(404);
		await own.sweep();
		expect(await countOf(own.database, sql`SELECT count(*) FROM images`)).toBe(0);
		expect(await own.recount()).toEqual([]);
		await own.close();
	});
});

describe("who may see it", () => {
	test("everybody, whether public is left out or sent in any of its true forms [public.legacy-anon-always-public]", async () => {
		const from = stranger();
		const url = origin.url("/a.png");
		const answers = [
			uploadWithoutKey(service, file, {}, from),
			...["true", "1", " TRUE "].map((sent) => uploadWithoutKey(service, file, { public: sent }, from)),
			importWithoutKey(service, { url }, from),
			...[true, 1, "True", "1"].map((sent) => importWithoutKey(service, { url, public: sent }, from)),
		];
		for (const answer of answers) expect((await imageOf(await answer)).public).toBe(true);
	});

	test("422 names public for every false form, and for what is none; nothing is stored [public.legacy-anon-false-422]", async () => {
		const before = await kept();
		const from = stranger();
		const url = origin.url("/a.png");
		const answers = [
			...["false", "0", "FALSE", " False ", "", "no"].map((sent) =>
				uploadWithoutKey(service, file, { public: sent }, from),
			),
			...[false, 0, "false", "0", "FALSE", null, "", 2].map((sent) =>
				importWithoutKey(service, { url, public: sent }, from),
			),
		];
		for (const answer of answers) {
			expect(await errorOf(await answer)).toMatchObject({ status: 422, code: "validation_error", fields: ["public"] });
		}
		expect(await kept()).toBe(before);
	});

	test("all that is wrong with the fields is said at once", async () => {
		const answer = await uploadWithoutKey(service, file, { ttl: "never", public: "0", colour: "red" }, stranger());
		expect((await errorOf(answer)).fields.toSorted()).toEqual(["colour", "public", "ttl"]);
	});
});

describe("the pool that all share", () => {
	test("403 quota_exceeded for what no longer fits, from whatever network; own storages are not filled by it", async () => {
		const bound = 2 * file.length + 1;
		const small = await openService({ SVC_VARIANT: "legacy", SVC_TUNING: `anonymous_max_bytes=${bound}` });
		const answers = await Promise.all(
			Array.from({ length: 10 }, (_, place) => uploadWithoutKey(small, file, {}, { address: `198.51.100.${place}` })),
		);
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, ...Array(8).fill(403)]);
		const refused = answers.find(({ status }) => status === 403);
		expect(refused && (await errorOf(refused))).toMatchObject({ code: "quota_exceeded", action: undefined });
		expect((await upload(small, file)).status).toBe(201);
		small.clock.advance(31 * 86_400_000);
		expect((await uploadWithoutKey(small, file, {}, stranger())).status).toBe(201);
		await small.close();
	});
});

describe("how large it may be", () => {
	const padded = (bytes: number) => Buffer.concat([file, Buffer.alloc(bytes - file.length)]);

	test("201 for 20,000,000 bytes, 422 for one more, of a file and of an address [limits.file.legacy-anon]", async () => {
		const from = stranger();
		const answer = await imageOf(await uploadWithoutKey(service, padded(20_000_000), {}, from));
		expect(answer.bytes).toBe(20_000_000);
		const before = await kept();
		for (const refused of [
			await uploadWithoutKey(service, large, {}, from),
			await uploadWithoutKey(service, padded(40_000_000), {}, from),
			await importWithoutKey(service, { url: origin.url("/large.png") }, from),
		]) {
			expect(await errorOf(refused)).toMatchObject({ status: 422, code: "validation_error", fields: ["file"] });
		}
		expect(await kept()).toBe(before);
		expect((await upload(service, large)).status).toBe(201);
	});
});

describe("the headers of its answers", () => {
	const quota = ["X-Monthly-Uploads-Used", "X-Monthly-Uploads-Limit", "X-Monthly-Uploads-Remaining", "X-Storage-Used"];
	const own = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Svc-Action"];
	const held = ({ headers }: Response, names: readonly string[]) => names.filter((name) => headers.has(name));

	test("how many are left and until when, instead of the quota, on refusals too; scripts may read them [legacy.anon.ratelimit-headers]", async () => {
		const from = stranger();
		const made = await uploadWithoutKey(service, file, {}, from);
		const refused = await uploadWithoutKey(service, undefined, {}, from);
		expect([made.status, refused.status]).toEqual([201, 422]);
		for (const [left, answer] of [[19, made] as const, [18, refused] as const]) {
			expect(held(answer, quota)).toEqual([]);
			expect(held(answer, own)).toEqual(own);
			expect(answer.headers.get("X-Processing-Time")).toMatch(/^\d+$/);
			const exposed = answer.headers.get("Access-Control-Expose-Headers")?.split(", ");
			for (const name of [...own, "Retry-After", "X-Processing-Time"]) expect(exposed).toContain(name);
			const { limit, remaining, reset } = turnsOf(answer);
			expect([limit, remaining]).toEqual([20, left]);
			expect(Math.abs(reset - (service.clock.now() / 1_000 + 3_600))).toBeLessThan(20);
		}
	});

	test("X-Svc-Action says where to sign up; a create with a key has neither [anon.signup-hint]", async () => {
		const made = await uploadWithoutKey(service, file, {}, stranger());
		const [, url = ""] = /^signup; url="([^"]+)"$/.exec(made.headers.get("X-Svc-Action") ?? "") ?? [];
		const page = await service.open(url);
		expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('type="email"')]);
		const keyed = await upload(service, file);
		expect([keyed.status, held(keyed, own), held(keyed, quota)]).toEqual([201, [], quota]);
		expect(keyed.headers.get("Access-Control-Expose-Headers")).not.toContain("X-Svc-Action");
	});

	test("a page of another origin may send it", async () => {
		const asked = await service.api("/v1/images", {
			method: "OPTIONS",
			headers: { Origin: "https://pics.example", "Access-Control-Request-Method": "POST" },
		});
		expect([asked.status, asked.headers.get("Access-Control-Allow-Origin")]).toEqual([204, "*"]);
		expect(asked.headers.get("Access-Control-Allow-Methods")).toContain("POST");
		for (const name of ["Content-Type", "Idempotency-Key"]) {
			expect(asked.headers.get("Access-Control-Allow-Headers")).toContain(name);
		}
	});

	test("the API document says that no key is needed, only where none is", async () => {
		const security = async (asked: OpenService) => {
			const document = (await (await asked.api("/openapi.json", { headers: {} })).json()) as {
				paths: Record<string, Record<string, { security?: unknown; description?: string }>>;
			};
			const { post, get } = document.paths["/v1/images"] ?? {};
			return [post?.security, get?.security, post?.description?.includes("X-Svc-Action")];
		};
		expect(await security(service)).toEqual([[{ key: [] }, {}], undefined, true]);
		const current = await openService();
		expect(await security(current)).toEqual([undefined, undefined, undefined]);
		await current.close();
	});
});
