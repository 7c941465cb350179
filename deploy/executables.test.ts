import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type StartedService, startService } from "@svc/test/support/service";
import { buildExecutables } from "./executables.ts";
import { thisPlatform } from "./platform.ts";

let service: StartedService;
let folder = "";
let svc = "";

beforeAll(async () => {
	service = await startService();
	folder = await mkdtemp(join(tmpdir(), "svc-executables-"));
	const [built = ""] = await buildExecutables({ to: folder, platforms: [thisPlatform()], withService: false });
	svc = built;
	await mkdir(join(folder, "empty"));
}, 120_000);

afterAll(async () => {
	await service.stop();
	await rm(folder, { recursive: true });
});

/** On a machine where nothing is installed: no PATH, no home, an empty folder. */
async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
	const child = Bun.spawn([svc, ...words], {
		cwd: join(folder, "empty"),
		env: { PATH: "", HOME: "", ...env },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exit: await child.exited, out, err };
}

test("svc runs as one file where nothing is installed", async () => {
	const help = await run(["--help"]);
	expect([help.exit, help.err, help.out.split("\n")[0]]).toEqual([0, "", "svc: store, transform and serve images"]);
	const version = await run(["--version"]);
	expect([version.exit, version.err, version.out]).toEqual([0, "", expect.stringContaining("Bun")]);
	const env = { SVC_BASE_URL: service.baseUrl, SVC_API_KEY: service.apiKey };
	expect(await run(["whoami", "--field", "object"], env)).toEqual({ exit: 0, err: "", out: "key\n" });
});

test("so does the dashboard in it", async () => {
	const env = { SVC_BASE_URL: service.baseUrl, SVC_API_KEY: service.token };
	const printed = await run(["tui", "--screen", "apps", "--print", "--columns", "100", "--rows", "20"], env);
	expect([printed.exit, printed.err]).toEqual([0, ""]);
	expect(printed.out).toContain("My first App");
});

test("its checksum stands beside it, under its version and platform", async () => {
	const sums = await readFile(join(folder, "SHA256SUMS"), "utf8");
	const hash = new Bun.CryptoHasher("sha256").update(await readFile(svc)).digest("hex");
	expect(sums).toBe(`${hash}  ${basename(svc)}\n`);
	expect(basename(svc)).toMatch(new RegExp(`^svc-\\d+\\.\\d+\\.\\d+-${thisPlatform()}$`));
});
