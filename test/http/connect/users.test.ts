import { beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, connectUser, setAppState, type TestApp } from "../../support/apps.ts";
import { addMember, addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { addUser, setAccountStatus, setSignIn } from "../../support/users.ts";

const service = serviceFor();
let app: TestApp;
const team = new Map<string, TestPerson>();
const ROLES = ["viewer", "editor", "admin", "owner"] as const;

beforeAll(async () => {
	app = await addApp(service.database);
	await setSignIn(service.database, app.id, true);
	for (const role of ["viewer", "editor", "admin"] as const) {
		const person = await addPerson(service.database);
		await addMember(service.database, app, person, role);
		team.set(role, person);
	}
	team.set("owner", { id: app.ownerId, email: "", secret: await addSession(service.database, app.ownerId) });
});

function member(role: string): TestPerson {
	const person = team.get(role);
	if (!person) throw new Error(`nobody is ${role}`);
	return person;
}

interface UserList {
	readonly data: readonly { readonly id: string; readonly state: string; readonly email: string }[];
	readonly pagination: { readonly has_more: boolean; readonly next_url: string | null };
}

async function list(caller: { secret: string }, query = "", appId = app.id): Promise<UserList> {
	const answer = await send(service, "GET", `/v1/apps/${appId}/users${query}`, undefined, as(caller));
	expect(answer.status).toBe(200);
	return (await answer.json()) as UserList;
}

describe("an App's users", () => {
	test("last_used_on is the last day on which anything was asked of their storage, and null before that", async () => {
		const user = await addUser(service.database, app);
		const read = async () => {
			const answer = await send(service, "GET", `/v1/apps/${app.id}/users/${user.id}`, undefined, as(member("viewer")));
			return ((await answer.json()) as { last_used_on: string | null }).last_used_on;
		};
		expect(await read()).toBeNull();
		const use = async (day: number, requests: number) =>
			await service.database.write([
				{
					run: sql`INSERT INTO daily_usage (storage_pk, day, requests, image_requests, bytes_served, renditions)
						SELECT storage_pk, ${day}, ${requests}, 0, 0, 0 FROM connections WHERE user_id = ${user.id}`,
				},
			]);
		for (const [day, requests] of [
			[20_000, 1],
			[20_010, 3],
			[20_020, 0],
		] as const)
			await use(day, requests);
		expect(await read()).toBe("2024-10-14");
	});

	test("every role sees them while sign-in is on, and nobody does while it is off [roles.all-see-users]", async () => {
		const user = await addUser(service.database, app);
		for (const role of ROLES) {
			expect((await list(member(role))).data.map(({ id }) => id)).toContain(user.id);
			expect(
				(await send(service, "GET", `/v1/apps/${app.id}/users/${user.id}`, undefined, as(member(role)))).status,
			).toBe(200);
		}
		await setSignIn(service.database, app.id, false);
		for (const role of ROLES) {
			expect((await list(member(role))).data).toEqual([]);
			expect(
				(await send(service, "GET", `/v1/apps/${app.id}/users/${user.id}`, undefined, as(member(role)))).status,
			).toBe(404);
		}
		await setSignIn(service.database, app.id, true);
	});

	test("a user is shown with their address, state and what they store, and nothing of who they are elsewhere", async () => {
		const user = await addUser(service.database, app);
		const headers = { "X-Svc-User": user.id };
		const image = await uploaded(service, await plain(9, 9), "a.png", {}, { key: app.key, headers });
		const shown = await send(service, "GET", `/v1/apps/${app.id}/users/${user.id}`, undefined, as(member("viewer")));
		expect(await shown.json()).toEqual({
			id: user.id,
			object: "connected_user",
			email: user.email,
			verified: false,
			state: "connected",
			images: 1,
			bytes: image.bytes,
			limits: { images: null, bytes: null },
			access: null,
			grant: null,
			last_used_on: null,
			created_at: "1970-01-01T00:00:00.000Z",
		});
	});

	test("`email` finds one user, however it is written, and nobody by a part of it", async () => {
		const user = await addUser(service.database, app);
		const found = await list(member("viewer"), `?email=${encodeURIComponent(` ${user.email.toUpperCase()} `)}`);
		expect(found.data.map(({ id }) => id)).toEqual([user.id]);
		for (const other of [user.email.slice(1), "%", "", "ß@example.com", "__proto__"]) {
			expect((await list(member("viewer"), `?email=${encodeURIComponent(other)}`)).data).toEqual([]);
		}
	});

	test("pages walk through all of them, newest first, each once", async () => {
		const other = await addApp(service.database);
		await setSignIn(service.database, other.id, true);
		const made: string[] = [];
		for (let place = 0; place < 5; place++) made.unshift((await connectUser(service.database, other)).id);
		const owner = { secret: await addSession(service.database, other.ownerId) };
		const seen: string[] = [];
		let query = "?limit=2";
		for (;;) {
			const page = await list(owner, query, other.id);
			seen.push(...page.data.map(({ id }) => id));
			if (page.pagination.next_url === null) break;
			query = new URL(page.pagination.next_url).search;
		}
		expect(seen).toEqual(made);
	});

	test("a user of another App is not there, whoever asks", async () => {
		const other = await addApp(service.database);
		const stranger = await addUser(service.database, other);
		for (const method of ["GET", "DELETE"]) {
			const answers = await Promise.all(
				[stranger.id, `usr_${"0".repeat(22)}`, "usr_x", "%00"].map((id) =>
					send(service, method, `/v1/apps/${app.id}/users/${id}`, undefined, as(member("owner"))),
				),
			);
			expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
			expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
		}
		expect((await send(service, "GET", `/v1/apps/${other.id}/users`, undefined, as(member("owner")))).status).toBe(404);
	});

	test("a token needs the scope, and a key is no person", async () => {
		const reader = await addSession(service.database, app.ownerId, { scopes: ["users:read"] });
		const none = await addSession(service.database, app.ownerId, { scopes: ["images:write"] });
		const user = await addUser(service.database, app);
		const call = async (secret: string, method = "GET", id = "") =>
			(await send(service, method, `/v1/apps/${app.id}/users${id}`, undefined, { key: secret })).status;
		expect([await call(reader), await call(none), await call(app.key)]).toEqual([200, 403, 403]);
		expect(await call(reader, "DELETE", `/${user.id}`)).toBe(403);
	});

	test("a disabled account is shown as unavailable, and keeps its images", async () => {
		const user = await addUser(service.database, app);
		const headers = { "X-Svc-User": user.id };
		const image = await uploaded(service, await plain(9, 9), "a.png", {}, { key: app.key, headers });
		await setAccountStatus(service.database, user.accountId, "disabled");
		expect((await list(member("viewer"), `?email=${user.email}`)).data[0]?.state).toBe("unavailable");
		await service.runJobs();
		await setAccountStatus(service.database, user.accountId, "active");
		const answer = await send(service, "GET", `/v1/images/${image.id}`, undefined, { key: app.key, headers });
		expect(answer.status).toBe(200);
	});
});

describe("removing a user", () => {
	test("an Admin and the Owner do it, Editor and Viewer are refused, outsiders find nothing", async () => {
		const outsider = await addPerson(service.database, { operator: true });
		const statuses: number[] = [];
		for (const caller of [member("viewer"), member("editor"), member("admin"), member("owner"), outsider]) {
			const user = await addUser(service.database, app);
			const path = `/v1/apps/${app.id}/users/${user.id}`;
			statuses.push((await send(service, "DELETE", path, undefined, as(caller))).status);
		}
		expect(statuses).toEqual([403, 403, 202, 202, 404]);
	});

	test("answers a job, the same one for as long as it runs, and 404 once nothing is left", async () => {
		const user = await addUser(service.database, app);
		const path = `/v1/apps/${app.id}/users/${user.id}`;
		const remove = () => send(service, "DELETE", path, undefined, as(member("admin")));
		const first = (await (await remove()).json()) as { id: string; state: string };
		expect(first).toMatchObject({ object: "job", kind: "storage.empty", state: "queued", done: 0, total: null });
		expect(await (await remove()).json()).toEqual(first);
		const shown = await send(service, "GET", path, undefined, as(member("viewer")));
		expect(await shown.json()).toMatchObject({ state: "disconnecting" });
		await service.runJobs();
		expect((await remove()).status).toBe(404);
		expect((await send(service, "GET", path, undefined, as(member("viewer")))).status).toBe(404);
		expect((await list(member("viewer"), `?email=${user.email}`)).data).toEqual([]);
	});

	test("fifty at once start one job", async () => {
		const user = await addUser(service.database, app);
		const path = `/v1/apps/${app.id}/users/${user.id}`;
		const answers = await Promise.all(
			Array.from({ length: 50 }, () => send(service, "DELETE", path, undefined, as(member("admin")))),
		);
		const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: string }).id));
		expect(new Set(ids).size).toBe(1);
		expect(await service.runJobs()).toBe(1);
	});

	test("works in a paused and in a blocked App, and with sign-in off", async () => {
		for (const state of ["paused", "blocked"] as const) {
			const user = await addUser(service.database, app);
			await setAppState(service.database, app.id, state);
			await setSignIn(service.database, app.id, false);
			const path = `/v1/apps/${app.id}/users/${user.id}`;
			expect((await send(service, "DELETE", path, undefined, as(member("admin")))).status).toBe(202);
			await setAppState(service.database, app.id, "active");
			await setSignIn(service.database, app.id, true);
		}
	});

	test("whatever the cause, user_forbidden says the same [conn.cause-not-told]", async () => {
		const forbidden = async (id: string) => {
			const headers = { "X-Svc-User": id };
			const answer = await send(service, "GET", "/v1/images", undefined, { key: app.key, headers });
			return { status: answer.status, body: await answer.text() };
		};
		const [leaving, gone, disabled, deleting] = await Promise.all(
			Array.from({ length: 4 }, () => addUser(service.database, app)),
		);
		if (!leaving || !gone || !disabled || !deleting) throw new Error("users are missing");
		const remove = (id: string) =>
			send(service, "DELETE", `/v1/apps/${app.id}/users/${id}`, undefined, as(member("admin")));
		await remove(gone.id);
		await service.runJobs();
		await remove(leaving.id);
		await setAccountStatus(service.database, disabled.accountId, "disabled");
		await setAccountStatus(service.database, deleting.accountId, "deleting");
		const answers = await Promise.all(
			[leaving.id, gone.id, disabled.id, deleting.id, `usr_${"z".repeat(22)}`].map(forbidden),
		);
		expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
		expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
		expect(JSON.parse(answers[0]?.body ?? "").error.code).toBe("user_forbidden");
		await setAccountStatus(service.database, deleting.accountId, "active");
		await service.runJobs();
	});

	test("what is not understood in the query is named", async () => {
		const answer = await errorOf(
			await send(service, "GET", `/v1/apps/${app.id}/users?state=x&email=a&email=b`, undefined, as(member("viewer"))),
		);
		expect([answer.status, answer.fields.toSorted()]).toEqual([422, ["email", "state"]]);
	});
});
