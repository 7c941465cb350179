import { describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { mailedFacts } from "../../support/mail.ts";
import { addPerson, addSession, type TestPerson } from "../../support/people.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, eventsOf, makeTeam, statuses, type Team } from "../../support/teams.ts";

const DAY_MS = 86_400_000;

const service = serviceFor();
const outsider = madeBefore(() => addPerson(service.database));

const invite = (team: Team, person: TestPerson, email: string, role = "editor") =>
	ask(service, person, "POST", `${team.path}/invites`, { email, role });
const accept = (
	person: { readonly secret: string },
	{ body }: Awaited<ReturnType<typeof invite>>,
	token = body.token,
) => ask(service, person, "POST", `/v1/invites/${body.id}/accept`, { token });
const listed = async (team: Team) =>
	(await ask(service, team.admin, "GET", `${team.path}/invites`)).body.data as { id: string; email: string }[];

const mailsTo = (email: string) =>
	mailedFacts<Readonly<Record<string, unknown>>>(service.database, sql`recipient = ${email}`);

describe("inviting", () => {
	test("Admin and Owner invite, see and take back invites; Editor and Viewer are refused [roles.admin.invite]", async () => {
		const team = await makeTeam(service);
		expect(await statuses((role) => invite(team, team[role], `${role}@new.example`))).toEqual([403, 403, 201, 201]);
		const [one] = await listed(team);
		const path = `${team.path}/invites`;
		expect(await statuses((role) => ask(service, team[role], "GET", path))).toEqual([403, 403, 200, 200]);
		const taken = await statuses((role) => ask(service, team[role], "DELETE", `${path}/${one?.id}`));
		expect(taken).toEqual([403, 403, 200, 404]);
		expect((await invite(team, outsider, "a@new.example")).status).toBe(404);
	});

	test("201 with a token that no list shows, and a mail with the link to it", async () => {
		const team = await makeTeam(service, "Paintings");
		const { status, body } = await invite(team, team.admin, " New@Invited.example ", "viewer");
		expect(status).toBe(201);
		const token = String(body.token);
		expect(token).toMatch(/^[0-9A-Za-z]{32}$/);
		const life = Date.parse(String(body.expires_at)) - Date.parse(String(body.created_at));
		expect(life).toBe(7 * DAY_MS);
		expect(body).toMatchObject({ object: "invite", email: "New@Invited.example", role: "viewer" });
		expect(JSON.stringify(await listed(team))).not.toContain(token);
		expect(await mailsTo("New@Invited.example")).toEqual([
			{
				template: "invite",
				facts: {
					app: "Paintings",
					by: team.admin.email,
					role: "viewer",
					link: `${service.rooms.addresses.web}/invites/${body.id}?token=${token}`,
					days: 7,
				},
			},
		]);
	});

	test("422 for what is no address, no role to give, and a member", async () => {
		const team = await makeTeam(service);
		for (const email of [
			"",
			"x",
			"a@b@c.example",
			"a@b.example\nBcc: c@d.example",
			"<a@b.example>",
			`${"x".repeat(300)}@a.example`,
		]) {
			expect(Object.keys((await invite(team, team.admin, email)).details)).toEqual(["email"]);
		}
		expect(Object.keys((await invite(team, team.admin, "a@b.example", "owner")).details)).toEqual(["role"]);
		expect(Object.keys((await invite(team, team.admin, team.viewer.email.toUpperCase())).details)).toEqual(["email"]);
		expect(await listed(team)).toEqual([]);
	});

	test("inviting an address again replaces the open invite, and the audit tells of both", async () => {
		const team = await makeTeam(service);
		const first = await invite(team, team.admin, outsider.email);
		const second = await invite(team, team.owner, outsider.email.toUpperCase(), "admin");
		expect((await listed(team)).map(({ id }) => id)).toEqual([String(second.body.id)]);
		expect((await accept(outsider, first)).status).toBe(404);
		expect((await eventsOf(service, team)).slice(-3)).toEqual(["invite.created", "invite.deleted", "invite.created"]);
		expect((await accept(outsider, second)).body.role).toBe("admin");
	});

	test("of 20 invites of one address at once one is open in the end", async () => {
		const team = await makeTeam(service);
		const replies = await Promise.all(Array.from({ length: 20 }, () => invite(team, team.admin, "race@new.example")));
		expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 429]));
		expect(await listed(team)).toHaveLength(1);
	});

	test("429 before somebody's mailbox, or the service's good name, is spoilt: 10 a day to one address, 60 an hour from one App", async () => {
		const team = await makeTeam(service);
		const many = async (count: number, email: (place: number) => string) => {
			const codes: string[] = [];
			for (let place = 0; place < count; place++) codes.push((await invite(team, team.admin, email(place))).code);
			return codes.filter((code) => code === "rate_limited").length;
		};
		expect(await many(11, () => "often@new.example")).toBe(1);
		expect(await many(50, (place) => `${place}@many.example`)).toBe(1);
		service.clock.advance(3_600_000);
		expect((await invite(team, team.admin, "again@new.example")).status).toBe(201);
		expect((await invite(team, team.admin, "often@new.example")).status).toBe(429);
	});

	test("429 past 100 invites a day by one person, however many Apps they own; others of the team go on, and so does the person a day later", async () => {
		const teams = [await makeTeam(service), await makeTeam(service)] as const;
		const [first, second] = teams;
		// The same person looks after both.
		const { body } = await invite(second, second.owner, first.admin.email, "admin");
		expect(
			(await ask(service, first.admin, "POST", `/v1/invites/${body.id}/accept`, { token: body.token })).status,
		).toBe(200);
		for (let place = 0; place < 100; place++) {
			const team = teams[place % 2] ?? first;
			expect((await invite(team, first.admin, `${place}@two-teams.example`)).status).toBe(201);
		}
		for (const team of teams) {
			const refused = await invite(team, first.admin, "one@two-teams.example");
			expect([refused.status, refused.code]).toEqual([429, "rate_limited"]);
			expect((await invite(team, team.owner, "one@two-teams.example")).status).toBe(201);
		}
		service.clock.advance(23 * 3_600_000);
		expect((await invite(first, first.admin, "one@two-teams.example")).status).toBe(429);
		service.clock.advance(3_600_000);
		expect((await invite(first, first.admin, "one@two-teams.example")).status).toBe(201);
	});

	test("422 past 100 open invites of one App", async () => {
		const team = await makeTeam(service);
		for (let place = 0; place < 100; place++) {
			if (place === 60) service.clock.advance(3_600_000);
			const person = place % 2 === 0 ? team.admin : team.owner;
			expect((await invite(team, person, `${place}@full.example`)).status).toBe(201);
		}
		expect(Object.keys((await invite(team, team.admin, "one@more.example")).details)).toEqual(["email"]);
		expect((await invite(team, team.admin, "7@full.example")).status).toBe(201);
	});

	test("what somebody who was removed or demoted has invited others with works no more", async () => {
		const team = await makeTeam(service);
		const [one, two] = [await addPerson(service.database), await addPerson(service.database)];
		const first = await invite(team, team.admin, one.email);
		await ask(service, team.owner, "PATCH", `${team.path}/members/${team.admin.id}`, { role: "editor" });
		expect((await accept(one, first)).status).toBe(404);
		const second = await invite(team, team.owner, two.email);
		expect((await accept(two, second)).status).toBe(200);
	});
});

