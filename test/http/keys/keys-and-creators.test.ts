import { describe, expect, test } from "bun:test";
import type { Key } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, addKey, addUserKey, connectUser, type TestApp } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";

const service = serviceFor();
const app = madeBefore(() => addApp(service.database));

const change = (query: ReturnType<typeof sql>) => service.database.write([{ run: query }]);
const works = async (key: string) => (await send(service, "GET", "/v1/usage", undefined, { key })).status === 200;
const self = async (key: string) => (await (await send(service, "GET", "/v1/key", undefined, { key })).json()) as Key;

describe("several keys of one App", () => {
	test("work side by side under their names; revoking one touches no other [auth.key.coexist, auth.key.create-keeps-others, auth.key.named]", async () => {
		const [first, second] = [await addKey(service.database, app), await addKey(service.database, app)];
		expect([await works(first), await works(second)]).toEqual([true, true]);
		expect((await self(first)).name).toBe("test");
		await change(sql`UPDATE keys SET revoked_ms = 1 WHERE id = ${(await self(first)).id}`);
		expect([await works(first), await works(second)]).toEqual([false, true]);
	});

	test("a user's own key with write still writes, to that user's storage alone [auth.key.user-held-write]", async () => {
		const user = await connectUser(service.database, app);
		const key = await addUserKey(service.database, app, user);
		expect((await upload(service, await plain(5, 5), "a.png", {}, { key })).status).toBe(201);
		expect(await (await send(service, "GET", "/v1/images", undefined, { key: app.key })).json()).toMatchObject({
			data: [],
		});
	});

	test("beyond the key nothing is asked of the App about its own caller [auth.app-authenticates-caller]", async () => {
		const user = await connectUser(service.database, app);
		const headers = { "X-Svc-User": user.id };
		expect((await send(service, "GET", "/v1/images", undefined, { key: app.key, headers })).status).toBe(200);
	});
});

describe("a key whose creator", () => {
	const asOwner = (role: string) => sql`UPDATE members SET role = ${role}
		WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${owned.ownerId})`;
	let owned: TestApp;

	test("is no longer an Admin is 401 [auth.key.creator-not-admin, errors.code.unauthorized]", async () => {
		owned = await addApp(service.database);
		for (const [role, expected] of [
			["admin", true],
			["editor", false],
			["viewer", false],
		] as const) {
			await change(asOwner(role));
			expect(await works(owned.key)).toBe(expected);
		}
	});

	test("has left the App is 401 [auth.key.creator-left, errors.code.unauthorized]", async () => {
		owned = await addApp(service.database);
		expect(await works(owned.key)).toBe(true);
		await change(sql`DELETE FROM members WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${owned.ownerId})`);
		expect(await errorOf(await send(service, "GET", "/v1/usage", undefined, { key: owned.key }))).toMatchObject({
			status: 401,
			code: "unauthorized",
		});
	});
});

describe("informational limits", () => {
	test("[C][T] refuse nothing when they are passed [usage.informational-monthly, usage.informational-storage]", async () => {
		const { key, storageId } = await addApp(service.database);
		const file = await plain(5, 5);
		await upload(service, file, "a.png", {}, { key });
		const storage = sql`(SELECT pk FROM storages WHERE id = ${storageId})`;
		await change(sql`UPDATE monthly_usage SET uploads = 5000 WHERE storage_pk = ${storage}`);
		await change(sql`UPDATE storages SET bytes = 100000000000 WHERE id = ${storageId}`);
		const answer = await upload(service, file, "b.png", {}, { key });
		expect(answer.status).toBe(201);
		expect(
			["X-Monthly-Uploads-Used", "X-Monthly-Uploads-Remaining", "X-Storage-Remaining"].map((name) =>
				answer.headers.get(name),
			),
		).toEqual(["5001", "0", "0"]);
		const usage = await (await send(service, "GET", "/v1/usage", undefined, { key })).json();
		expect(usage).toMatchObject({
			monthly: { uploads: 5_001, uploads_remaining: 0 },
			totals: { storage_remaining_bytes: 0 },
		});
	});
});
