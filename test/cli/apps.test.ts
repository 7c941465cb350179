import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addPerson } from "../support/people.ts";
import { corners } from "../support/pictures.ts";
import { jsonOf } from "../support/program.ts";
import { uploaded } from "../support/requests.ts";
import { startTeamProgram, type TeamProgram } from "../support/team-program.ts";

let program: TeamProgram;

beforeAll(async () => {
	program = await startTeamProgram();
});

afterAll(() => program.stop());

const svc = (...argv: readonly string[]) => program.svc(...argv);

const json = (...argv: readonly string[]) => jsonOf(svc(...argv, "--json"));

const make = async (name: string): Promise<string> => (await json("apps", "create", name)).id;

describe("svc apps", () => {
	test("create, list, get, rename, pause, resume and sign-in, each showing the App as it is then [cli.apps.round]", async () => {
		const id = await make("Round");
		expect(await json("apps", "list", "--all")).toContainEqual(expect.objectContaining({ id, role: "owner" }));
		expect(await json("apps", "rename", id, "Rounder")).toMatchObject({ object: "app", id, name: "Rounder" });
		expect(await json("apps", "pause", id)).toMatchObject({ state: "paused" });
		expect(await json("apps", "resume", id)).toMatchObject({ state: "active" });
		expect(await json("apps", "sign-in", "on", id)).toMatchObject({ sign_in_enabled: true });
		expect(await json("apps", "sign-in", "off", id)).toMatchObject({ sign_in_enabled: false });
		expect(await json("apps", "get", "--app", id)).toMatchObject({ id, name: "Rounder" });
		// Without anything else it is the App of the key in the profile.
		expect(await json("apps", "get")).toMatchObject({ id: program.appId });
	});

	test("nothing is changed by a dry run, and the calls are those that would be made [cli.apps.dry-run]", async () => {
		const id = await make("Dry & run");
		const [planned] = await json("apps", "delete", id, "--cancel-subscriptions", "--dry-run", "-q");
		const path = `/v1/apps/${id}?confirm_name=Dry%20%26%20run&cancel_subscriptions=true`;
		expect(planned).toEqual({ method: "DELETE", path });
		const [renamed] = await json("apps", "rename", id, "Other", "--dry-run", "-q");
		expect(renamed).toEqual({ method: "PATCH", path: `/v1/apps/${id}`, body: { name: "Other" } });
		expect(await json("apps", "get", id)).toMatchObject({ name: "Dry & run", state: "active" });
	});

	test("waits for the job, and the App is gone; without --yes a pipe changes nothing [cli.apps.delete]", async () => {
		const id = await make("Short-lived");
		const key = await json("keys", "create", "k", "--app", id);
		await uploaded(program.service, await corners(30, 20), "a.png", {}, { key: key.secret });
		const refused = await svc("apps", "delete", id);
		expect([refused.exit, refused.out, refused.err.includes("--yes")]).toEqual([2, "", true]);
		const job = await json("apps", "delete", id, "--yes");
		expect(job).toMatchObject({ object: "job", kind: "app.delete", state: "done" });
		const { exit, err } = await svc("apps", "get", id);
		expect([exit, err.includes("svc apps list")]).toEqual([5, true]);
	});

	test("--no-wait prints the job at once, and svc jobs waits for it [cli.apps.no-wait]", async () => {
		const id = await make("Unwatched");
		const started = await json("apps", "delete", id, "--yes", "--no-wait");
		const waited = await json("jobs", "wait", started.id);
		expect([started.kind, waited.state]).toEqual(["app.delete", "done"]);
		expect(await json("jobs", "get", started.id)).toEqual(waited);
		expect(await json("jobs", "list", "--state", "done", "--kind", "app.delete")).toContainEqual(waited);
		expect((await svc("jobs", "wait", "job_none")).exit).toBe(5);
	});

	test("makes a member the Owner, and a stranger not [cli.apps.transfer]", async () => {
		const id = await make("Handed on");
		const person = await addPerson(program.service.database);
		const refused = await svc("apps", "transfer", id, person.email, "--yes");
		expect([refused.exit, refused.err.includes("svc members list")]).toEqual([1, true]);
		const invite = await json("invites", "create", person.email, "--role", "admin", "--app", id);
		const body = JSON.stringify({ token: invite.token });
		const accept = ["api", "POST", `/v1/invites/${invite.id}/accept`, "--data", body];
		expect((await program.svcAs(person, ...accept)).exit).toBe(0);
		expect(await json("apps", "transfer", id, person.email, "--yes")).toMatchObject({ role: "admin" });
		const got = await program.svcAs(person, "apps", "get", id, "--field", "role");
		expect(got.out).toBe("owner\n");
	});

	test("an operator blocks with a reason and unblocks; who is none cannot [cli.apps.block]", async () => {
		const id = await make("Spammer");
		const block = ["apps", "block", id, "--reason", "spam", "--note", "Case 12", "--yes"];
		const stranger = await addPerson(program.service.database);
		const refused = await program.svcAs(stranger, ...block);
		expect([refused.exit, refused.err.includes("operators")]).toEqual([4, true]);
		expect((await svc("apps", "block", id, "--yes")).exit).toBe(2);
		const typo = await svc("apps", "block", id, "--reason", "spm", "--yes");
		expect([typo.exit, typo.err.includes("Did you mean spam?")]).toEqual([2, true]);
		expect((await json(...block)).block_reason).toBe("spam");
		expect(await json("apps", "get", id)).toMatchObject({ state: "blocked" });
		expect((await json("apps", "unblock", id)).state).toBe("active");
	});

	test("a word that is no id is refused before anything is sent [cli.apps.words]", async () => {
		for (const id of ["", ".", ".."]) expect((await svc("apps", "delete", id, "--yes")).exit).toBe(2);
		expect((await svc("apps", "get", "app_1", "app_2")).exit).toBe(2);
	});
});

describe("svc redirect-uris", () => {
	test("add several, list, rm by id and by address; what is malformed is exit 3 [cli.redirect-uris]", async () => {
		const [one, other] = ["https://a.example.com/back", "http://localhost:8080/back"];
		const added = await svc("redirect-uris", "add", one, "ftp://b.example.com/", other, "--field", "id");
		expect([added.exit, added.err.includes("ftp://b.example.com/")]).toEqual([3, true]);
		const [id = ""] = added.out.split("\n");
		const listed = await json("redirect-uris", "list");
		expect(listed.map(({ uri }: { uri: string }) => uri).sort()).toEqual([other, one]);
		expect(await json("redirect-uris", "rm", id, other)).toHaveLength(2);
		expect(await json("redirect-uris", "list")).toEqual([]);
		expect((await svc("redirect-uris", "rm", one)).exit).toBe(5);
	});
});
