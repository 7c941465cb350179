import { beforeAll, describe, expect, mock, spyOn, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { mintSecret } from "@svc/base/crypto/secrets";
import { newId } from "@svc/base/ids";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, connectUser, lockImage, setImageStatus, setStorageState, type TestApp } from "../../support/apps.ts";
import { acted } from "../../support/moderation.ts";
import { addMember, addPerson, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";

/* `GET /v1/images/{id}` by nobody in particular. */

const USAGE = ["X-Storage-Used", "X-Monthly-Uploads-Used", "X-Storage-Limit"];

describe.each(["transition", "legacy"])("[%s]", (variant) => {
	const service = serviceFor({ SVC_VARIANT: variant });
	let app: TestApp;
	let file: Buffer<ArrayBuffer>;
	beforeAll(async () => {
		app = await addApp(service.database);
		file = await plain(40, 20);
	});

	const create = (isPublic: boolean, more: Record<string, string> = {}) =>
		uploaded(service, file, "a.png", { public: String(isPublic), ...more }, { key: app.key });
	const byNobody = (id: string, headers: Record<string, string> = {}) => service.api(`/v1/images/${id}`, { headers });
	const statusOf = async (id: string) => (await byNobody(id)).status;
	const byOwner = (method: string, path: string, body?: unknown) => send(service, method, path, body, { key: app.key });

	test("200 with the very Image that a key gets, and nothing of its storage [get.public-unauthenticated, auth.bearer-required-transition]", async () => {
		const image = await create(true, { caption: "c", labels: '{"l":"m"}', ttl: "1h" });
		const answer = await byNobody(image.id);
		expect(answer.status).toBe(200);
		expect(await answer.json()).toEqual(image as never);
		for (const name of USAGE) expect(answer.headers.has(name)).toBe(false);
		expect(answer.headers.get("X-Request-Id")).toMatch(/^req_/);
		expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
		expect(answer.headers.get("Cache-Control")).toBe("no-store");
		const known = await byOwner("GET", `/v1/images/${image.id}`);
		expect(await known.json()).toEqual(image);
		for (const name of USAGE) expect(known.headers.has(name)).toBe(true);
	});

	test("404 for a private image, in exactly the words of one that never was; with the key it is there [get.public-unauthenticated, public.private-hides-get]", async () => {
		const image = await create(false);
		const gone = await create(true);
		await byOwner("DELETE", `/v1/images/${gone.id}`);
		const hidden: string[] = [];
		for (const status of ["processing", "failed", "blocked"]) {
			const { id } = await create(false);
			await setImageStatus(service.database, id, status, status === "blocked" ? "spam" : null);
			hidden.push(id);
		}
		const names = [image.id, gone.id, ...hidden, newId("img"), newId("app"), "nonsense", "%00", "%ff"];
		const answers = await Promise.all(names.map((id) => byNobody(id)));
		const headers = answers.map((answer) => [...answer.headers.keys()].sort().join());
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
		expect(new Set(headers).size).toBe(1);
		const bodies = await Promise.all(answers.map((answer) => answer.text()));
		expect(new Set(bodies).size).toBe(1);
		expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ error: { type: "invalid_request_error", code: "not_found" } });
		expect((await byOwner("GET", `/v1/images/${image.id}`)).status).toBe(200);
	});

	test("made private it is gone at the next request, made public it is there [public.private-hides-get, get.public-unauthenticated]", async () => {
		const image = await create(true);
		for (const isPublic of [false, true, false]) {
			await byOwner("PATCH", `/v1/images/${image.id}`, { public: isPublic });
			expect(await statusOf(image.id)).toBe(isPublic ? 200 : 404);
		}
	});

	test("one query tells of a private image and of none", async () => {
		const [hidden, shown] = [await create(false), await create(true)];
		const asked = spyOn(service.rooms.images.store, "findPublic");
		const others = [spyOn(service.rooms.images.store, "find"), spyOn(service.rooms.keys.store, "find")];
		for (const id of [hidden.id, newId("img"), shown.id]) await byNobody(id);
		expect(asked).toHaveBeenCalledTimes(3);
		for (const other of others) expect(other).not.toHaveBeenCalled();
		mock.restore();
	});

	test("403 media_blocked tells the reason to whoever shows the owner's key, and to nobody else [errors.code.media_blocked-reason-owner]", async () => {
		const operator = await addPerson(service.database, { operator: true });
		const member = await addPerson(service.database);
		await addMember(service.database, app, member, "viewer");
		const stranger = await addApp(service.database);
		for (const reason of ["content_policy", "dmca", "spam", "terms"]) {
			const image = await create(true);
			await acted(service, operator, image.id, "block", { reason });
			const refused = { status: 403, type: "permission_error", code: "media_blocked" };
			const unknown = await errorOf(await byNobody(image.id));
			expect(unknown).toMatchObject(refused);
			expect(unknown.message).not.toMatch(/content_policy|dmca|spam|terms/);
			for (const caller of [{ key: app.key }, as(member, app.id)]) {
				const owner = await errorOf(await send(service, "GET", `/v1/images/${image.id}`, undefined, caller));
				expect(owner).toMatchObject(refused);
				expect(owner.message).toContain(reason);
			}
			const foreign = await send(service, "GET", `/v1/images/${image.id}`, undefined, { key: stranger.key });
			expect(await errorOf(foreign)).toEqual(unknown);
			await acted(service, operator, image.id, "unblock");
			expect(await statusOf(image.id)).toBe(200);
		}
	});

	test("a failed one is 422 media_failed, a locked one 200, one that is still processed 200 and says so", async () => {
		const [failed, locked, young] = [await create(true), await create(true), await create(true)];
		await setImageStatus(service.database, failed.id, "failed");
		expect(await errorOf(await byNobody(failed.id))).toMatchObject({ status: 422, code: "media_failed" });
		await lockImage(service.database, locked.id);
		expect(await statusOf(locked.id)).toBe(200);
		await setImageStatus(service.database, young.id, "processing");
		const answer = await byNobody(young.id);
		expect([answer.status, ((await answer.json()) as Image).status]).toEqual([200, "processing"]);
	});

	test("an expired one is gone before any sweep, and so is all that a storage held which is being deleted", async () => {
		const timed = await openService({ SVC_VARIANT: variant });
		const image = await uploaded(timed, file, "a.png", { public: "true", ttl: "5m" });
		const status = async () => (await timed.api(`/v1/images/${image.id}`, { headers: {} })).status;
		expect(await status()).toBe(200);
		timed.clock.advance(300_001);
		expect(await status()).toBe(404);
		await timed.close();
		const user = await connectUser(service.database, app);
		const caller = { key: app.key, headers: { "X-Svc-User": user.id } };
		const theirs = await uploaded(service, file, "a.png", { public: "true" }, caller);
		expect(await statusOf(theirs.id)).toBe(200);
		await setStorageState(service.database, user.storageId, "deleting");
		expect(await statusOf(theirs.id)).toBe(404);
	});

	test("an Authorization header that is there counts: a wrong one is 401, a right one that does not reach the image shows what everybody sees [get.public-unauthenticated]", async () => {
		const image = await create(true);
		const unknown = (await mintSecret("svc_sk_test_")).secret;
		for (const authorization of [`Bearer ${unknown}`, "Bearer nonsense", "Basic YTpi", "Bearer"]) {
			const answer = await byNobody(image.id, { Authorization: authorization });
			expect(await errorOf(answer)).toMatchObject({ status: 401, code: "unauthorized" });
		}
		const other = await addApp(service.database);
		const asOther = async ({ id }: { id: string }) => await byNobody(id, { Authorization: `Bearer ${other.key}` });
		const foreign = await asOther(image);
		expect(foreign.status).toBe(200);
		expect(await foreign.json()).toEqual(await (await byNobody(image.id)).json());
		const hidden = await asOther(await create(false));
		expect(await errorOf(hidden)).toMatchObject({ status: 404, code: "not_found" });
	});

	test("selectors without a key select nothing", async () => {
		const image = await create(true);
		for (const headers of [{ "X-Svc-User": newId("usr") }, { "X-Svc-User": "nonsense" }, { "X-Svc-App": newId("app") }])
			expect((await byNobody(image.id, headers)).status).toBe(200);
	});

	test("every other call about images needs a key, of a public image too [auth.bearer-required-transition]", async () => {
		const image = await create(true);
		for (const [method, path] of [
			["GET", "/v1/images"],
			["GET", `/v1/images?ids=${image.id}`],
			["GET", "/v1/usage"],
			["PATCH", `/v1/images/${image.id}`],
			["PATCH", "/v1/images/batch"],
			["DELETE", `/v1/images/${image.id}`],
			["DELETE", "/v1/images/batch"],
		] as const) {
			const body = method === "PATCH" || method === "DELETE" ? { body: JSON.stringify({ ids: [image.id] }) } : {};
			const answer = await service.api(path, { method, headers: { "Content-Type": "application/json" }, ...body });
			expect(await errorOf(answer)).toMatchObject({ status: 401, code: "unauthorized" });
		}
		expect(await statusOf(image.id)).toBe(200);
	});

	test("the API document says that this one call needs no key", async () => {
		const document = await (await service.api("/openapi.json", { headers: {} })).json();
		expect(await new Validator().validate(structuredClone(document) as never)).toMatchObject({ valid: true });
		const { paths } = document as { paths: Record<string, Record<string, { security?: object[] }>> };
		expect(paths["/v1/images/{id}"]?.get?.security).toEqual([{ key: [] }, {}]);
		for (const method of ["patch", "delete"]) expect(paths["/v1/images/{id}"]?.[method]?.security).toBeUndefined();
		expect(paths["/v1/images"]?.get?.security).toBeUndefined();
	});

	test("429 for a network that reads too much; other networks, and keys, go on", async () => {
		const limited = await openService({ SVC_VARIANT: variant, SVC_KEY_RATE: "1", SVC_TUNING: "key_burst=20" });
		const { id } = await uploaded(limited, file, "a.png", { public: "true" });
		const from = (address: string, sought = id) =>
			limited.api(`/v1/images/${sought}`, { headers: { "X-Forwarded-For": address } });
		const answers = await Promise.all(
			Array.from({ length: 25 }, (_, place) => from(`2001:db8:1:2::${place}`, place % 2 ? id : newId("img"))),
		);
		const refused = answers.filter(({ status }) => status === 429);
		expect(answers.length - refused.length).toBeGreaterThanOrEqual(20);
		expect(refused.length).toBeGreaterThan(0);
		for (const answer of refused) {
			expect(answer.headers.get("Retry-After")).toBe("1");
			expect(await errorOf(answer)).toMatchObject({ code: "rate_limited", action: { type: "wait", retry_after: 1 } });
		}
		expect((await from("2001:db8:1:3::1")).status).toBe(200);
		expect((await limited.api(`/v1/images/${id}`)).status).toBe(200);
		await limited.close();
	});
});

test("POST without a key is 401 as well [auth.bearer-required-transition]", async () => {
	await using stack = new AsyncDisposableStack();
	const service = await openService({ SVC_VARIANT: "transition" });
	stack.defer(() => service.close());
	const body = new FormData();
	body.append("file", new Blob([await plain(5, 5)]), "a.png");
	const answer = await service.api("/v1/images", { method: "POST", body, headers: {} });
	expect(await errorOf(answer)).toMatchObject({ status: 401, code: "unauthorized" });
	expect((await upload(service, await plain(5, 5))).status).toBe(201);
});

test("[C] a key is needed for an image that was public as well, and the document says so [get.key-required]", async () => {
	await using stack = new AsyncDisposableStack();
	const service = await openService();
	stack.defer(() => service.close());
	const image = await uploaded(service, await plain(5, 5));
	await service.database.write([{ run: sql`UPDATE images SET public = 1 WHERE id = ${image.id}` }]);
	expect(await errorOf(await service.api(`/v1/images/${image.id}`, { headers: {} }))).toMatchObject({ status: 401 });
	const text = await (await service.api("/openapi.json", { headers: {} })).text();
	expect(JSON.parse(text).paths["/v1/images/{id}"].get.security).toBeUndefined();
});
