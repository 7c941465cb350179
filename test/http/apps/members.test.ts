import { describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { addUserKey, connectUser, countOf } from "../../support/apps.ts";
import { addMember, addPerson, type TestPerson } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, eventsOf, makeKey, makeTeam, statuses, statusOfKey, type Team } from "../../support/teams.ts";

const service = serviceFor();
const outsider = madeBefore(() => addPerson(service.database));

const setRole = (team: Team, person: TestPerson, member: { id: string }, body: object) =>
	ask(service, person, "PATCH", `${team.path}/members/${member.id}`, body);
const remove = (team: Team, person: TestPerson, member: { id: string }, query = "") =>
	ask(service, person, "DELETE", `${team.path}/members/${member.id}${query}`);

async function join(team: Team, role: "viewer" | "editor" | "admin"): Promise<TestPerson> {
	const person = await addPerson(service.database);
	await addMember(service.database, { id: team.appId }, person, role);
	return person;
}

test("the team has Viewers, Editors, Admins and an Owner, and no role besides [roles.names]", async () => {
	const team = await makeTeam(service);
	const { data } = (await ask(service, team.viewer, "GET", `${team.path}/members`)).body as { data: object[] };
	expect(data).toEqual(
		(["admin", "editor", "viewer", "owner"] as const).map((role) => ({
			id: team[role].id,
			object: "member",
			account_id: team[role].id,
			email: team[role].email,
			role,
			created_at: expect.any(String),
		})),
	);
	for (const role of ["owner", "superuser", "", "Viewer", null, 1, {}, undefined]) {
		const refused = await setRole(team, team.owner, team.viewer, { role });
		expect([refused.status, Object.keys(refused.details)]).toEqual([422, ["role"]]);
	}
	expect((await ask(service, outsider, "GET", `${team.path}/members`)).status).toBe(404);
});

describe("changing a role", () => {
	test("Admin and Owner do; Editor and Viewer are refused [roles.admin.change-roles]", async () => {
		const team = await makeTeam(service);
		const member = await join(team, "viewer");
		expect(await statuses((role) => setRole(team, team[role], member, { role: "editor" }))).toEqual([
			403, 403, 200, 200,
		]);
		expect((await setRole(team, team.admin, member, { role: "admin" })).body.role).toBe("admin");
		expect((await setRole(team, outsider, member, { role: "viewer" })).status).toBe(404);
		expect(await eventsOf(service, team)).toEqual(["app.created", "member.role_changed", "member.role_changed"]);
	});

	test("below Admin a member's keys are 401 for good, which revoke_keys must allow [auth.key.creator-not-admin]", async () => {
		const team = await makeTeam(service);
		const keys = [
			await makeKey(service, team.admin, team.path),
			await makeKey(service, team.admin, team.path, { reach: "bucket" }),
		];
		const others = await makeKey(service, team.owner, team.path);
		for (const role of ["viewer", "editor"]) {
			const refused = await setRole(team, team.owner, team.admin, { role });
			expect([refused.status, refused.details.keys]).toEqual([409, keys.map(({ id }) => id)]);
			expect((await setRole(team, team.owner, team.admin, { role, revoke_keys: false })).status).toBe(409);
		}
		const working = () => Promise.all([...keys, others].map((key) => statusOfKey(service, key)));
		expect(await working()).toEqual([200, 200, 200]);
		expect((await setRole(team, team.owner, team.admin, { role: "editor", revoke_keys: true })).body.role).toBe(
			"editor",
		);
		expect(await working()).toEqual([401, 401, 200]);
		await setRole(team, team.owner, team.admin, { role: "admin" });
		expect(await working()).toEqual([401, 401, 200]);
		const { body } = await ask(service, team.viewer, "GET", `${team.path}/keys/${keys[0]?.id}`);
		expect(body.revoke_reason).toBe("creator_demoted");
	});

	test("keys that work no more stand in nobody's way", async () => {
		const team = await makeTeam(service);
		const key = await makeKey(service, team.admin, team.path);
		await ask(service, team.admin, "DELETE", `${team.path}/keys/${key.id}`);
		const soon = new Date(service.clock.now() + 1_000).toISOString();
		await makeKey(service, team.admin, team.path, { expires_at: soon });
		service.clock.advance(2_000);
		expect((await setRole(team, team.owner, team.admin, { role: "viewer" })).status).toBe(200);
	});

	test("the Owner is untouchable, and one who is none of the team is not there", async () => {
		const team = await makeTeam(service);
		for (const person of [team.admin, team.owner]) {
			expect((await setRole(team, person, team.owner, { role: "admin", revoke_keys: true })).code).toBe(
				"state_conflict",
			);
			expect((await remove(team, person, team.owner, "?revoke_keys=true")).code).toBe("state_conflict");
		}
		for (const id of [outsider.id, newId("acc"), "x", "__proto__", team.viewer.email]) {
			expect((await setRole(team, team.owner, { id }, { role: "editor" })).status).toBe(404);
			expect((await remove(team, team.owner, { id })).status).toBe(404);
		}
	});

	test("a demotion that races the making of keys leaves none of them alive", async () => {
		const team = await makeTeam(service);
		const made = Array.from({ length: 50 }, () =>
			ask(service, team.admin, "POST", `${team.path}/keys`, { name: "Race", reach: "app", permissions: ["read"] }),
		);
		const demoted = setRole(team, team.owner, team.admin, { role: "editor", revoke_keys: true });
		const replies = await Promise.all(made);
		expect((await demoted).status).toBe(200);
		expect(new Set(replies.map(({ status }) => status)).isSubsetOf(new Set([201, 403]))).toBe(true);
		// Made again Admin, none of them comes to life.
		await setRole(team, team.owner, team.admin, { role: "admin" });
		for (const { body } of replies.filter(({ status }) => status === 201)) {
			expect(await statusOfKey(service, { id: String(body.id), secret: String(body.secret) })).toBe(401);
		}
	});
});

