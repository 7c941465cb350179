import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { EXIT } from "@svc/base/processes/exit";
import { fakeService, refusal, type Sent } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../../kit/run.ts";

let cwd = "";
let file = "";

beforeEach(async () => {
	cwd = await mkdtemp(join(tmpdir(), "svc-login-"));
	file = join(cwd, "home/.config/svc/profiles.json");
});

afterEach(() => rm(cwd, { recursive: true }));

interface Given {
	readonly isTerminal?: boolean;
	readonly answers?: readonly string[];
	readonly input?: string;
	readonly env?: Readonly<Record<string, string>>;
	readonly reply?: (sent: Sent) => Response | undefined;
}

async function svc(argv: readonly string[], { answers = [], reply, env = {}, ...options }: Given = {}) {
	const service = fakeService(reply);
	const waiting = [...answers];
	const world = fakeWorld({ ...options, env, fetch: service.fetch, cwd });
	const asking = { ...world, ask: async () => waiting.shift() ?? "" };
	const exit = await run(argv, asking);
	return { exit, out: world.outText(), err: world.errText(), sent: service.sent };
}

async function keep(profile: Readonly<Record<string, string>>, name = "local"): Promise<void> {
	await mkdir(dirname(file), { recursive: true });
	const content = { current: name, profiles: { [name]: { base_url: "http://svc.test", ...profile } } };
	await writeFile(file, JSON.stringify(content), { mode: 0o600 });
}

const kept = async (name = "local") => JSON.parse(await readFile(file, "utf8")).profiles[name];
const paths = (sent: readonly Sent[]) => sent.map(({ method, path }) => `${method} ${path}`);
const bodyOf = (sent: Sent | undefined) => JSON.parse(String(sent?.body));
const LOGIN = "POST /v1/sessions/login";
const VERIFY = "POST /v1/sessions/login/lgn_1/verify";

function refusingCodes(times: number) {
	let left = times;
	return ({ path }: Sent) => (path.endsWith("/verify") && left-- > 0 ? refusal(422, "invalid_code") : undefined);
}

describe("by code", () => {
	test("on a terminal the address and the code are asked for, the code again when it is wrong [login.ask]", async () => {
		const given = { isTerminal: true, answers: ["ada@example.com", "111111", "123 456"], reply: refusingCodes(1) };
		const { exit, sent, err } = await svc(["login", "--base-url", "http://svc.test"], given);
		expect([exit, paths(sent)]).toEqual([EXIT.ok, [LOGIN, VERIFY, VERIFY]]);
		expect(sent.map(({ headers }) => headers.get("authorization"))).toEqual([null, null, null]);
		expect(bodyOf(sent[2]).code).toBe("123456");
		expect(err).toContain("That is not the code.");
		expect((await kept("svc.test")).email).toBe("ada@example.com");
	});

	test("three wrong codes are enough, and nothing typed is a no [login.tries]", async () => {
		const three = { isTerminal: true, answers: ["1", "2", "3", "4"], reply: refusingCodes(9) };
		const wrong = await svc(["login", "--email", "ada@example.com"], three);
		expect([wrong.exit, wrong.sent.length]).toEqual([EXIT.failed, 4]);
		const nothing = await svc(["login", "--email", "ada@example.com"], { isTerminal: true });
		expect([nothing.exit, nothing.sent.length]).toEqual([EXIT.failed, 1]);
	});

	test("the device token goes with its own address only [login.device]", async () => {
		const line = (email: string) => ["login", "--email", email, "--code-stdin"];
		for (const [email, token] of [
			["Ada@example.com", "nonce.mac"],
			["eve@example.com", undefined],
		] as const) {
			await keep({ email: "ada@example.com", device_token: "nonce.mac" });
			const { sent } = await svc(line(email), { input: "123456" });
			expect(bodyOf(sent[0]).device_token).toBe(token);
		}
	});

	test("a token is not replaced unasked, since it is shown nowhere else; a session is, and ended [login.token]", async () => {
		const line = ["login", "--email", "ada@example.com", "--code-stdin"];
		await keep({ token: "svc_pat_precious" });
		const refused = await svc(line, { input: "123456" });
		expect([refused.exit, refused.sent.length, (await kept()).token]).toEqual([EXIT.usage, 0, "svc_pat_precious"]);
		expect((await svc([...line, "--yes"], { input: "123456" })).exit).toBe(EXIT.ok);
		await keep({ token: "svc_ses_old", api_key: "svc_sk_test_key" });
		const { exit, sent } = await svc(line, { input: "123456" });
		expect([exit, paths(sent)]).toEqual([EXIT.ok, [LOGIN, VERIFY, "DELETE /v1/sessions/current"]]);
		expect(sent[2]?.headers.get("authorization")).toBe("Bearer svc_ses_old");
		expect(await kept()).toMatchObject({ session: "ses_1", api_key: "svc_sk_test_key" });
	});

	test("where nobody can type the code in, none is mailed, and the flag is named [login.silent]", async () => {
		await keep({ token: "svc_ses_x", session: "ses_1" });
		for (const argv of [
			["login", "--email", "ada@example.com"],
			["login", "--step-up"],
		]) {
			for (const [more, isTerminal] of [
				[[], false],
				[["--no-input"], true],
			] as const) {
				const { exit, err, sent } = await svc([...argv, ...more], { isTerminal, answers: ["123456"] });
				expect([exit, sent.length, err]).toEqual([EXIT.usage, 0, expect.stringContaining("--code-stdin")]);
			}
		}
	});

	test("a session that is kept goes on, although its profile cannot be made the current one [login.current]", async () => {
		const data = join(cwd, "data");
		await mkdir(data);
		const content = { profiles: { local: { base_url: "http://svc.test" }, other: { base_url: "http://other.test" } } };
		await writeFile(join(data, "profiles.json"), JSON.stringify(content), { mode: 0o600 });
		await writeFile(join(cwd, "config"), "a file where the folder would be");
		const env = { SVC_DATA_DIR: data, XDG_CONFIG_HOME: join(cwd, "config") };
		const line = ["login", "--profile", "local", "--email", "a@example.com", "--code-stdin"];
		const { exit, err, sent } = await svc(line, { input: "123456", env });
		expect([exit, err, paths(sent)]).toEqual([
			EXIT.failed,
			expect.stringContaining("cannot be written"),
			[LOGIN, VERIFY],
		]);
		const { profiles } = JSON.parse(await readFile(join(data, "profiles.json"), "utf8"));
		expect(profiles.local).toMatchObject({ session: "ses_1", token: expect.stringMatching(/^svc_ses_/) });
	});

	test("a session that cannot be kept is ended again [login.lost]", async () => {
		await keep({ base_url: "http://svc.test" });
		const reply = ({ path }: Sent) => {
			// What could be read before is refused now.
			if (path.endsWith("/verify")) void chmod(file, 0o644);
			return undefined;
		};
		const { exit, sent } = await svc(["login", "--email", "a@example.com", "--code-stdin"], { input: "1", reply });
		expect([exit, paths(sent).at(-1)]).toEqual([EXIT.auth, "DELETE /v1/sessions/current"]);
		expect(sent.at(-1)?.headers.get("authorization")).toStartWith("Bearer svc_ses_");
	});
});

