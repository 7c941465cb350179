import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { manifestOf, ROOT } from "@svc/deploy/package-files";
import { EXAMPLES } from "../support/example.ts";

/* What all examples have in common. Each is run by a test of its own. */

interface Manifest {
	readonly name: string;
	readonly private: boolean;
	readonly license: string;
	readonly scripts: Readonly<Record<string, string>>;
	readonly dependencies: Readonly<Record<string, string>>;
	readonly engines: Readonly<Record<string, string>>;
}

const names = (await readdir(EXAMPLES)).filter((name) => existsSync(join(EXAMPLES, name, "README.md")));
const onNode = names.filter((name) => existsSync(join(EXAMPLES, name, "package.json")));
const sdk = await manifestOf(join(ROOT, "packages", "sdk"));

async function sourcesOf(name: string): Promise<string> {
	const files = await readdir(join(EXAMPLES, name), { recursive: true, withFileTypes: true });
	const code = files.filter((file) => file.isFile() && /\.(m?js|jsx|astro|py)$/.test(file.name));
	const texts = await Promise.all(code.map((file) => readFile(join(file.parentPath, file.name), "utf8")));
	return texts.join("\n");
}

describe.each(names)("examples/%s", (name) => {
	test("has a test that runs it, and a README of at most 40 lines that names every variable it reads", async () => {
		expect(existsSync(join(import.meta.dirname, `example-${name}.test.ts`))).toBe(true);
		const readme = await readFile(join(EXAMPLES, name, "README.md"), "utf8");
		expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
		const read = new Set((await sourcesOf(name)).match(/\bSVC_[A-Z_]*[A-Z]\b/g));
		expect([...read].filter((variable) => !readme.includes(variable))).toEqual([]);
	});
});

const COMMON = "## In every example\n";

describe.each(names)("examples/%s", (name) => {
	test("tells agents in an AGENTS.md of at most 25 lines what it is, how it runs and what never to do", async () => {
		const read = async (example: string) => await readFile(join(EXAMPLES, example, "AGENTS.md"), "utf8");
		const [own = "", common] = (await read(name)).split(COMMON);
		expect((own + common).split("\n").length).toBeLessThanOrEqual(25);
		expect(common).toBe((await read("express")).split(COMMON)[1]);
		const named = [...own.matchAll(/`([\w./-]+\.(?:m?js|json|html|py|md))`/g)].map(([, file = ""]) => file);
		expect(named.filter((file) => !existsSync(join(EXAMPLES, name, file)))).toEqual([]);
	});
});

describe.each(onNode)("examples/%s", (name) => {
	test("is started by npm start alone, with exact versions, ours as a file of this state, and is nobody's to publish", async () => {
		const text = await readFile(join(EXAMPLES, name, "package.json"), "utf8");
		const { dependencies, engines, scripts, ...about } = JSON.parse(text) as Manifest;
		expect(about).toMatchObject({ name: `svc-example-${name}`, private: true, license: "MIT" });
		expect(scripts.start).toStartWith("node install.mjs && ");
		expect(engines.node).toEqual(expect.any(String));
		for (const [dependency, version] of Object.entries(dependencies)) {
			const file = `file:${dependency.replace("@", "").replace("/", "-")}-${sdk.version}.tgz`;
			const wanted = dependency.startsWith("@svc/") ? file : expect.stringMatching(/^\d+\.\d+\.\d+$/);
			expect([dependency, version]).toEqual([dependency, wanted]);
		}
	});
});

test("what examples share is the same in each", async () => {
	const read = (file: string) => readFile(join(EXAMPLES, file), "utf8");
	for (const name of onNode) expect(await read(`${name}/install.mjs`)).toBe(await read("express/install.mjs"));
	for (const file of ["svc.mjs", "page.mjs"]) expect(await read(`selling/${file}`)).toBe(await read(`sign-in/${file}`));
});
