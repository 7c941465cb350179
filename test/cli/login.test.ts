import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type BareProgram, OPERATOR, openBareProgram } from "../support/bare-program.ts";
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

describe("svc login", () => {
	test("a mailed code makes a session, kept where nobody else may read, named after the host, shown nowhere [cli.login.code]", async () => {
		const { exit, out, err } = await program.signIn();
		expect([exit, err]).toEqual([0, ""]);
		const { host } = new URL(service.baseUrl);
		const session = JSON.parse(out);
		expect(session).toMatchObject({ object: "session", kind: "console", profile: host, account: { email: OPERATOR } });
		const { current, profiles: kept } = await program.kept();
		const { token, device_token, ...rest } = kept[host] ?? {};
		expect(current).toBe(host);
		expect(rest).toEqual({ base_url: service.baseUrl, email: OPERATOR, session: session.id });
		for (const secret of [token, device_token]) {
			expect(secret).toBeString();
			expect(out).not.toContain(secret ?? "");
		}
		const modes = await Promise.all([program.profilePath, join(program.home, ".config/svc")].map((path) => stat(path)));
		expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o700]);
		expect(await program.statusOf(token)).toBe(200);
	});

	test("on a terminal the address and the code are asked for [cli.login.terminal]", async () => {
		const code = program.nextCode(OPERATOR);
		const { exit, screen } = await program.onTerminal(
			["login", "--base-url", service.baseUrl],
			[
				["E-mail address for", async () => `${OPERATOR}\r`],
				["Code: ", async () => `${(await code()).trim()}\r`],
			],
		);
		expect([exit, screen]).toEqual([0, expect.stringContaining("A code was mailed")]);
		const kept = await program.only();
		expect(screen).not.toContain(kept.token ?? "-");
		expect(await program.statusOf(kept.token)).toBe(200);
	});

	test("Ctrl-C at a question exits 130, Ctrl-D is no answer, and neither leaves anything [cli.login.leave]", async () => {
		for (const [key, exit] of [
			["\u0003", 130],
			["\u0004", 1],
		] as const) {
			expect(
				(await program.onTerminal(["login", "--base-url", service.baseUrl], [["E-mail address for", async () => key]]))
					.exit,
			).toBe(exit);
		}
		expect(await Bun.file(program.profilePath).exists()).toBe(false);
	});

	test("the next login of this device sends its device token and ends the session before [cli.login.again]", async () => {
		await program.signIn();
		const before = await program.only();
		expect((await program.signIn()).exit).toBe(0);
		const after = await program.only();
		expect(after.token).not.toBe(before.token);
		// The same device keeps its nonce, so the service recognised it.
		expect(after.device_token?.split(".")[0]).toBe(before.device_token?.split(".")[0]);
		expect([await program.statusOf(before.token), await program.statusOf(after.token)]).toEqual([401, 200]);
	});

	test("a wrong code leaves no profile, an empty standard input neither [cli.login.wrong]", async () => {
		const line = ["login", "--email", "eve@example.com", "--code-stdin", "--base-url", service.baseUrl];
		const wrong = await program.svc(line, { stdin: "not-it" });
		expect([wrong.exit, wrong.out]).toEqual([1, ""]);
		expect(wrong.err).toContain("code: invalid_code");
		const empty = await program.svc(line);
		expect([empty.exit, empty.err]).toEqual([2, expect.stringContaining("Standard input is empty")]);
		expect((await program.svc(["login", "--base-url", service.baseUrl])).exit).toBe(2);
		expect(await Bun.file(program.profilePath).exists()).toBe(false);
	});

	test("a key from standard input is checked, then kept beside the session [cli.login.key]", async () => {
		await program.signIn();
		const refused = await program.svc(["login", "--key-stdin"], { stdin: "svc_sk_test_unknown" });
		expect([refused.exit, refused.out]).toEqual([4, ""]);
		const { exit, out, err } = await program.svc(["login", "--key-stdin", "--json"], { stdin: `${service.apiKey}\n` });
		expect([exit, err]).toEqual([0, ""]);
		expect(out).not.toContain(service.apiKey);
		const kept = await program.only();
		expect(kept).toMatchObject({ api_key: service.apiKey, app: JSON.parse(out).app.id, email: OPERATOR });
		const who = JSON.parse((await program.svc(["whoami", "--json"])).out);
		expect(who).toMatchObject({ object: "key", reach: "app", account: { email: OPERATOR, operator: true } });
		expect(who.session).toMatchObject({ object: "session", id: kept.session });
		expect((await program.svc(["login", "--key-stdin"])).exit).toBe(2);
		expect((await program.svc(["login", "--key-stdin"], { stdin: service.token })).exit).toBe(2);
	});

	test("a further code makes the session fresh for what operators cannot undo [cli.login.step-up]", async () => {
		await program.signIn();
		service.clock.advance(60 * 60_000);
		const refused = await program.svc(["tokens", "create", "ops", "--scope", "operator:write"]);
		expect([refused.exit, refused.err]).toEqual([4, expect.stringContaining("svc login --step-up")]);
		const fresh = await program.svc(["login", "--step-up", "--code-stdin", "--json"], {
			stdin: program.nextCode(OPERATOR),
		});
		expect(fresh.exit).toBe(0);
		const made = await program.svc(["tokens", "create", "ops", "--scope", "operator:write", "--field", "secret"]);
		expect([made.exit, await program.statusOf(made.out.trim(), "/v1/operator/health")]).toEqual([0, 200]);
	});
});

describe("svc logout", () => {
	test("ends the session at the service and forgets it, and keeps the key unless --all [cli.logout]", async () => {
		await program.signIn();
		await program.svc(["login", "--key-stdin"], { stdin: service.apiKey });
		const before = await program.only();
		expect((await program.svc(["logout"])).exit).toBe(0);
		expect(await program.statusOf(before.token)).toBe(401);
		const after = await program.only();
		expect(after.token).toBeUndefined();
		expect(after).toMatchObject({ api_key: service.apiKey, device_token: before.device_token });
		expect((await program.svc(["logout", "--all"])).exit).toBe(2);
		expect((await program.svc(["logout", "--all", "--yes"])).exit).toBe(0);
		const left = await program.svc(["images", "list"]);
		expect([left.exit, left.err]).toEqual([4, expect.stringMatching(/next: \S*svc login --profile /)]);
	});

	test("a session that has ended elsewhere is forgotten all the same; whoami says that it has [cli.logout.ended]", async () => {
		await program.signIn();
		const kept = await program.only();
		expect((await program.svc(["sessions", "end", kept.session ?? "", "--yes"])).exit).toBe(0);
		const who = await program.svc(["whoami"]);
		expect([who.exit, who.err]).toEqual([4, expect.stringContaining("svc login")]);
		expect((await program.svc(["logout"])).exit).toBe(0);
	});
});
