import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { firstApp } from "../support/apps.ts";
import { type BareProgram, OPERATOR, openBareProgram } from "../support/bare-program.ts";
import { corners } from "../support/pictures.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let program: BareProgram;

beforeAll(async () => {
	service = await startService({ SVC_SIGN_IN_EMAIL_RATE: "100", SVC_SIGN_IN_IP_RATE: "1000" });
});

afterAll(() => service.stop());

beforeEach(async () => {
	program = await openBareProgram(service);
});

afterEach(() => program.close());

describe("a profile without a key", () => {
	test("image commands run as the person, in the App that is named or configured [cli.person]", async () => {
		await program.signIn();
		await writeFile(join(program.home, "one.png"), await corners(30, 20));
		const app = JSON.parse((await program.svc(["api", "GET", "/v1/apps"])).out).data[0].id;
		expect((await program.svc(["images", "upload", "one.png", "--app", app])).exit).toBe(0);
		expect((await program.svc(["config", "set", "app", app])).exit).toBe(0);
		expect((await program.svc(["config", "get", "app", "--field", "value"])).out).toBe(`${app}\n`);
		const listed = await program.svc(["images", "list", "--field", "filename"]);
		expect([listed.exit, listed.out]).toEqual([0, "one.png\n"]);
		expect(JSON.parse((await program.svc(["whoami", "--json"])).out)).toMatchObject({
			object: "account",
			email: OPERATOR,
		});
	});

	test("an App that is made is the profile's from then on, which says so; keys and images are about it [cli.person.made-app]", async () => {
		await program.signIn("grace@example.com");
		const none = await program.svc(["images", "list"]);
		expect([none.exit, none.err]).toEqual([2, expect.stringContaining("svc apps create")]);
		const made = await program.svc(["apps", "create", "Sunday Hikers"]);
		expect(made.err).toMatch(/The profile "\S+" means the App "Sunday Hikers" \(app_\w+\) from now on/);
		const key = await program.svc(["keys", "create", "backend", "--secret-file", join(program.home, "key.txt")]);
		expect([key.exit, key.err]).toEqual([0, expect.not.stringContaining("from now on")]);
		const second = await program.svc(["apps", "create", "Monday Bikers", "--json"]);
		expect([second.exit, second.err]).toEqual([0, ""]);
		const kept = (await program.svc(["config", "get", "app", "--field", "value"])).out.trim();
		expect(made.err).toContain(kept);
	});

	test("a person's only App is taken and kept; of two none is, until one is named [cli.person.only-app]", async () => {
		await program.signIn("hedy@example.com");
		expect((await program.svc(["apps", "create", "One"])).exit).toBe(0);
		expect((await program.svc(["config", "set", "app", ""])).exit).toBe(0);
		const plan = await program.svc(["keys", "create", "backend", "--dry-run"]);
		expect([plan.exit, plan.err]).toEqual([0, expect.not.stringContaining("from now on")]);
		const first = await program.svc(["images", "list"]);
		expect([first.exit, first.err]).toEqual([0, expect.stringContaining('means the App "One"')]);
		expect((await program.svc(["images", "list"])).err).toBe("");
		expect((await program.svc(["apps", "create", "Two"])).exit).toBe(0);
		expect((await program.svc(["config", "set", "app", ""])).exit).toBe(0);
		const unclear = await program.svc(["images", "list"]);
		expect([unclear.exit, unclear.err]).toEqual([2, expect.stringContaining("svc config set app")]);
	});

	test("a key is not used for another App than its own [cli.person.key-app]", async () => {
		const env = { SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl };
		const { exit, err } = await program.svc(["images", "list", "--app", "app_other"], { env });
		expect([exit, err]).toEqual([4, expect.stringContaining("not of app_other")]);
		const own = (await program.svc(["whoami", "--field", "app.id"], { env })).out.trim();
		expect((await program.svc(["images", "list", "--app", own], { env })).exit).toBe(0);
	});
});

describe("sessions and tokens", () => {
	test("lists one's own sessions and ends them [cli.sessions]", async () => {
		await program.signIn("ada@example.com");
		const first = JSON.parse((await program.svc(["sessions", "list", "--json"])).out);
		expect(first).toMatchObject([{ object: "session", device: expect.stringMatching(/^svc on /) }]);
		await program.signIn("ada@example.com", "--profile", "second");
		expect(JSON.parse((await program.svc(["sessions", "list", "--json"])).out)).toHaveLength(2);
		expect((await program.svc(["sessions", "end", first[0].id])).exit).toBe(2);
		const ended = await program.svc(["sessions", "end", first[0].id, "ses_none", "--yes"]);
		expect([ended.exit, ended.out]).toEqual([3, `${first[0].id}\ttrue\n`]);
		expect((await program.svc(["sessions", "list", "--profile", new URL(service.baseUrl).host])).exit).toBe(4);
	});

	test("a token is shown once or goes into a new file, works, and is revoked [cli.tokens]", async () => {
		await program.signIn();
		const line = ["tokens", "create", "ci", "--scope", "apps:read", "--expires-in", "1h"];
		const shown = JSON.parse((await program.svc([...line, "--json"])).out);
		expect(shown).toMatchObject({ name: "ci", scopes: ["apps:read"], secret: expect.stringMatching(/^svc_pat_/) });
		const filed = await program.svc([...line, "--secret-file", "token.txt", "--json"]);
		const secret = await readFile(join(program.home, "token.txt"), "utf8");
		expect([
			filed.exit,
			filed.out.includes(secret),
			(await stat(join(program.home, "token.txt"))).mode & 0o777,
		]).toEqual([0, false, 0o600]);
		const env = { SVC_API_KEY: secret, SVC_BASE_URL: service.baseUrl };
		const who = JSON.parse((await program.svc(["whoami", "--json"], { env })).out);
		expect(who).toMatchObject({ object: "account", session: { object: "token", scopes: ["apps:read"] } });
		const listed = await program.svc(["tokens", "list", "--field", "id"]);
		expect(listed.out).toContain(shown.id);
		expect((await program.svc(["tokens", "revoke", shown.id, "--yes"])).out).toBe(`${shown.id}\ttrue\n`);
		expect([await program.statusOf(shown.secret), await program.statusOf(secret)]).toEqual([401, 200]);
		expect((await program.svc([...line, "--scope", "apps:reed"])).err).toContain("Did you mean apps:read?");
	});
});

