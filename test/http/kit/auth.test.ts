import { describe, expect, test } from "bun:test";
import { mintSecret } from "@svc/base/crypto/secrets";
import { newId } from "@svc/base/ids";
import type { Image } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import {
	addApp,
	addKey,
	addUserKey,
	connectUser,
	revokeKeys,
	setAppState,
	setStorageState,
	type TestUser,
} from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, errorOf, form, headersOf, send, upload, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";

const service = serviceFor();
const app = madeBefore(() => addApp(service.database));
const ann = madeBefore(() => connectUser(service.database, app));
const ben = madeBefore(() => connectUser(service.database, app));
const file = await plain(6, 6);

async function ids(caller: Caller): Promise<string[]> {
	const list = (await (await send(service, "GET", "/v1/images", undefined, caller)).json()) as List<Image>;
	return list.data.map(({ id }) => id);
}

const as = (user: TestUser): Caller => ({ key: app.key, headers: { "X-Svc-User": user.id } });

describe("storages", () => {
	test("the App's own and each user's are apart [service.app-storage-separate, service.user-storage-private, auth.key.app-wide, auth.user-header.select, auth.user-header.absent, get.foreign-id-404]", async () => {
		const owner: Caller = { key: app.key };
		const ofApp = await uploaded(service, file, "a.png", {}, owner);
		const ofAnn = await uploaded(service, file, "a.png", {}, as(ann));
		expect(await ids(owner)).toEqual([ofApp.id]);
		expect(await ids(as(ann))).toEqual([ofAnn.id]);
		expect(await ids(as(ben))).toEqual([]);
		const reach = async (id: string, caller: Caller) =>
			(await send(service, "GET", `/v1/images/${id}`, undefined, caller)).status;
		expect(await reach(ofAnn.id, as(ann))).toBe(200);
		expect(await reach(ofAnn.id, as(ben))).toBe(404);
		expect(await reach(ofAnn.id, owner)).toBe(404);
		expect(await reach(ofApp.id, as(ann))).toBe(404);
	});

	test("other keys reach one storage alone [auth.key.storage-only, auth.key.storage-only-own, auth.key.user-own]", async () => {
		const bucket = await addKey(service.database, app, { reach: "bucket" });
		const own = await addUserKey(service.database, app, ann);
		const inApp = await uploaded(service, file, "a.png", {}, { key: bucket });
		expect(await ids({ key: app.key })).toContain(inApp.id);
		expect(await ids({ key: own })).toEqual(await ids(as(ann)));
		for (const id of await ids(as(ann))) {
			expect((await send(service, "GET", `/v1/images/${id}`, undefined, { key: bucket })).status).toBe(404);
		}
		expect((await send(service, "GET", `/v1/images/${inApp.id}`, undefined, { key: own })).status).toBe(404);
		expect(await (await send(service, "GET", "/v1/key", undefined, { key: bucket })).json()).toMatchObject({
			reach: "bucket",
		});
	});

	test("X-Img-Team selects nothing [auth.team-header.unsupported]", async () => {
		const caller: Caller = { key: app.key, headers: { "X-Img-Team": ann.storageId } };
		expect(await ids(caller)).toEqual(await ids({ key: app.key }));
	});
});

describe("X-Svc-User", () => {
	test.each(["", "   ", "!!!", "usr_short", "img_0000000000000000000000"])(
		"%p is 422 and nothing is stored [auth.user-header.blank, auth.user-header.malformed, auth.user-header.no-fallback]",
		async (user) => {
			const before = await ids({ key: app.key });
			const error = await errorOf(
				await upload(service, file, "a.png", {}, { key: app.key, headers: { "X-Svc-User": user } }),
			);
			expect(error).toMatchObject({ status: 422, code: "validation_error" });
			expect(error.fields.map((field) => field.toLowerCase())).toEqual(["x-svc-user"]);
			expect(await ids({ key: app.key })).toEqual(before);
		},
	);

	test("unknown, foreign and leaving users are 403 [auth.user-header.unavailable, auth.user-header.no-fallback, errors.code.user_forbidden, auth.no-cross-app]", async () => {
		const other = await addApp(service.database);
		const foreign = await connectUser(service.database, other);
		const leaving = await connectUser(service.database, app);
		await setStorageState(service.database, leaving.storageId, "deleting");
		const before = await ids({ key: app.key });
		for (const user of [newId("usr"), foreign.id, leaving.id]) {
			const answer = await upload(service, file, "a.png", {}, { key: app.key, headers: { "X-Svc-User": user } });
			expect(await errorOf(answer)).toMatchObject({ status: 403, type: "permission_error", code: "user_forbidden" });
		}
		expect(await ids({ key: app.key })).toEqual(before);
	});

	test("[C][T] other keys refuse it [auth.user-header.not-app-wide]", async () => {
		for (const key of [
			await addKey(service.database, app, { reach: "bucket" }),
			await addUserKey(service.database, app, ann),
		]) {
			const answer = await upload(service, file, "a.png", {}, { key, headers: { "X-Svc-User": ann.id } });
			expect(await errorOf(answer)).toMatchObject({ status: 422, code: "validation_error" });
		}
	});
});

