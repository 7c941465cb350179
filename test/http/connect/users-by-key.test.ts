import { describe, expect, test } from "bun:test";
import type { ConnectedUser } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { sql } from "drizzle-orm";
import { addApp, addKey, addUserKey, connectUser, setAppState } from "../../support/apps.ts";
import { addSession, as } from "../../support/people.ts";
import { type Caller, errorOf, send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";

/* The users of an App, read with its key: as its team sees them. */

const service = serviceFor();
const shop = madeBefore(async () => {
	const app = await addApp(service.database, "Shop");
	await service.database.write([{ run: sql`UPDATE apps SET sign_in = 1 WHERE id = ${app.id}` }]);
	const users = [
		await connectUser(service.database, app),
		await connectUser(service.database, app),
		await connectUser(service.database, app),
	];
	const owner = as({ secret: await addSession(service.database, app.ownerId) });
	return { app, users, owner, reads: await addKey(service.database, app, { permissions: ["read"] }) };
});
const read = (path: string, caller: Caller = { key: shop.reads }) =>
	send(service, "GET", `/v1/users${path}`, undefined, caller);
const list = (path = "", caller?: Caller) => made<List<ConnectedUser>>(read(path, caller));

describe("GET /v1/users", () => {
	test("200 with what the team's list has, for an App-wide key with read: the same objects, filters and pages", async () => {
		const ofTeam = (path = "") =>
			made<List<ConnectedUser>>(send(service, "GET", `/v1/apps/${shop.app.id}/users${path}`, undefined, shop.owner));
		expect(await list()).toMatchObject({ data: (await ofTeam()).data });
		expect((await list()).data.map(({ id }) => id)).toEqual(shop.users.map(({ id }) => id).reverse());
		const email = `${shop.users[1]?.accountId}@Example.com`;
		expect((await list(`?email=${email}`)).data).toEqual((await ofTeam(`?email=${email}`)).data);
		expect((await list(`?email=${email}`)).data).toHaveLength(1);
		const first = await list("?limit=2");
		const cursor = first.pagination.next_cursor ?? "";
		const second = await list(`?limit=2&cursor=${cursor}`);
		expect<unknown>([...first.data, ...second.data]).toEqual((await list()).data);
		expect(second.pagination.next_cursor).toBeNull();
		const other = await addApp(service.database);
		expect((await errorOf(await read(`?cursor=${cursor}`, { key: other.key }))).code).toBe("validation_error");
		const one = await made<ConnectedUser>(read(`/${shop.users[0]?.id}`));
		expect([one]).toEqual((await list()).data.slice(-1));
	});

	test("403 for a key that reaches one storage, and for one without read; 401 for none; a person goes by their App", async () => {
		const { app, users } = shop;
		const [user] = users;
		if (!user) throw new Error("nobody is connected");
		const keys = [
			await addUserKey(service.database, app, user),
			await addKey(service.database, app, { reach: "bucket" }),
			await addKey(service.database, app, { permissions: ["write"] }),
		];
		for (const key of keys) {
			for (const path of ["", `/${user.id}`]) {
				expect(await errorOf(await read(path, { key }))).toMatchObject({ status: 403, code: "forbidden" });
			}
		}
		expect((await errorOf(await read("", { key: "svc_sk_test_none" }))).status).toBe(401);
		expect((await errorOf(await read("", shop.owner))).code).toBe("forbidden");
	});

	test("422 with X-Svc-User, whoever it names", async () => {
		for (const user of [shop.users[0]?.id ?? "", "usr_nobody"]) {
			for (const path of ["", `/${shop.users[0]?.id}`]) {
				const refused = await errorOf(await read(path, { key: shop.reads, headers: { "X-Svc-User": user } }));
				expect([refused.status, refused.code, refused.fields]).toEqual([422, "validation_error", ["X-Svc-User"]]);
			}
		}
	});

	test("shows nothing of another App: its list is empty, its users are 404, as an id that never was", async () => {
		const other = await addApp(service.database);
		const before = { key: other.key };
		expect((await list("", before)).data).toEqual([]);
		await service.database.write([{ run: sql`UPDATE apps SET sign_in = 1 WHERE id = ${other.id}` }]);
		expect((await list("", before)).data).toEqual([]);
		const [foreign, unknown] = [
			await (await read(`/${shop.users[0]?.id}`, before)).json(),
			await (await read(`/usr_${"0".repeat(22)}`, before)).json(),
		];
		expect(foreign).toEqual(unknown);
		expect(foreign.error.code).toBe("not_found");
	});

	test("403 app_suspended while the App is paused", async () => {
		const app = await addApp(service.database);
		await setAppState(service.database, app.id, "paused");
		expect((await errorOf(await read("", { key: app.key }))).code).toBe("app_suspended");
	});
});
