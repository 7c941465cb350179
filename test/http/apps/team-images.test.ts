import { beforeAll, expect, test } from "bun:test";
import { openedUsers } from "@svc/apps/activity/opened-users-store";
import { sql } from "drizzle-orm";
import { addApp, connectUser, setAppState, type TestApp } from "../../support/apps.ts";
import { addMember, addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { corners } from "../../support/pictures.ts";
import { errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

/* An App's team reaches its images with a session or a token, and `X-Svc-App` to say which App. */

const service = serviceFor();
let app: TestApp;
let png: Uint8Array<ArrayBuffer>;
const roles = ["viewer", "editor", "admin", "owner"] as const;
const team = new Map<string, TestPerson>();

beforeAll(async () => {
	png = await corners(20, 10);
	app = await addApp(service.database);
	for (const role of ["viewer", "editor", "admin"] as const) {
		const person = await addPerson(service.database);
		await addMember(service.database, app, person, role);
		team.set(role, person);
	}
	team.set("owner", {
		id: app.ownerId,
		email: "",
		secret: await addSession(service.database, app.ownerId),
	});
});

function member(role: string): TestPerson {
	const person = team.get(role);
	if (!person) throw new Error(`nobody is ${role}`);
	return person;
}

test("every role reads every image, whoever uploaded it [roles.all-see-images]", async () => {
	const image = await uploaded(service, png, "a.png", {}, { key: app.key });
	for (const role of roles) {
		const caller = as(member(role), app.id);
		const one = await send(service, "GET", `/v1/images/${image.id}`, undefined, caller);
		expect(one.status).toBe(200);
		const list = (await (await send(service, "GET", "/v1/images", undefined, caller)).json()) as { data: object[] };
		expect(list.data).toHaveLength(1);
		expect((await send(service, "GET", "/v1/usage", undefined, caller)).status).toBe(200);
	}
});

test("Editor, Admin and Owner upload; a Viewer is refused [roles.upload]", async () => {
	const statuses: number[] = [];
	for (const role of roles) {
		statuses.push((await upload(service, png, "a.png", {}, as(member(role), app.id))).status);
	}
	expect(statuses).toEqual([403, 201, 201, 201]);
});

test("Editor, Admin and Owner change and delete anybody's image; a Viewer is refused [roles.edit-delete]", async () => {
	for (const role of roles) {
		const image = await uploaded(service, png, "a.png", {}, { key: app.key });
		const caller = as(member(role), app.id);
		const allowed = role === "viewer" ? 403 : 200;
		expect((await send(service, "PATCH", `/v1/images/${image.id}`, { caption: role }, caller)).status).toBe(allowed);
		expect((await send(service, "DELETE", `/v1/images/${image.id}`, undefined, caller)).status).toBe(allowed);
	}
});

test("a connected user's storage is selected like with a key", async () => {
	const user = await connectUser(service.database, app);
	const caller = as(member("editor"), app.id);
	const withUser = { ...caller, headers: { ...caller.headers, "X-Svc-User": user.id } };
	const image = await uploaded(service, png, "a.png", {}, withUser);
	expect((await send(service, "GET", `/v1/images/${image.id}`, undefined, withUser)).status).toBe(200);
	expect((await send(service, "GET", `/v1/images/${image.id}`, undefined, caller)).status).toBe(404);
	const other = await addApp(service.database);
	const stranger = await connectUser(service.database, other);
	const foreign = { ...caller, headers: { ...caller.headers, "X-Svc-User": stranger.id } };
	expect((await errorOf(await send(service, "GET", "/v1/images", undefined, foreign))).code).toBe("user_forbidden");
});

test("an App that one is not in answers like one that does not exist, and no App at all is named as missing", async () => {
	const other = await addApp(service.database);
	const foreign = await send(service, "GET", "/v1/images", undefined, as(member("owner"), other.id));
	const missing = await send(service, "GET", "/v1/images", undefined, as(member("owner"), `app_${"0".repeat(22)}`));
	expect(await foreign.text()).toBe(await missing.text());
	expect([foreign.status, missing.status]).toEqual([404, 404]);
	const none = await errorOf(await send(service, "GET", "/v1/images", undefined, as(member("owner"))));
	expect([none.status, none.fields]).toEqual([422, ["X-Svc-App"]]);
});

test("a token does what its scopes say, and one that is bound to an App nothing in another", async () => {
	const reader = await addSession(service.database, app.ownerId, { scopes: ["images:read"] });
	const writer = await addSession(service.database, app.ownerId, { scopes: ["images:write"], appId: app.id });
	const other = await addApp(service.database);
	await addMember(service.database, other, { id: app.ownerId }, "admin");
	const status = async (secret: string, method: string, appId: string) =>
		(await send(service, method, "/v1/images", method === "POST" ? { url: "x" } : undefined, as({ secret }, appId)))
			.status;
	expect(await status(reader, "GET", app.id)).toBe(200);
	expect(await status(reader, "POST", app.id)).toBe(403);
	expect(await status(writer, "POST", app.id)).toBe(422);
	expect(await status(reader, "GET", other.id)).toBe(200);
	expect(await status(writer, "GET", other.id)).toBe(404);
});

test("a paused App is open to its team; a blocked one can be read, not written", async () => {
	const editor = as(member("editor"), app.id);
	await setAppState(service.database, app.id, "paused");
	expect((await upload(service, png, "a.png", {}, editor)).status).toBe(201);
	await setAppState(service.database, app.id, "blocked");
	expect((await send(service, "GET", "/v1/images", undefined, editor)).status).toBe(200);
	expect((await errorOf(await upload(service, png, "a.png", {}, editor))).code).toBe("app_blocked");
	await setAppState(service.database, app.id, "active");
});

test("what only a key can do is refused to a person, and says so", async () => {
	const answer = await errorOf(await send(service, "GET", "/v1/key", undefined, as(member("owner"), app.id)));
	expect([answer.status, answer.code]).toEqual([403, "forbidden"]);
});

/** What the App's audit says of looks into users' storages, oldest first. */
async function opened(): Promise<readonly { readonly actor: string; readonly target: string }[]> {
	const answer = await send(
		service,
		"GET",
		`/v1/apps/${app.id}/audit?event=user.opened&limit=100`,
		undefined,
		as(member("admin")),
	);
	const { data } = (await answer.json()) as { data: { actor: string; target: string }[] };
	return data.map(({ actor, target }) => ({ actor, target })).reverse();
}

test("a person of the team who looks into a user's storage is in the audit, once a user and day; a token and the App's key are not", async () => {
	const [one, two] = [await connectUser(service.database, app), await connectUser(service.database, app)];
	const look = async (caller: ReturnType<typeof as>, user: string, path = "/v1/images") =>
		(await send(service, "GET", path, undefined, { ...caller, headers: { ...caller.headers, "X-Svc-User": user } }))
			.status;
	const viewer = member("viewer");
	const [before, seen] = [(await opened()).length, as(viewer, app.id)];
	expect(await Promise.all([look(seen, one.id), look(seen, one.id), look(seen, one.id, "/v1/usage")])).toEqual([
		200, 200, 200,
	]);
	expect(await look(seen, two.id)).toBe(200);
	const token = await addSession(service.database, viewer.id, { scopes: ["images:read"] });
	expect(await look(as({ secret: token }, app.id), one.id)).toBe(200);
	expect(await look({ key: app.key }, one.id)).toBe(200);
	const entry = (target: string) => ({ actor: viewer.id, target });
	const sorted = [one.id, two.id].sort().map(entry);
	const added = async () => (await opened()).slice(before);
	expect([...(await added())].sort((a, b) => (a.target < b.target ? -1 : 1))).toEqual(sorted);
	const other = openedUsers(service.database);
	const atMs = service.clock.now();
	// Another process, which has noted nothing yet.
	await other({ appPk: await pkOf(app.id), actor: viewer.id, userId: one.id, nowMs: atMs });
	expect(await added()).toHaveLength(2);
	await other({ appPk: await pkOf(app.id), actor: viewer.id, userId: one.id, nowMs: atMs + 86_400_000 });
	expect(await added()).toHaveLength(3);
	expect(await look(as(member("viewer"), app.id), "usr_none")).toBe(422);
	expect(await added()).toHaveLength(3);
});

async function pkOf(appId: string): Promise<number> {
	const { queries } = service.database;
	const rows = await service.database.read(() =>
		queries.values<[number]>(sql`SELECT pk FROM apps WHERE id = ${appId}`),
	);
	return rows[0]?.[0] ?? 0;
}
