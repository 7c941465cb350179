import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { bundleService } from "@svc/deploy/bundle";
import type { BunPlugin } from "bun";
import { RUNTIMES } from "../support/runtimes.ts";
import { filesOnEveryRuntime } from "./files.ts";

/*
 * Runs tests of the service on another runtime: the service in the runtime's own process, and each request through its listener.
 *
 *   bun test/runtimes/run.ts "Node 22" keys kit test/http/images/batch.test.ts
 */

const ROOT = join(import.meta.dirname, "../..");
const HERE = import.meta.dirname;

/** Gives test files what they have from Bun. */
const asBun: BunPlugin = {
	name: "as-bun",
	setup(build) {
		build.onResolve({ filter: /^bun:test$/ }, () => ({ path: join(HERE, "bun-test.ts") }));
		build.onLoad({ filter: /[\\/]test[\\/].*\.ts$/ }, async ({ path }) => {
			const source = await Bun.file(path).text();
			const isUser = /\bBun\./.test(source) && !path.startsWith(HERE);
			const given = isUser ? `import { Bun } from ${JSON.stringify(join(HERE, "bun-global.ts"))};\n` : "";
			return { contents: given + source, loader: "ts" };
		});
	},
};

async function runOn(name: string, files: readonly string[]): Promise<number> {
	const runtime = RUNTIMES.find((one) => one.name === name);
	if (!runtime) throw new Error(`a runtime: ${RUNTIMES.map((one) => one.name).join(", ")}`);
	const folder = await mkdtemp(join(tmpdir(), "svc-tests-"));
	try {
		const programs = files.map((file) => relative(ROOT, resolve(file)));
		await bundleService(folder, {
			programs: ["test/runtimes/tests.ts", ...programs],
			plugins: [asBun],
			packages: {
				"playwright-core": "test",
				"@seriousme/openapi-schema-validator": "test",
				expect: "test",
				"jest-mock": "test",
			},
		});
		const built = programs.map((file) => `./${basename(file).replace(/\.ts$/, ".js")}`);
		const command = [...runtime.command(), join(folder, "tests.js"), ...built];
		const child = Bun.spawn(command, {
			cwd: ROOT,
			env: { ...process.env, SVC_TEST_OVER_HTTP: "1" },
			stdio: ["ignore", "inherit", "inherit"],
		});
		return await child.exited;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

const [, , name = "", ...words] = process.argv;
const [files, folders] = [words.filter(isFile), words.filter((word) => !isFile(word))];
// One after the other: a file of each may have the same name, and programs are built side by side in one folder.
for (const chosen of [files, filesOnEveryRuntime(ROOT, folders)]) {
	if (chosen.length > 0) process.exitCode = (await runOn(name, chosen)) || (process.exitCode ?? 0);
}

function isFile(word: string): boolean {
	return word.endsWith(".ts");
}
