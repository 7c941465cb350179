import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const BIOME = join(ROOT, "node_modules/.bin/biome");

let house: string;
beforeAll(async () => {
	house = await mkdtemp(join(tmpdir(), "svc-house-"));
	for (const name of ["biome.json", ".gitignore"]) await cp(join(ROOT, name), join(house, name));
});
afterAll(() => rm(house, { recursive: true }));

/** The lint rules that a file of this path and content breaks, under the rules of this checkout. */
async function broken(path: string, content: string): Promise<string> {
	await mkdir(join(house, dirname(path)), { recursive: true });
	await writeFile(join(house, path), content);
	const lint = Bun.spawn([BIOME, "lint", path], { cwd: house, stdout: "pipe", stderr: "pipe" });
	const [out, err] = await Promise.all([new Response(lint.stdout).text(), new Response(lint.stderr).text()]);
	await lint.exited;
	return [...`${out}${err}`.matchAll(/lint\/\w+\/(\w+)/g)].map(([, rule]) => rule).join();
}

describe("the arrows between the layers", () => {
	test.each([
		["apps/api/x.ts", 'import { sql } from "drizzle-orm";\nexport const x = sql;\n', "noRestrictedImports"],
		[
			"apps/api/x.ts",
			'import { imageStore } from "@svc/db/images";\nexport const x = imageStore;\n',
			"noRestrictedImports",
		],
		[
			"apps/api/x.ts",
			'import { current } from "@svc/variants/current";\nexport const x = current;\n',
			"noRestrictedImports",
		],
		[
			"apps/cdn/x.ts",
			'import { sharpRenderer } from "@svc/imaging/render";\nexport const x = sharpRenderer;\n',
			"noRestrictedImports",
		],
		[
			"packages/core/x.ts",
			'import { readFile } from "node:fs/promises";\nexport const x = readFile;\n',
			"noRestrictedImports",
		],
		["packages/core/x.ts", 'import sharp from "sharp";\nexport const x = sharp;\n', "noRestrictedImports"],
		["packages/core/x.ts", "export const x = Bun.version;\n", "noRestrictedGlobals"],
		["packages/core/x.ts", "export const x = process.env.HOME;\n", "noProcessEnv"],
		["packages/db/x.ts", 'import { Elysia } from "elysia";\nexport const x = Elysia;\n', "noRestrictedImports"],
		[
			"packages/finders/x.ts",
			'import { sharp } from "@svc/imaging/sharp-settings";\nexport const x = sharp;\n',
			"noRestrictedImports",
		],
		[
			"packages/imaging/x.ts",
			'import { openFaceFinder } from "@svc/finders/faces";\nexport const x = openFaceFinder;\n',
			"noRestrictedImports",
		],
		[
			"apps/cdn/x.ts",
			'import { openFaceFinder } from "@svc/finders/faces";\nexport const x = openFaceFinder;\n',
			"noRestrictedImports",
		],
		[
			"packages/mail/x.ts",
			'import { mailStore } from "@svc/db/emails";\nexport const x = mailStore;\n',
			"noRestrictedImports",
		],
		["apps/api/x.ts", 'import { render } from "@svc/mail/render";\nexport const x = render;\n', "noRestrictedImports"],
		[
			"packages/jobs/x.ts",
			'import { jobStore } from "@svc/db/jobs";\nexport const x = jobStore;\n',
			"noRestrictedImports",
		],
		["packages/sdk/x.ts", 'import { readFile } from "node:fs";\nexport const x = readFile;\n', "noRestrictedImports"],
		["cli/x.ts", 'import { newId } from "@svc/core/ids";\nexport const x = newId;\n', "noRestrictedImports"],
		["apps/server/x.ts", "export const x = process.env.HOME;\n", "noProcessEnv"],
		["packages/core/x.ts", "export default 1;\n", "noDefaultExport"],
	])("%s: %s", async (path, content, rule) => {
		expect(await broken(path, content)).toContain(rule);
	});

	test("what follows them passes", async () => {
		expect(await broken("packages/core/x.ts", 'import { y } from "./y.ts";\nexport const x = y;\n')).toBe("");
		const finder = await broken(
			"packages/finders/x.ts",
			'import type { Mask } from "@svc/core/facts";\nexport type X = Mask;\n',
		);
		expect(finder).not.toContain("noRestrictedImports");
		expect(await broken("apps/server/x.ts", "export const x = Bun.version;\n")).toBe("");
	});
});
