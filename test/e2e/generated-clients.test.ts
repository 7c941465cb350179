import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HEY_API_PROGRAM, OPENAPI_FETCH_PROGRAM, PYTHON_PROGRAM } from "../support/generated-programs.ts";
import { plain } from "../support/pictures.ts";
import { madeBefore, startService } from "../support/service.ts";

/* Clients that generators make of the API document, at work: a TypeScript one of types alone, one of functions, and a Python one. */

const MODULES = join(import.meta.dir, "../node_modules");
const ROOT_MODULES = join(import.meta.dir, "../../node_modules");
const PYTHON = process.env.OPENAPI_PYTHON_CLIENT;

const service = madeBefore(() => startService());
afterAll(() => service.stop());

let folder = "";
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "svc-clients-"));
	await symlink(MODULES, join(folder, "node_modules"));
	await Bun.write(join(folder, "package.json"), JSON.stringify({ name: "clients", private: true, type: "module" }));
	await Bun.write(join(folder, "photo.png"), await plain(40, 30));
	const document = await service.api("/openapi.json", { headers: {} });
	await Bun.write(join(folder, "openapi.json"), await document.text());
});
afterAll(() => rm(folder, { recursive: true }));

/** Standard output of a program that ends well. */
async function run(command: readonly string[]): Promise<string> {
	const env = { ...process.env, SVC_URL: service.baseUrl, SVC_KEY: service.apiKey };
	const child = Bun.spawn([...command], { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
	const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	expect([command[0], await child.exited, `${errors}${output}`]).toEqual([command[0], 0, expect.any(String)]);
	return output;
}

/** What each program prints, line by line. */
async function expectLife(output: string, album: string): Promise<void> {
	const [uploaded, listed, refused, deleted] = output.trim().split("\n").slice(-4);
	expect(uploaded).toStartWith("img_");
	expect(listed).toBe(`${uploaded}`);
	expect(refused).toBe("422 validation_error");
	expect(deleted).toBe("true");
	const left = await service.api(`/v1/images?labels=album=${album}`);
	expect(((await left.json()) as { data: unknown[] }).data).toEqual([]);
}

async function runTypeScript(name: string, program: string): Promise<string> {
	const file = join(folder, name);
	await Bun.write(file, program);
	const strict = "--strict --noEmit --skipLibCheck --target esnext --module preserve --moduleResolution bundler".split(
		" ",
	);
	const types = ["--typeRoots", ROOT_MODULES, "--types", "bun-types"];
	await run([join(ROOT_MODULES, ".bin/tsc"), ...strict, ...types, file]);
	return await run([process.execPath, file]);
}

describe("a client that is generated from the API document uploads, lists with labels, is told of its faults, and deletes", () => {
	test("types by openapi-typescript, used by openapi-fetch", async () => {
		await run(["node", join(MODULES, "openapi-typescript/bin/cli.js"), "openapi.json", "-o", "schema.ts"]);
		await expectLife(await runTypeScript("openapi-fetch.ts", OPENAPI_FETCH_PROGRAM), "fetch");
	});

	test("functions by @hey-api/openapi-ts", async () => {
		await run([
			"node",
			join(MODULES, "@hey-api/openapi-ts/bin/run.js"),
			"-i",
			"openapi.json",
			"-o",
			"hey",
			"-c",
			"@hey-api/client-fetch",
		]);
		await expectLife(await runTypeScript("hey-api.ts", HEY_API_PROGRAM), "hey");
	});

	test.skipIf(!PYTHON)("a Python package by openapi-python-client", async () => {
		const generator = PYTHON ?? "";
		const output = await run([
			generator,
			"generate",
			"--path",
			"openapi.json",
			"--meta",
			"none",
			"--output-path",
			"svc_client",
		]);
		// What it cannot make functions of it leaves out with a warning.
		expect(output).not.toContain("WARNING");
		await Bun.write(join(folder, "program.py"), PYTHON_PROGRAM);
		// The Python that it was installed into stands beside it, wherever a link to it is.
		const python = join(dirname(await realpath(generator)), "python");
		await expectLife(await run([python, "program.py"]), "python");
	});
});