describe("keys", () => {
	const calls: [string, string][] = [
		["POST", "/v1/images"],
		["GET", "/v1/images"],
		["GET", `/v1/images/${newId("img")}`],
		["DELETE", `/v1/images/${newId("img")}`],
		["GET", "/v1/usage"],
		["GET", "/v1/key"],
	];

	test.each(calls)(
		"%s %s without a usable key is 401 [auth.bearer-required, errors.type.authentication_error, errors.code.unauthorized]",
		async (method, path) => {
			const { secret } = await mintSecret("svc_sk_test_");
			for (const Authorization of [
				"",
				"Bearer",
				"Bearer x",
				`Basic ${app.key}`,
				`Bearer ${secret}`,
				app.key,
				`Bearer ${app.key} ${app.key}`,
			]) {
				expect(await errorOf(await service.api(path, { method, headers: { Authorization } }))).toMatchObject({
					status: 401,
					type: "authentication_error",
					code: "unauthorized",
				});
			}
		},
	);

	test("[C][T] the key is checked before the body is read", async () => {
		let pulled = 0;
		const body = new ReadableStream(
			{
				pull(controller) {
					pulled++;
					controller.enqueue(new Uint8Array(65_536));
				},
			},
			{ highWaterMark: 0 },
		);
		const request = new Request("http://localhost:3000/v1/images", {
			method: "POST",
			body,
			headers: { "Content-Type": "multipart/form-data; boundary=x" },
		});
		expect((await service.sites.api(request)).status).toBe(401);
		expect(pulled).toBe(0);
	});

	test("a revoked or expired key is 401 [auth.key.revoked, errors.code.unauthorized]", async () => {
		const gone = await addApp(service.database);
		expect((await send(service, "GET", "/v1/usage", undefined, { key: gone.key })).status).toBe(200);
		await revokeKeys(service.database, gone.id);
		expect((await send(service, "GET", "/v1/usage", undefined, { key: gone.key })).status).toBe(401);
		const expired = await addKey(service.database, app, { expiresMs: Date.now() - 1 });
		expect((await send(service, "GET", "/v1/usage", undefined, { key: expired })).status).toBe(401);
	});

	test("a lacking permission is 403 [auth.permission.read, auth.permission.write, errors.code.forbidden]", async () => {
		const reader = await addKey(service.database, app, { permissions: ["read"] });
		const writer = await addKey(service.database, app, { permissions: ["write"] });
		const id = (await uploaded(service, file, "a.png", {}, { key: writer })).id;
		for (const path of ["/v1/images", `/v1/images/${id}`, "/v1/usage"]) {
			expect(await errorOf(await send(service, "GET", path, undefined, { key: writer }))).toMatchObject({
				status: 403,
				code: "forbidden",
			});
			expect((await send(service, "GET", path, undefined, { key: reader })).status).toBe(200);
		}
		expect(await errorOf(await upload(service, file, "a.png", {}, { key: reader }))).toMatchObject({
			status: 403,
			code: "forbidden",
		});
		expect(await errorOf(await send(service, "DELETE", `/v1/images/${id}`, undefined, { key: reader }))).toMatchObject({
			status: 403,
		});
		expect(await ids({ key: app.key })).toContain(id);
	});

	test("a paused App suspends App-wide keys; a blocked one its other writes too [errors.code.app_suspended, errors.code.app_blocked]", async () => {
		const paused = await addApp(service.database);
		const bucket = await addKey(service.database, paused, { reach: "bucket" });
		const reads = async (key: string) => (await send(service, "GET", "/v1/images", undefined, { key })).status;
		await setAppState(service.database, paused.id, "paused");
		expect(await errorOf(await send(service, "GET", "/v1/images", undefined, { key: paused.key }))).toMatchObject({
			status: 403,
			code: "app_suspended",
		});
		expect((await upload(service, file, "a.png", {}, { key: bucket })).status).toBe(201);
		await setAppState(service.database, paused.id, "blocked");
		expect(await errorOf(await send(service, "GET", "/v1/images", undefined, { key: paused.key }))).toMatchObject({
			status: 403,
			code: "app_suspended",
		});
		expect(await errorOf(await upload(service, file, "a.png", {}, { key: bucket }))).toMatchObject({
			status: 403,
			code: "app_blocked",
		});
		expect(await reads(bucket)).toBe(200);
		await setAppState(service.database, paused.id, "active");
		expect(await reads(paused.key)).toBe(200);
	});

	test("the first check that fails answers: suspended before selector, selector before user, user before permission", async () => {
		const ordered = await addApp(service.database);
		const reader = await addKey(service.database, ordered, { permissions: ["read"] });
		const post = async (headers: Record<string, string>) =>
			(
				await errorOf(
					await service.api("/v1/images", {
						method: "POST",
						body: form(undefined, "", { foo: "1" }),
						headers: headersOf(service, { key: reader, headers }),
					}),
				)
			).code;
		expect(await post({ "X-Svc-User": "!" })).toBe("validation_error");
		expect(await post({ "X-Svc-User": newId("usr") })).toBe("user_forbidden");
		expect(await post({})).toBe("forbidden");
		await setAppState(service.database, ordered.id, "paused");
		expect(await post({ "X-Svc-User": "!" })).toBe("app_suspended");
	});
});
