import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT } from "@svc/base/processes/exit";
import { fakeService, refusal, type Sent } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../../kit/run.ts";

async function whoami(profile: object, argv: readonly string[] = [], reply?: (sent: Sent) => Response | undefined) {
	const cwd = await mkdtemp(join(tmpdir(), "svc-whoami-"));
	const profiles = { me: { base_url: "http://svc.test", ...profile } };
	await writeFile(join(cwd, "p.json"), JSON.stringify({ profiles }), { mode: 0o600 });
	const service = fakeService(reply);
	const world = fakeWorld({ fetch: service.fetch, cwd, env: { SVC_PROFILE_FILE: "p.json" } });
	const exit = await run(["whoami", ...argv], world);
	await rm(cwd, { recursive: true });
	return { exit, out: world.outText(), err: world.errText(), sent: service.sent };
}

const KEY = { api_key: "svc_sk_test_x" };
const SESSION = { token: "svc_ses_x", session: "ses_2" };

test("a pipe's columns stay where they are, whoever is signed in [whoami.columns]", async () => {
	const [key, both, person] = await Promise.all([KEY, { ...KEY, ...SESSION }, SESSION].map((who) => whoami(who, [])));
	const cells = (answer?: { out: string }) => answer?.out.replace("\n", "").split("\t") ?? [];
	expect(cells(key).slice(0, 9)).toEqual([
		...[
			"key_1",
			"First",
			"svc_sk_test_…wxyz",
			"app",
			"read,write",
			"app_1",
			"My first App",
			"never",
			"http://svc.test",
		],
	]);
	expect(cells(both).slice(0, 9)).toEqual(cells(key).slice(0, 9));
	expect(cells(both).slice(10)).toEqual(["ada@example.com", "true", "ses_2", "", "2026-02-01T00:00:00.000Z"]);
	expect(cells(person).slice(0, 9)).toEqual(["acc_1", "", "", "", "", "", "", "", "http://svc.test"]);
});

test("the session in use is told where it is known, of a token its scopes; a key alone asks for no person [whoami.json]", async () => {
	const known = JSON.parse((await whoami(SESSION, ["--json"])).out);
	expect(known).toMatchObject({ object: "account", session: { id: "ses_2" } });
	expect(JSON.parse((await whoami({ token: "svc_ses_x" }, ["--json"])).out).session).toBeNull();
	const token = JSON.parse((await whoami({ token: "svc_pat_x" }, ["--json"])).out);
	expect(token.session).toMatchObject({ object: "token", scopes: ["images:read", "images:write"] });
	const key = await whoami(KEY, ["--json"]);
	expect(JSON.parse(key.out)).toMatchObject({ object: "key", account: null, session: null });
	expect(key.sent.map(({ path }) => path)).toEqual(["/v1/key"]);
});

test("a key is shown although the sign-in beside it has ended, which is told [whoami.ended]", async () => {
	const reply = ({ path }: Sent) => (path === "/v1/me" ? refusal(401, "unauthorized") : undefined);
	const both = await whoami({ ...KEY, ...SESSION }, ["--field", "id"], reply);
	expect([both.exit, both.out, both.err]).toEqual([EXIT.ok, "key_1\n", expect.stringContaining("svc login")]);
	expect((await whoami(SESSION, [], reply)).exit).toBe(EXIT.auth);
});
