import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addMember, addPerson, type TestPerson } from "../support/people.ts";
import { jsonOf } from "../support/program.ts";
import { startTeamProgram, type TeamProgram } from "../support/team-program.ts";
import { makeKey, statusOfKey } from "../support/teams.ts";

let program: TeamProgram;

beforeAll(async () => {
	program = await startTeamProgram();
});

afterAll(() => program.stop());

const svc = (...argv: readonly string[]) => program.svc(...argv);

const json = (...argv: readonly string[]) => jsonOf(svc(...argv, "--json"));

async function join(role: "viewer" | "admin"): Promise<TestPerson> {
	const person = await addPerson(program.service.database);
	await addMember(program.service.database, { id: program.appId }, person, role);
	return person;
}

const emails = async (): Promise<string[]> =>
	(await json("members", "list", "--all")).map(({ email }: { email: string }) => email);

describe("svc members", () => {
	test("changes a role by e-mail address or by id, and refuses words that are no role [cli.members.role]", async () => {
		const person = await join("viewer");
		expect(await json("members", "role", person.email.toUpperCase(), "editor")).toMatchObject({ role: "editor" });
		expect(await json("members", "role", person.id, "admin")).toMatchObject({ id: person.id, role: "admin" });
		const owner = await svc("members", "role", person.id, "owner");
		expect([owner.exit, owner.err.includes("svc apps transfer")]).toEqual([2, true]);
		const unknown = await svc("members", "role", "nobody@example.com", "viewer");
		expect([unknown.exit, unknown.err.includes("svc members list")]).toEqual([5, true]);
	});

	test("exit 6 names the keys that would die and the flag; with it they do [cli.members.keys]", async () => {
		const person = await join("admin");
		const key = await makeKey(program.service, person, `/v1/apps/${program.appId}`);
		const refused = await svc("members", "role", person.email, "viewer");
		expect([refused.exit, refused.err.includes(key.id), refused.err.includes("--revoke-keys")]).toEqual([
			6,
			true,
			true,
		]);
		expect((await svc("members", "role", person.email, "viewer", "--revoke-keys")).exit).toBe(2);
		expect(await statusOfKey(program.service, key)).toBe(200);
		await json("members", "role", person.email, "viewer", "--revoke-keys", "--yes");
		expect(await statusOfKey(program.service, key)).toBe(401);
	});

	test("asks for --yes on a pipe, plans on --dry-run, and then the member is gone [cli.members.remove]", async () => {
		const person = await join("viewer");
		expect((await svc("members", "remove", person.email)).exit).toBe(2);
		const [planned] = await json("members", "remove", person.email, "--revoke-keys", "--dry-run", "-q");
		const path = `/v1/apps/${program.appId}/members/${person.id}?revoke_keys=true`;
		expect(planned).toEqual({ method: "DELETE", path });
		expect(await emails()).toContain(person.email);
		const gone = await json("members", "remove", person.email, "--yes");
		expect(gone).toEqual({ id: person.id, object: "member", deleted: true });
		expect(await emails()).not.toContain(person.email);
	});
});

describe("svc invites", () => {
	test("create shows the token once, list does not, accepting it joins, and revoke takes others back [cli.invites]", async () => {
		const person = await addPerson(program.service.database);
		const invite = await json("members", "invite", person.email, "--role", "editor");
		const other = await json("invites", "create", "eve@example.com");
		const listed = await json("invites", "list");
		expect(listed).toContainEqual(expect.objectContaining({ id: invite.id, role: "editor" }));
		expect(listed).toContainEqual(expect.objectContaining({ id: other.id, role: "viewer" }));
		expect(JSON.stringify(listed)).not.toContain(invite.token);
		const body = JSON.stringify({ token: invite.token });
		const accepted = await program.svcAs(person, "api", "POST", `/v1/invites/${invite.id}/accept`, "--data", body);
		expect([accepted.exit, (await emails()).includes(person.email)]).toEqual([0, true]);
		expect(await json("invites", "revoke", other.id)).toEqual([{ id: other.id, object: "invite", deleted: true }]);
		const again = await svc("invites", "revoke", other.id);
		expect([again.exit, again.err.includes("svc invites list")]).toEqual([5, true]);
	});

	test("who may not invite is exit 4 [cli.invites.forbidden]", async () => {
		const viewer = await join("viewer");
		expect((await program.svcAs(viewer, "members", "invite", "eve@example.com")).exit).toBe(4);
	});
});
