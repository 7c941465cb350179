import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildExecutable } from "@svc/deploy/executable";
import { thisPlatform } from "@svc/deploy/platform";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { expectWhole, keyIn } from "../support/whole-service.ts";

/* The executable, as somebody gets it: one file, started in an empty folder on a machine of which it knows nothing. */

let folder: string;
let svc: string;
const started: ServerProcess[] = [];

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "svc-one-file-"));
	svc = join(folder, "svc");
	await buildExecutable({ platform: thisPlatform(), out: svc, withService: true });
}, 300_000);
afterAll(async () => {
	for (const { process } of started) {
		process.kill("SIGKILL");
		await process.exited;
	}
	await rm(folder, { recursive: true, force: true });
});

/** Neither a path nor a home, and of the system's own variables none. */
async function serve(name: string): Promise<ServerProcess> {
	const cwd = await mkdtemp(join(folder, name));
	const env = { PATH: "", SVC_DATA_DIR: join(cwd, "data") };
	const server = await startProcess(env, { program: [svc, "serve"], cwd });
	started.push(server);
	return server;
}

async function run(
	words: readonly string[],
	env: Record<string, string>,
): Promise<{ exit: number; out: string; err: string }> {
	const child = Bun.spawn([svc, ...words], { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
	const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exit: await child.exited, out, err };
}

test("svc serve starts from one file with nothing installed, does all that the service does, and ends in order", async () => {
	const server = await serve("whole-");
	await server.ready();
	const { local } = ((await Bun.file(join(server.dataDir, "profiles.json")).json()) as Profiles).profiles;
	const key = keyIn(server.stdout());
	expect(server.stdout()).toContain(`${svc} whoami`);
	await expectWhole({ ...server, key, token: local?.token ?? "" });
	// The same file is the command line.
	const who = await run(["usage", "show", "--json"], { SVC_BASE_URL: server.baseUrl, SVC_API_KEY: key });
	expect([who.exit, who.err]).toEqual([0, ""]);
	expect(JSON.parse(who.out)).toMatchObject({ object: "usage" });
	expect(await server.stop()).toBe(0);
}, 120_000);

interface Profiles {
	readonly profiles: Readonly<Record<string, { readonly token: string }>>;
}

test("a second start unpacks nothing, one after a file was spoilt unpacks anew, and two at once do not meet", async () => {
	const cache = join(folder, "cache");
	const look = (name: string) =>
		run(["server", "adopt", "--dry-run", "--json"], { XDG_CACHE_HOME: cache, SVC_DATA_DIR: join(folder, name) });
	for (const name of ["one", "other"]) await mkdir(join(folder, name));
	const [one, other] = await Promise.all([look("one"), look("other")]);
	expect(one.err).toContain("Unpacking the service");
	expect([one.exit, other.exit, one.err, other.err]).toEqual([0, 0, one.err, other.err]);
	const [unpacked = "", ...more] = await readdir(join(cache, "svc"));
	expect(more).toEqual([]);
	expect((await look("one")).err).not.toContain("Unpacking");
	await Bun.write(join(cache, "svc", unpacked, "server", "main.js"), "process.exit(9)");
	const again = await look("one");
	expect([again.exit, again.err.includes("Unpacking the service")]).toEqual([0, true]);
}, 120_000);