describe("which profile", () => {
	const line = (...more: string[]) => ["login", "--email", "a@example.com", "--code-stdin", ...more];
	const given = { input: "123456" };

	test("a profile is for its own address: another one needs another profile [login.bound]", async () => {
		await keep({});
		const named = await svc(line("--profile", "local", "--base-url", "http://evil.test"), given);
		expect([named.exit, named.sent.length]).toEqual([EXIT.conflict, 0]);
		expect((await svc(line("--base-url", "https://other.test:8443"), given)).exit).toBe(EXIT.ok);
		expect(await kept("other.test:8443")).toMatchObject({ base_url: "https://other.test:8443" });
		expect(JSON.parse(await readFile(file, "utf8")).current).toBe("other.test:8443");
	});

	test("a name that is not known needs an address, and an address is one [login.typo]", async () => {
		await keep({});
		expect((await svc(line("--profile", "lcoal"), given)).exit).toBe(EXIT.usage);
		for (const address of ["ftp://x", "http://ada:secret@x.test", "x"]) {
			const { exit, err } = await svc(line("--base-url", address), given);
			expect([exit, err]).toEqual([EXIT.usage, expect.stringContaining("--base-url")]);
			expect(err).not.toContain("secret");
		}
	});

	test("flags that contradict each other are refused before anything is sent [login.usage]", async () => {
		for (const more of [["--key-stdin"], ["--step-up"]]) {
			expect((await svc(line(...more), given)).exit).toBe(EXIT.usage);
		}
		expect((await svc(["login", "--key-stdin"], { input: " \n" })).err).toContain("Standard input is empty");
		expect((await svc(["login"])).err).toContain("--email");
		expect((await svc(["login", "--email", "a@example.com", "--no-input"], { isTerminal: true })).exit).toBe(
			EXIT.usage,
		);
	});
});

describe("by key", () => {
	test("a key that the service refuses is not kept, another one is not replaced unasked [login.key-kept]", async () => {
		await keep({ api_key: "svc_sk_test_old" });
		const refuse = () => refusal(401, "unauthorized");
		expect((await svc(["login", "--key-stdin"], { input: "svc_sk_x", reply: refuse })).exit).toBe(EXIT.auth);
		expect((await svc(["login", "--key-stdin"], { input: "svc_sk_x" })).exit).toBe(EXIT.usage);
		expect((await kept()).api_key).toBe("svc_sk_test_old");
		const { exit, out } = await svc(["login", "--key-stdin", "--yes"], { input: "svc_sk_x\n" });
		expect([exit, await kept()]).toEqual([EXIT.ok, { base_url: "http://svc.test", api_key: "svc_sk_x", app: "app_1" }]);
		expect(out).not.toContain("svc_sk_x");
	});
});

describe("logout", () => {
	test("where the service does not answer the session is kept, unless --offline forgets it [logout.unreachable]", async () => {
		await keep({ token: "svc_ses_x" });
		const reply = () => refusal(500, "server_error");
		expect((await svc(["logout"], { reply })).exit).toBe(EXIT.failed);
		expect((await kept()).token).toBe("svc_ses_x");
		const { exit, sent } = await svc(["logout", "--offline"]);
		expect([exit, sent.length, (await kept()).token]).toEqual([EXIT.ok, 0, undefined]);
	});

	test("a token is forgotten only after a yes, and goes on working [logout.token]", async () => {
		await keep({ token: "svc_pat_x" });
		const asked = await svc(["logout"], { isTerminal: true, answers: ["n"] });
		expect([asked.exit, (await kept()).token]).toEqual([EXIT.failed, "svc_pat_x"]);
		const { exit, sent, err } = await svc(["logout", "--yes"]);
		expect([exit, sent.length, err]).toEqual([EXIT.ok, 0, expect.stringContaining("svc tokens delete")]);
	});
});
