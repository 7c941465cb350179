import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectUser, type TestUser } from "../support/apps.ts";
import { corners } from "../support/pictures.ts";
import { jsonOf } from "../support/program.ts";
import { uploaded } from "../support/requests.ts";
import { startTeamProgram, type TeamProgram } from "../support/team-program.ts";

let program: TeamProgram;

beforeAll(async () => {
	program = await startTeamProgram();
	// While it is off, nobody is shown.
	await program.svc("apps", "sign-in", "on", program.appId);
});

afterAll(() => program.stop());

const svc = (...argv: readonly string[]) => program.svc(...argv);

const json = (...argv: readonly string[]) => jsonOf(svc(...argv, "--json"));

async function connect(pictures: number): Promise<TestUser> {
	const { service, appId } = program;
	const user = await connectUser(service.database, { id: appId });
	const caller = { headers: { "X-Svc-User": user.id } };
	for (let count = 0; count < pictures; count++) {
		await uploaded(service, await corners(30 + count, 20), `${count}.png`, {}, caller);
	}
	return user;
}

test("list, by address too, and get show who is connected and what they store [cli.users]", async () => {
	const user = await connect(1);
	const [{ email }] = [await json("users", "get", user.id)];
	expect(await json("users", "list", "--all")).toContainEqual(expect.objectContaining({ id: user.id, images: 1 }));
	expect(await json("users", "list", "--email", email)).toMatchObject([{ id: user.id, object: "connected_user" }]);
	const missing = await svc("users", "get", "usr_none");
	expect([missing.exit, missing.err.includes("svc users list")]).toEqual([5, true]);
});

test("waits for the job: the connection and the pictures are gone [cli.users.disconnect]", async () => {
	const user = await connect(2);
	const refused = await svc("users", "disconnect", user.id);
	expect([refused.exit, refused.err.includes("--yes")]).toEqual([2, true]);
	const [planned] = await json("users", "disconnect", user.id, "--dry-run", "-q");
	expect(planned).toEqual({ method: "DELETE", path: `/v1/apps/${program.appId}/users/${user.id}` });
	expect(await json("users", "get", user.id)).toMatchObject({ state: "connected", images: 2 });
	const job = await json("users", "disconnect", user.id, "--yes");
	expect(job).toMatchObject({ object: "job", kind: "storage.empty", state: "done" });
	expect((await svc("images", "list", "--user", user.id)).exit).not.toBe(0);
	expect(JSON.stringify(await json("users", "list", "--all"))).not.toContain(user.id);
});
