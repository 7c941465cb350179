import { expect } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packSdk } from "@svc/deploy/sdk-package";

/* For tests only: a project of a user, which has the packed SDK and nothing else. */

export interface ScratchProject extends AsyncDisposable {
	readonly folder: string;
	readonly tarball: string;
	/** The standard output of a program of the project. It must end well, and print no warning. */
	run(command: readonly string[]): Promise<string>;
}

export async function scratchProject(): Promise<ScratchProject> {
	const folder = await mkdtemp(join(tmpdir(), "svc-sdk-"));
	const { tarball } = await packSdk(join(folder, "packed"));
	const run = async (command: readonly string[]) => {
		const env = { ...process.env, DENO_DIR: join(folder, "deno") };
		const child = Bun.spawn([...command], { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
		const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
		expect([command[0], await child.exited, errors, output]).toEqual([command[0], 0, "", expect.any(String)]);
		return output;
	};
	await writeFile(join(folder, "package.json"), JSON.stringify({ name: "scratch", private: true, type: "module" }));
	await run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--silent", tarball]);
	return { folder, tarball, run, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