describe("leaving the team", () => {
	test("Admin and Owner remove members; Editor and Viewer are refused [roles.admin.remove]", async () => {
		const team = await makeTeam(service);
		const answered = await statuses(async (role) => remove(team, team[role], await join(team, "editor")));
		expect(answered).toEqual([403, 403, 200, 200]);
	});

	test("everybody but the Owner may leave, and sees nothing of the App from then on", async () => {
		const team = await makeTeam(service);
		expect(await statuses((role) => remove(team, team[role], team[role]))).toEqual([200, 200, 200, 409]);
		for (const role of ["viewer", "editor", "admin"] as const) {
			expect((await ask(service, team[role], "GET", team.path)).status).toBe(404);
		}
		expect((await remove(team, team.viewer, team.viewer)).status).toBe(404);
	});

	test("a removed member's keys are 401 for good, which revoke_keys must allow [auth.key.creator-left]", async () => {
		const team = await makeTeam(service);
		const key = await makeKey(service, team.admin, team.path);
		const refused = await remove(team, team.owner, team.admin);
		expect([refused.status, refused.details]).toEqual([409, { keys: [key.id] }]);
		expect((await remove(team, team.admin, team.admin, "?revoke_keys=false")).status).toBe(409);
		expect(Object.keys((await remove(team, team.admin, team.admin, "?revoke_keys=1")).details)).toEqual([
			"revoke_keys",
		]);
		expect(await statusOfKey(service, key)).toBe(200);
		const removed = await remove(team, team.owner, team.admin, "?revoke_keys=true");
		expect(removed.body).toEqual({ id: team.admin.id, object: "member", deleted: true });
		expect(await statusOfKey(service, key)).toBe(401);
		await addMember(service.database, { id: team.appId }, team.admin, "admin");
		expect(await statusOfKey(service, key)).toBe(401);
		expect((await eventsOf(service, team)).slice(-2).sort()).toEqual(["key.revoked", "member.removed"]);
	});

	test("the key that somebody issued for their own pictures is none of the team's, and works on", async () => {
		const team = await makeTeam(service);
		const user = await connectUser(service.database, { id: team.appId });
		await addMember(service.database, { id: team.appId }, { id: user.accountId }, "admin");
		const secret = await addUserKey(service.database, { id: team.appId, ownerId: "", storageId: "" }, user);
		expect((await remove(team, team.owner, { id: user.accountId })).status).toBe(200);
		expect((await send(service, "GET", "/v1/images", undefined, { key: secret })).status).toBe(200);
	});

	test("of 20 removals at once one removes, and it is told of once", async () => {
		const team = await makeTeam(service);
		const replies = await Promise.all(Array.from({ length: 20 }, () => remove(team, team.owner, team.editor)));
		expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
		expect(replies.filter(({ status }) => status === 404)).toHaveLength(19);
		expect(await eventsOf(service, team)).toEqual(["app.created", "member.removed"]);
	});

	test("two Admins who remove each other at once are never both gone", async () => {
		const team = await makeTeam(service);
		const other = await join(team, "admin");
		await Promise.all([remove(team, team.admin, other), remove(team, other, team.admin)]);
		const app = sql`(SELECT pk FROM apps WHERE id = ${team.appId})`;
		const query = sql`SELECT count(*) FROM members WHERE role = 'admin' AND app_pk = ${app}`;
		expect(await countOf(service.database, query)).toBe(1);
	});
});
