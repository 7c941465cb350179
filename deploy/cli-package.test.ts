import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSkipped, RUNTIMES } from "@svc/test/support/runtimes";
import { type StartedService, startService } from "@svc/test/support/service";
import { packCli } from "./cli-package.ts";

const { PATH = "" } = process.env;

let service: StartedService;
let home = "";
let tarball = "";

beforeAll(async () => {
	service = await startService();
	home = await mkdtemp(join(tmpdir(), "svc-cli-"));
	({ tarball } = await packCli(join(home, "packed")));
	const installed = await run(["npm", "install", "--global", "--prefix", join(home, "prefix"), ...QUIETLY, tarball]);
	expect([installed.exit, installed.err]).toEqual([0, ""]);
});

afterAll(async () => {
	await service.stop();
	await rm(home, { recursive: true });
});

const INSTALLED = "prefix/lib/node_modules/@svc/cli";

/** From this file alone: a package that asked for another one could not be installed. */
const QUIETLY = ["--offline", "--no-audit", "--no-fund", "--silent"];

async function run(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
	const keys = { SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl, DENO_DIR: join(home, "deno") };
	const child = Bun.spawn([...command], {
		cwd: home,
		env: { PATH, HOME: home, ...keys, ...env },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exit: await child.exited, out, err };
}

describe("the packed CLI", () => {
	for (const runtime of RUNTIMES) {
		test.skipIf(isSkipped(runtime))(`works on ${runtime.name}, installed${runtime.note} [cli.runtimes]`, async () => {
			const svc = [...runtime.command(), join(home, INSTALLED, "dist", "svc.mjs")];
			const help = await run([...svc, "--help"]);
			expect([help.exit, help.err, help.out.split("\n")[0]]).toEqual([0, "", "svc: store, transform and serve images"]);
			expect(help.out).toContain("\nExit: 0 ok · 1 failed · ");
			const version = await run([...svc, "--version"]);
			expect([version.exit, version.err, version.out]).toEqual([0, "", expect.stringContaining(runtime.name)]);
			const whoami = await run([...svc, "whoami", "--json"]);
			expect([whoami.exit, whoami.err, JSON.parse(whoami.out).object]).toEqual([0, "", "key"]);
		});
	}

	for (const runtime of RUNTIMES) {
		test.skipIf(isSkipped(runtime))(`gives its tools to an agent on ${runtime.name}${runtime.note}`, async () => {
			const child = Bun.spawn([...runtime.command(), join(home, INSTALLED, "dist", "svc.mjs"), "mcp"], {
				cwd: home,
				env: { PATH, HOME: home, SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl },
				stdin: "pipe",
				stdout: "pipe",
			});
			const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
			let text = "";
			const ask = async (message: object) => {
				child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
				await child.stdin.flush();
			};
			const answer = async () => {
				while (!text.includes("\n")) text += (await lines.read()).value ?? "\n";
				const end = text.indexOf("\n");
				const line = text.slice(0, end);
				text = text.slice(end + 1);
				return JSON.parse(line).result;
			};
			const clientInfo = { name: "test", version: "1" };
			const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
			await ask({ id: 1, method: "initialize", params });
			expect(await answer()).toMatchObject({ serverInfo: { name: "svc" }, capabilities: { tools: {} } });
			await ask({ method: "notifications/initialized" });
			await ask({ id: 2, method: "tools/call", params: { name: "get_usage", arguments: {} } });
			expect((await answer()).structuredContent).toMatchObject({ object: "usage" });
			child.stdin.end();
			expect(await child.exited).toBe(0);
		});
	}

	test("is started by its name, and by npx", async () => {
		const bin = join(home, "prefix", "bin");
		const named = await run(["svc", "whoami", "--field", "object"], { PATH: `${bin}:${PATH}` });
		expect(named).toEqual({ exit: 0, err: "", out: "key\n" });
		const npx = ["npx", "--yes", "--offline", "--silent", "--package", tarball, "svc"];
		expect(await run([...npx, "whoami", "--field", "object"])).toEqual(named);
	});

	test("tells a Node that is too old which one it needs", async () => {
		const older = join(home, "older.cjs");
		await writeFile(
			older,
			'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } });',
		);
		const svc = join(home, "prefix", "bin", "svc");
		const told = await run(["node", "--require", older, svc, "--help"]);
		expect([told.exit, told.out]).toEqual([1, ""]);
		expect(told.err).toStartWith("error: svc needs Node 20 or later, and this is Node 18.20.8.\nnext: ");
	});

	test("brings along the licences of what is bundled in it", async () => {
		const texts = await readFile(join(home, INSTALLED, "THIRD_PARTY_LICENSES"), "utf8");
		for (const name of ["ink", "react", "aws4fetch", "string-width"]) {
			expect(texts).toMatch(new RegExp(`^${name} \\d\\S+ \\(MIT\\)\n-+\n`, "m"));
		}
		expect(texts.match(/Permission is hereby granted/g)?.length).toBeGreaterThan(20);
	});

	test("holds its program, README and licence, and asks for nothing else", async () => {
		const folder = join(home, INSTALLED);
		const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
		expect(manifest).toMatchObject({
			name: "@svc/cli",
			license: "MIT",
			bin: { svc: "dist/svc.mjs" },
			engines: { node: ">=20" },
		});
		for (const field of ["private", "scripts", "exports", "dependencies", "devDependencies"]) {
			expect(manifest).not.toHaveProperty(field);
		}
		const { out } = await run(["tar", "-tzf", tarball]);
		const names = out.trimEnd().split("\n").sort();
		expect(names.filter((name) => /^package\/dist\/part-\w+\.mjs$/.test(name)).length).toBeGreaterThan(10);
		expect(names.filter((name) => !name.startsWith("package/dist/part-"))).toEqual(
			["LICENSE", "README.md", "THIRD_PARTY_LICENSES", "dist/program.mjs", "dist/svc.mjs", "package.json"].map(
				(name) => `package/${name}`,
			),
		);
	});
});
