import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/* The launcher on Node.js, in a checkout in which small programs stand for the service and the command line. */

const ROOT = new URL("../..", import.meta.url).pathname;
const node = Bun.which("node") ?? "";
const isPossible = (node !== "" && Bun.which("npm") !== null) || process.env.CI === "true";
/** Says what it was given, and goes on until it is told to end. */
const PROGRAM = `process.on("SIGTERM", () => { process.exit(7); });
process.on("SIGINT", () => { process.exit(8); });
const { UV_THREADPOOL_SIZE, MALLOC_ARENA_MAX, BUN_GC_TIMER_INTERVAL, NODE_ENV, SVC_COMMAND, SVC_DATA_DIR, SVC_NAME } = process.env;
console.log(JSON.stringify({ bun: process.versions.bun, program: process.argv[1], words: process.argv.slice(2), cwd: process.cwd(), pid: process.pid,
	UV_THREADPOOL_SIZE, MALLOC_ARENA_MAX, BUN_GC_TIMER_INTERVAL, NODE_ENV, SVC_COMMAND, SVC_DATA_DIR, SVC_NAME }));
if (process.argv.includes("exit")) process.exit(5);
setInterval(() => {}, 1_000);
`;

let folder = "";
let checkout = "";

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "svc-launcher-"));
	checkout = join(folder, "a checkout");
	for (const path of [["apps", "server"], ["cli"], ["elsewhere"], ["test", "runner"]])
		await mkdir(join(checkout, ...path), { recursive: true });
	for (const name of ["svc", "svc.mjs"]) await copyFile(join(ROOT, name), join(checkout, name));
	await writeFile(join(checkout, "apps", "server", "main.ts"), PROGRAM);
	await writeFile(join(checkout, "cli", "main.ts"), PROGRAM);
	await writeFile(join(checkout, "test", "runner", "run.ts"), PROGRAM);
	await writeFile(
		join(checkout, "cli", "bottle.test.ts"),
		'import { test } from "bun:test";\ntest("a bottle", () => {});\n',
	);
	await writeFile(join(checkout, ".env"), 'SVC_NAME="from .env"\n');
	await writeFile(join(checkout, "elsewhere", ".env"), 'SVC_NAME="of another program"\n');
	const manifests = [
		["", { name: "svc", type: "module", workspaces: ["apps/server", "cli"], scripts: { start: "node svc.mjs start" } }],
		["apps/server", { name: "@svc/server", type: "module" }],
		["cli", { name: "@svc/cli", type: "module" }],
	] as const;
	for (const [path, manifest] of manifests) {
		await writeFile(
			join(checkout, path, "package.json"),
			JSON.stringify({ version: "0.1.0", private: true, ...manifest }),
		);
	}
	await inCheckout(process.execPath, ["install", "--lockfile-only"]);
	const bin = join(folder, "bin");
	await mkdir(bin);
	await symlink(process.execPath, join(bin, "bun"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

type Environment = Readonly<Record<string, string>>;

function spawnIn(program: string, words: readonly string[], env: Environment = {}, cwd = checkout) {
	return Bun.spawn([program, ...words], {
		cwd,
		env: {
			HOME: folder,
			PATH: [join(folder, "bin"), dirname(node), "/usr/bin", "/bin"].join(delimiter),
			...env,
		},
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
}

async function inCheckout(program: string, words: readonly string[], env: Environment = {}, cwd = checkout) {
	const child = spawnIn(program, words, env, cwd);
	const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exit: await child.exited, out, err };
}

interface Told {
	readonly pid: number;
	readonly [name: string]: unknown;
}

/** Reads on until the program has said what it was given. */
async function told(child: { readonly stdout: ReadableStream<Uint8Array> }): Promise<Told> {
	let text = "";
	const decoder = new TextDecoder();
	for await (const chunk of child.stdout) {
		text += decoder.decode(chunk, { stream: true });
		const [line] = /\{.*\}(?=\n)/.exec(text) ?? [];
		if (line) return JSON.parse(line) as Told;
	}
	throw new Error(`it ended with: ${text}`);
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

async function isGone(pid: number): Promise<void> {
	while (isRunning(pid)) await Bun.sleep(20);
}

describe.skipIf(!isPossible)("the launcher", () => {
	test("starts the service as it is to run, with the checkout's .env and the folder that was meant", async () => {
		const elsewhere = join(checkout, "elsewhere");
		const { exit, out } = await inCheckout(
			join(checkout, "svc"),
			["start", "exit", "a b"],
			{ SVC_DATA_DIR: "mine" },
			elsewhere,
		);
		expect(exit).toBe(5);
		expect(JSON.parse(out)).toMatchObject({
			...{
				bun: Bun.version,
				words: ["exit", "a b"],
				cwd: checkout,
				MALLOC_ARENA_MAX: "2",
				BUN_GC_TIMER_INTERVAL: "30000",
				NODE_ENV: "production",
			},
			...{
				SVC_DATA_DIR: join(elsewhere, "mine"),
				SVC_NAME: "from .env",
				SVC_COMMAND: join(checkout, "svc"),
			},
		});
		expect(Number(JSON.parse(out).UV_THREADPOOL_SIZE)).toBeGreaterThan(4);
	});

	test("runs the service built, in a few files, and builds it again when a source has changed", async () => {
		const deploy = join(checkout, "deploy");
		const source = join(checkout, "apps", "server", "main.ts");
		const start = async () => JSON.parse((await inCheckout("./svc", ["start", "exit"])).out);
		expect((await start()).program).toBe(source);
		await mkdir(deploy);
		const entry = JSON.stringify(source);
		await writeFile(
			join(deploy, "bundle.ts"),
			`await Bun.build({ entrypoints: [${entry}], outdir: process.argv[3], target: "bun" });`,
		);
		try {
			const first = await start();
			expect(first.program).toMatch(/node_modules\/\.svc\/service-[0-9a-f]{16}\/main\.js$/);
			expect((await start()).program).toBe(first.program);
			for (let change = 1; change <= 4; change++) {
				await writeFile(source, PROGRAM.replace("bun: process", `change: ${change}, bun: process`));
				const next = await start();
				expect(next.change).toBe(change);
				expect(next.program).not.toBe(first.program);
			}
			const all = await readdir(join(checkout, "node_modules", ".svc"));
			expect(all.filter((name) => name !== "installed")).toHaveLength(3);
			// Nothing to build with, and nowhere to write it: the sources are there still.
			await writeFile(join(deploy, "bundle.ts"), "process.exit(1);");
			expect((await start()).program).toBe(source);
		} finally {
			await writeFile(source, PROGRAM);
			await rm(deploy, { recursive: true });
		}
	});

	test("runs a command where it was called, under the name by which it was called, and says nothing itself", async () => {
		const { exit, out, err } = await inCheckout("sh", ["-c", "../svc whoami exit"], {}, join(checkout, "elsewhere"));
		expect([exit, err]).toEqual([5, ""]);
		const said = JSON.parse(out);
		expect(said).toMatchObject({ words: ["whoami", "exit"], cwd: join(checkout, "elsewhere"), SVC_COMMAND: "../svc" });
		expect([said.SVC_NAME, said.NODE_ENV]).toEqual(["from .env", undefined]);
	});

	test("the next command is run by Bun at once, until something has changed of what the launcher found out", async () => {
		const svc = join(checkout, "svc");
		// No launcher can run: neither runtime is on this path.
		const alone = { PATH: "/nowhere" };
		const wordsOf = async (env: Environment) => {
			const { exit, out, err } = await inCheckout("/bin/sh", [svc, "whoami", "exit"], env);
			return exit === 5 ? JSON.parse(out).words : err;
		};
		expect(await wordsOf({})).toEqual(["whoami", "exit"]);
		expect(await wordsOf(alone)).toEqual(["whoami", "exit"]);
		const link = join(folder, "linked");
		await symlink(svc, link);
		expect((await inCheckout(link, ["exit"], { SVC_NAME: "x" })).exit).toBe(5);
		const later = new Date(Date.now() + 60_000);
		await utimes(join(checkout, "bun.lock"), later, later);
		expect(await wordsOf(alone)).toContain("Svc needs Node.js");
		const earlier = new Date(Date.now() - 60_000);
		await utimes(join(checkout, "bun.lock"), earlier, earlier);
	});

	test("runs the suite that each of three commands is for; npm test with files or flags is the test runner of Bun with them", async () => {
		const suiteOf = async (script: string) => JSON.parse((await inCheckout("./svc", [script, "exit"])).out).words;
		expect(await suiteOf("test:quick")).toEqual(["quick", "exit"]);
		expect(await suiteOf("test:all")).toEqual(["all", "exit"]);
		const child = spawnIn("./svc", ["test"]);
		const { pid, words } = await told(child);
		expect(words).toEqual(["test"]);
		child.kill("SIGTERM");
		await child.exited;
		await isGone(pid);
		const { exit, err } = await inCheckout("./svc", ["test", "cli/bottle.test.ts"]);
		expect([exit, err]).toEqual([0, expect.stringContaining("(pass) a bottle")]);
	});

	test("a signal for it is one for the service, whose exit code is its own", async () => {
		for (const [signal, code] of [
			["SIGTERM", 7],
			["SIGINT", 8],
		] as const) {
			const child = spawnIn("./svc", ["start"]);
			const { pid } = await told(child);
			child.kill(signal);
			expect(await child.exited).toBe(code);
			await isGone(pid);
		}
	});

	test("when npm is told to end, the service ends, whatever the shell between them does", async () => {
		const child = spawnIn("npm", ["start"]);
		const { pid } = await told(child);
		child.kill("SIGTERM");
		await child.exited;
		await isGone(pid);
	});

	test("the script that npm runs is one for the shell of Bun as well, which stands for that of Windows", async () => {
		const child = spawnIn("bun", ["--shell=bun", "run", "start", "a word"]);
		const { pid, words } = await told(child);
		expect(words).toEqual(["a word"]);
		child.kill("SIGTERM");
		process.kill(pid, "SIGTERM");
		await child.exited;
		await isGone(pid);
	});

	test("two at once install once, one after the other", async () => {
		await rm(join(checkout, "node_modules"), { recursive: true, force: true });
		const both = await Promise.all([1, 2].map(() => inCheckout("./svc", ["whoami", "exit"])));
		expect(both.map(({ exit }) => exit)).toEqual([5, 5]);
		expect(both.filter(({ err }) => err.includes("Installing what Svc needs"))).toHaveLength(1);
		expect((await readdir(join(checkout, "node_modules", ".svc"))).sort()).toEqual(["installed", "ready"]);
		const again = await inCheckout("./svc", ["whoami", "exit"]);
		expect([again.exit, again.err]).toEqual([5, ""]);
	});

	test("a lock whose owner has died is nobody's", async () => {
		await rm(join(checkout, "node_modules"), { recursive: true, force: true });
		await mkdir(join(checkout, "node_modules", ".svc"), { recursive: true });
		const dead = Bun.spawn(["true"]);
		await dead.exited;
		await writeFile(join(checkout, "node_modules", ".svc", "lock"), String(dead.pid));
		expect((await inCheckout("./svc", ["whoami", "exit"])).exit).toBe(5);
	});

	test("a Bun with other bytes than those that are known is not run, and nothing of it is kept", async () => {
		const name = "@oven/bun-linux-x64";
		const tarball = new Uint8Array(await new Response(new Blob(["not what was asked for"])).arrayBuffer());
		using registry = Bun.serve({
			hostname: "127.0.0.1",
			port: 0,
			fetch: ({ url }) =>
				url.endsWith(".tgz")
					? new Response(tarball)
					: Response.json({
							name,
							versions: {
								[Bun.version]: { name, version: Bun.version, dist: { tarball: `${new URL(url).origin}/bun.tgz` } },
							},
						}),
		});
		await rm(join(checkout, "node_modules"), { recursive: true, force: true });
		const { exit, err } = await inCheckout(join(checkout, "svc"), ["whoami"], {
			PATH: [dirname(node), "/usr/bin", "/bin"].join(delimiter),
			npm_config_registry: `http://127.0.0.1:${registry.port}`,
			npm_config_cache: join(folder, "cache"),
		});
		expect(err).toContain("Getting Bun");
		expect(err).toContain("EINTEGRITY");
		expect(err).toContain("could not be got from the registry");
		expect(exit).toBe(1);
		expect(await readdir(join(checkout, "node_modules", ".svc"))).toEqual([]);
	});

	test("it gets the version that the repository is written for", async () => {
		const types = (await Bun.file(join(ROOT, "package.json")).json()) as { devDependencies: Record<string, string> };
		expect(await Bun.file(join(ROOT, "svc.mjs")).text()).toContain(
			`const BUN = "${types.devDependencies["bun-types"]}";`,
		);
	});
});