describe("profiles", () => {
	test("a key is never taken for one of another App, whatever the profile says [cli.profile.other-app]", async () => {
		const local = { base_url: service.baseUrl, api_key: service.apiKey, app: "app_other" };
		const own = join(program.home, "profiles.json");
		await writeFile(own, JSON.stringify({ current: "local", profiles: { local } }), { mode: 0o600 });
		for (const line of [
			["images", "list"],
			["images", "delete", "img_1", "--yes"],
		]) {
			const { exit, err } = await program.svc([...line, "--app", "app_other"]);
			expect([exit, err]).toEqual([4, expect.stringContaining("not of app_other")]);
		}
		const set = await program.svc(["config", "set", "app", "app_third"]);
		expect([set.exit, JSON.parse(await readFile(own, "utf8")).profiles.local]).toEqual([6, local]);
		const added = ["profile", "add", "two", "--base-url", service.baseUrl, "--app", "app_third", "--key-stdin"];
		expect((await program.svc(added, { stdin: service.apiKey })).exit).toBe(2);
	});

	test("are added, chosen and removed; the service's own file stays the place of its own [cli.profile.life]", async () => {
		const local = { base_url: service.baseUrl, api_key: service.apiKey, note: "kept" };
		const own = join(program.home, "profiles.json");
		await writeFile(own, JSON.stringify({ current: "local", profiles: { local } }), { mode: 0o600 });
		expect((await program.svc(["profile", "add", "far", "--base-url", "https://far.example.com"])).exit).toBe(0);
		expect((await program.svc(["profile", "add", "far", "--base-url", "https://far.example.com"])).exit).toBe(6);
		expect((await program.svc(["profile", "use", "far"])).exit).toBe(0);
		const listed = JSON.parse((await program.svc(["profile", "list", "--json"])).out);
		expect(listed.map(({ name, current, holds }: Record<string, unknown>) => [name, current, holds])).toEqual([
			["far", true, []],
			["local", false, ["key"]],
		]);
		expect((await program.svc(["profile", "use", "local"])).exit).toBe(0);
		expect((await program.svc(["whoami", "--field", "source"])).out).toBe(`profile "local" (${own})\n`);
		const { id: app } = await firstApp(service.database);
		await program.svc(["config", "set", "app", app]);
		expect(JSON.parse(await readFile(own, "utf8")).profiles.local).toEqual({ ...local, app });
		expect((await program.svc(["profile", "rm", "far"])).exit).toBe(2);
		expect((await program.svc(["profile", "rm", "far", "--yes"])).exit).toBe(0);
		expect((await program.svc(["profile", "use", "far"])).exit).toBe(4);
		const moved = await program.svc(["config", "set", "base_url", "https://evil.example.com"]);
		expect([moved.exit, (await program.svc(["config", "get", "base_url", "--field", "value"])).out]).toEqual([
			2,
			`${service.baseUrl}\n`,
		]);
	});
});

describe("with an App's key in the environment, as the first start prints it", () => {
	test("what needs a person is done as who is signed in at that address, and the key stays first where it is enough [cli.person.with-key]", async () => {
		await program.signIn();
		const app = JSON.parse((await program.svc(["api", "GET", "/v1/apps"])).out).data[0].id;
		const made = await program.svc(["keys", "create", "first", "--app", app, "--field", "secret"]);
		const env = { SVC_API_KEY: made.out.trim(), SVC_BASE_URL: service.baseUrl };
		const svc = (...line: string[]) => program.svc(line, { env });
		expect((await svc("apps", "list", "--field", "id")).out).toContain(app);
		const second = await svc("keys", "create", "second", "--json");
		expect([second.exit, JSON.parse(second.out).app?.id ?? app]).toEqual([0, app]);
		expect(JSON.parse((await svc("whoami", "--json")).out)).toMatchObject({
			object: "key",
			account: { email: OPERATOR },
		});
		await writeFile(join(program.home, "two.png"), await corners(30, 20));
		expect((await svc("images", "upload", "two.png", "--json")).exit).toBe(0);
		expect((await svc("images", "list", "--field", "filename", "-o", "tsv")).out).toContain("two.png");
		// At another address nobody is signed in: the profile's secret goes nowhere else.
		const other = { ...env, SVC_BASE_URL: service.baseUrl.replace("localhost", "127.0.0.1") };
		const refused = await program.svc(["apps", "list"], { env: other });
		expect([refused.exit, refused.err]).toEqual([4, expect.stringContaining("svc login")]);
	});

	test("a redirect URI that is there already is said to be, and is no failure [cli.redirect-uris.again]", async () => {
		await program.signIn();
		const app = JSON.parse((await program.svc(["api", "GET", "/v1/apps"])).out).data[0].id;
		const add = () =>
			program.svc(["redirect-uris", "create", "http://localhost:8080/callback", "--app", app, "--field", "id"]);
		const first = await add();
		const again = await add();
		expect([first.exit, again.exit, again.out]).toEqual([0, 0, first.out]);
		expect(again.err).toContain("is there already");
	});
});
