import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { corners } from "../support/pictures.ts";
import { type StartedService, startService } from "../support/service.ts";

const MAIN = join(import.meta.dir, "../../cli/main.ts");
const { CI, DENO, NODE, PATH = "" } = process.env;

let service: StartedService;
let cwd = "";
let bundle = "";

beforeAll(async () => {
	service = await startService();
	cwd = await mkdtemp(join(tmpdir(), "svc-cli-"));
	await writeFile(join(cwd, "one.png"), await corners(30, 20));
	await writeFile(join(cwd, "two.png"), await corners(40, 20));
	await writeFile(join(cwd, "text.png"), "no picture");
	bundle = join(cwd, "svc.mjs");
	const build = Bun.spawnSync([process.execPath, "run", "build", "--outfile", bundle], { cwd: join(MAIN, "..") });
	expect(build.exitCode, build.stderr.toString()).toBe(0);
});

afterAll(async () => {
	await service.stop();
	await rm(cwd, { recursive: true });
});

interface Started {
	readonly program?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	readonly stdin?: string;
}

/** A real process on pipes, with nothing in its environment but what is given. */
async function svc(
	argv: readonly string[],
	{ program = [process.execPath, MAIN], env = {}, stdin = "" }: Started = {},
) {
	const keys = { SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl };
	const child = Bun.spawn([...program, ...argv], {
		cwd,
		env: { PATH, HOME: cwd, ...keys, ...env },
		stdin: new Blob([stdin]),
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exit: await child.exited, out, err };
}

describe("svc", () => {
	test.if(process.platform === "linux")(
		"fails where standard output is closed, and not where it is thrown away [cli.closed-output]",
		async () => {
			const launcher = join(MAIN, "../../svc");
			const onto = (redirection: string, ...program: string[]) =>
				svc(["images", "list", "--json"], { program: ["sh", "-c", `exec "$@" ${redirection}`, "sh", ...program] });
			for (const program of [[process.execPath, MAIN], [launcher]]) {
				const { exit, err } = await onto(">&-", ...program);
				expect([exit, err]).toEqual([1, expect.stringContaining("Standard output is closed")]);
			}
			expect(await onto(">/dev/null", process.execPath, MAIN)).toEqual({ exit: 0, out: "", err: "" });
			expect((await onto("<>/dev/null 1>&0", process.execPath, MAIN)).exit).toBe(0);
		},
	);

	test("shows the key, its App and where it came from, never the secret [cli.whoami]", async () => {
		const { exit, out, err } = await svc(["whoami", "--json"]);
		expect([exit, err]).toEqual([0, ""]);
		expect(JSON.parse(out)).toMatchObject({
			object: "key",
			reach: "app",
			base_url: service.baseUrl,
			source: "SVC_API_KEY",
		});
		expect(out).not.toContain(service.apiKey);
	});

	test("works with the profile file of the data directory [cli.profile]", async () => {
		const data = await mkdtemp(join(cwd, "data-"));
		const profiles = { local: { base_url: service.baseUrl, api_key: service.apiKey } };
		await writeFile(join(data, "profiles.json"), JSON.stringify({ profiles, current: "local" }), { mode: 0o600 });
		const env = { SVC_API_KEY: "", SVC_BASE_URL: "", SVC_DATA_DIR: data };
		const { exit, out } = await svc(["whoami", "--field", "source"], { env });
		expect([exit, out]).toEqual([0, `profile "local" (${join(data, "profiles.json")})\n`]);
	});

	test("upload, list, get and delete, the ids through pipes [cli.round]", async () => {
		const uploaded = await svc(["images", "upload", "one.png", "two.png", "--label", "suite=round", "-q"]);
		expect([uploaded.exit, uploaded.err]).toEqual([0, ""]);
		const ids = uploaded.out.trimEnd().split("\n");
		expect(ids).toHaveLength(2);
		const listed = await svc(["images", "list", "--label", "suite=round", "--all", "--field", "id"]);
		expect(listed.out.trimEnd().split("\n").sort()).toEqual([...ids].sort());
		const got = await svc(["images", "get", ids[0] ?? "", "--json"]);
		expect(JSON.parse(got.out)).toMatchObject({ filename: "one.png", width: 30, labels: { suite: "round" } });
		const deleted = await svc(["images", "delete", ...ids, "--yes"]);
		expect([deleted.exit, deleted.out]).toEqual([0, ids.map((id) => `${id}\ttrue\n`).join("")]);
		expect((await svc(["images", "get", ids[0] ?? ""])).exit).toBe(5);
	});

	test("the same upload again doubles nothing; after a delete it is made anew [cli.again]", async () => {
		const upload = ["images", "upload", "one.png", "--label", "suite=again", "--field", "id"];
		const first = await svc(upload);
		const second = await svc(upload);
		expect(second.out).toBe(first.out);
		expect(second.err).toContain("was uploaded before");
		await svc(["images", "delete", first.out.trim(), "--yes"]);
		const third = await svc(upload);
		expect([third.exit, third.out === first.out]).toEqual([0, false]);
		expect((await svc(upload)).out).toBe(third.out);
		expect((await svc(["images", "list", "--label", "suite=again", "-q"])).out).toBe(third.out);
	});

	test("one file that is no picture: exit 3, the other one is there, the reason and request id are told [cli.partly]", async () => {
		const { exit, out, err } = await svc(["images", "upload", "two.png", "text.png", "--label", "suite=partly"]);
		expect([exit, out.split("\t")[1]]).toEqual([3, "two.png"]);
		expect(err).toMatch(/^error: text\.png: .*\n {2}file: /);
		expect(err).toMatch(/request: \S+/);
	});

	test("each kind of refusal has its exit code and JSON error [cli.exits]", async () => {
		const env = { SVC_API_KEY: "svc_sk_test_unknown" };
		const denied = await svc(["usage", "--json"], { env });
		expect(denied.exit).toBe(2);
		const unauthorized = await svc(["whoami", "--json"], { env });
		expect([unauthorized.exit, JSON.parse(unauthorized.err).error.code]).toEqual([4, "unauthorized"]);
		expect((await svc(["images", "upload", "one.png", "--published-at", "2026-02-30"])).exit).toBe(2);
		expect((await svc(["images", "delete", "img_1"])).exit).toBe(2);
		expect((await svc(["whoami"], { env: { SVC_BASE_URL: "http://127.0.0.1:1" } })).exit).toBe(7);
	});

	test("any call, with a body from standard input [cli.api]", async () => {
		const usage = await svc(["api", "GET", "/v1/usage", "--field", "object"]);
		expect([usage.exit, usage.out]).toEqual([0, "usage\n"]);
		const refused = await svc(["api", "POST", "/v1/images", "--data", "@-", "--json"], { stdin: '{"nope": 1}' });
		expect([refused.exit, JSON.parse(refused.err).error.code]).toEqual([1, "validation_error"]);
	});

	test("the management API is called with the profile's token, an App's own calls with its key [cli.api]", async () => {
		const profile = { base_url: service.baseUrl, api_key: service.apiKey, token: service.token };
		const file = join(cwd, "both.json");
		await writeFile(file, JSON.stringify({ current: "local", profiles: { local: profile } }), { mode: 0o600 });
		const env = { SVC_API_KEY: "", SVC_BASE_URL: "", SVC_PROFILE_FILE: file };
		expect((await svc(["api", "GET", "/v1/me", "--field", "object"], { env })).out).toBe("account\n");
		expect((await svc(["api", "GET", "/v1/key", "--field", "object"], { env })).out).toBe("key\n");
		expect((await svc(["api", "GET", "/v1/usage", "--field", "object"], { env })).out).toBe("usage\n");
	});

	test("where nobody reads the messages, the work and its exit are the same [cli.pipe-messages]", async () => {
		const env = { PATH, HOME: cwd, SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl };
		for (const [line, exit] of [
			["images get img_none", "5"],
			["images list --limit 1 --verbose", "0"],
		]) {
			const command = `exec 3>&1; { "${process.execPath}" "${MAIN}" ${line} 2>&1 >/dev/null; echo $? >&3; } | true`;
			const child = Bun.spawn(["bash", "-c", command], { cwd, env, stdout: "pipe" });
			expect([line, (await new Response(child.stdout).text()).trim()]).toEqual([line, exit]);
		}
	});

	test("Ctrl-C ends what waits for standard input [cli.interrupt-input]", async () => {
		for (const argv of [
			["login", "--key-stdin"],
			["api", "POST", "/v1/images", "--data", "@-"],
		]) {
			const child = Bun.spawn([process.execPath, MAIN, ...argv], {
				cwd,
				env: { PATH, HOME: cwd, SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl },
				stdin: "pipe",
				stdout: "pipe",
				stderr: "pipe",
			});
			// Where it comes before the program listens, that ends it all the same.
			await Bun.sleep(1000);
			child.kill("SIGINT");
			const limit = setTimeout(() => child.kill("SIGKILL"), 30_000);
			expect([argv, await child.exited]).toEqual([argv, 130]);
			clearTimeout(limit);
		}
	});

	test("a reader that has seen enough is no failure [cli.pipe]", async () => {
		const command = `"${process.execPath}" "${MAIN}" --help | head -n 1; echo "\${PIPESTATUS[0]}"`;
		const child = Bun.spawnSync(["bash", "-c", command], { env: { PATH, HOME: cwd } });
		expect([child.stdout.toString(), child.stderr.toString()]).toEqual([
			"svc: store, transform and serve images\n0\n",
			"",
		]);
	});
});

describe("the bundled file", () => {
	const runtimes = [
		{ name: "Bun", command: process.execPath, flags: [] },
		{ name: "Node", command: Bun.which(NODE ?? "node"), flags: [] },
		{ name: "Deno", command: Bun.which(DENO ?? "deno"), flags: ["run", "--no-prompt", "--allow-all"] },
	];
	for (const { name, command, flags } of runtimes) {
		test.skipIf(command === null && CI !== "true")(`runs on ${name} [cli.runtimes]`, async () => {
			if (command === null) throw new Error(`${name} is missing: put it on PATH or name it in ${name.toUpperCase()}.`);
			const program = [command, ...flags, bundle];
			const env = { DENO_DIR: join(cwd, "deno") };
			const version = await svc(["version", "--field", "runtime"], { program, env });
			expect([version.exit, version.err, version.out]).toEqual([0, "", expect.stringContaining(name)]);
			const label = `suite=${name.toLowerCase()}`;
			const made = await svc(["images", "upload", "one.png", "two.png", "--label", label, "--json"], { program, env });
			expect([made.exit, made.err, JSON.parse(made.out).length]).toEqual([0, "", 2]);
			const listed = await svc(["images", "list", "--label", label, "-o", "jsonl"], { program, env });
			expect(listed.out.trimEnd().split("\n")).toHaveLength(2);
			const missing = await svc(["images", "get", "img_none"], { program, env });
			expect([missing.exit, missing.out]).toEqual([5, ""]);
		});

		test.skipIf(command === null)(`ends in silence on ${name} where nobody reads on [cli.runtimes-pipe]`, async () => {
			const words = [command ?? "", ...flags, bundle].map((word) => `"${word}"`).join(" ");
			const env = {
				PATH,
				HOME: cwd,
				DENO_DIR: join(cwd, "deno"),
				SVC_API_KEY: service.apiKey,
				SVC_BASE_URL: service.baseUrl,
			};
			for (const line of ["--help", "images list", "images list --json", "api GET /v1/images"]) {
				// The reader has ended before anything is written.
				const script = `(sleep 0.3; ${words} ${line}; echo "exit $?" >&2) | true`;
				const child = Bun.spawn(["bash", "-c", script], { env, stdout: "ignore", stderr: "pipe" });
				expect([line, await new Response(child.stderr).text()]).toEqual([line, "exit 0\n"]);
			}
		});
	}
});