describe("accepting", () => {
	test("makes the invited person a member in the role of the invite", async () => {
		const team = await makeTeam(service);
		const person = await addPerson(service.database);
		const { status, body } = await accept(person, await invite(team, team.admin, person.email, "editor"));
		expect(status).toBe(200);
		expect(body).toMatchObject({ id: person.id, object: "member", account_id: person.id, role: "editor" });
		expect((await ask(service, person, "GET", team.path)).body.role).toBe("editor");
		expect((await eventsOf(service, team)).slice(-2)).toEqual(["invite.created", "member.joined"]);
		expect(await listed(team)).toEqual([]);
	});

	test("404, all alike, for an unknown invite, another token, another's invite and a token of another App", async () => {
		const team = await makeTeam(service);
		const person = await addPerson(service.database);
		const made = await invite(team, team.admin, person.email);
		const other = await invite(team, team.admin, "other@new.example");
		const bound = await addSession(service.database, person.id, {
			scopes: ["apps:write"],
			appId: (await makeTeam(service)).appId,
		});
		const refused = [
			await accept(outsider, made),
			await accept(person, made, other.body.token),
			await accept(person, made, "x".repeat(32)),
			await accept(person, made, ""),
			await accept(person, other),
			await accept({ secret: bound }, made),
			await ask(service, person, "POST", `/v1/invites/${newId("inv")}/accept`, { token: made.body.token }),
			await ask(service, person, "POST", "/v1/invites/__proto__/accept", { token: made.body.token }),
		];
		expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([404]));
		expect(new Set(refused.map(({ body }) => JSON.stringify(body))).size).toBe(1);
		expect((await accept(person, made)).status).toBe(200);
	});

	test("409 for one that is spent or has expired, and for who is a member already", async () => {
		const team = await makeTeam(service);
		const person = await addPerson(service.database);
		const made = await invite(team, team.admin, person.email);
		await accept(person, made);
		expect((await accept(person, made)).code).toBe("state_conflict");
		expect((await ask(service, team.admin, "DELETE", `${team.path}/invites/${made.body.id}`)).code).toBe(
			"state_conflict",
		);
		const late = await addPerson(service.database);
		const expired = await invite(team, team.admin, late.email);
		service.clock.advance(7 * DAY_MS);
		expect((await accept(late, expired)).code).toBe("state_conflict");
		expect((await accept(late, await invite(team, team.admin, late.email))).status).toBe(200);
	});

	test("of 50 at once one wins", async () => {
		const team = await makeTeam(service);
		const person = await addPerson(service.database);
		const made = await invite(team, team.admin, person.email);
		const replies = await Promise.all(Array.from({ length: 50 }, () => accept(person, made)));
		expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
		expect(replies.filter(({ status }) => status === 409)).toHaveLength(49);
		expect((await eventsOf(service, team)).filter((event) => event === "member.joined")).toHaveLength(1);
	});

	test("an invite that was open when it was read is spent by the time of the second commit, or expired", async () => {
		const team = await makeTeam(service);
		const store = service.rooms.apps.invites;
		const people = [team.viewer, outsider];
		const pkOf = async (id: string) => countOf(service.database, sql`SELECT pk FROM accounts WHERE id = ${id}`);
		const made = await invite(team, team.admin, "stale@new.example");
		const app = await countOf(service.database, sql`SELECT pk FROM apps WHERE id = ${team.appId}`);
		const stale = await store.find(app, String(made.body.id));
		if (!stale) throw new Error("the invite is gone");
		const by = { actor: "test", requestId: null, nowMs: service.clock.now() };
		const late = { ...by, nowMs: stale.expiresMs };
		const [member, other] = await Promise.all(people.map(async ({ id }) => ({ id, pk: await pkOf(id) })));
		if (!member || !other) throw new Error("nobody is there");
		expect(await store.accept(stale, other, late)).toBe("spent");
		expect(await store.accept(stale, member, by)).toBe("member");
		expect(await store.accept(stale, other, by)).toBeUndefined();
		expect(await store.accept(stale, member, by)).toBe("spent");
	});

	test("404 once the App is being deleted, or the invite was taken back", async () => {
		const team = await makeTeam(service);
		const person = await addPerson(service.database);
		const taken = await invite(team, team.admin, person.email);
		await ask(service, team.admin, "DELETE", `${team.path}/invites/${taken.body.id}`);
		expect((await accept(person, taken)).status).toBe(404);
		const made = await invite(team, team.admin, person.email);
		await ask(service, team.owner, "DELETE", `${team.path}?confirm_name=Pictures`);
		expect((await accept(person, made)).status).toBe(404);
	});
});
