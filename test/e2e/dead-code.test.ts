import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/* What nothing uses is refused inside rooms as well: their package.json lets every file be imported, which must not hide a dead one. */

const ROOT = join(import.meta.dir, "../..");

let copy: string;
beforeAll(async () => {
	copy = await mkdtemp(join(tmpdir(), "svc-dead-code-"));
	const { stdout } = Bun.spawnSync(["git", "ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
	const files = stdout.toString().trim().split("\n");
	const wanted = files.filter((file) => /\.(tsx?|json|css)$/.test(file));
	await Promise.all(wanted.map((file) => cp(join(ROOT, file), join(copy, file)).catch(() => undefined)));
	const manifests = wanted.filter((file) => file.endsWith("package.json")).map(dirname);
	await Promise.all(
		manifests.map((folder) =>
			symlink(join(ROOT, folder, "node_modules"), join(copy, folder, "node_modules")).catch(() => undefined),
		),
	);
});
afterAll(() => rm(copy, { recursive: true, force: true }));

/** What the check for dead code says of the copy, as it is after a change. */
async function afterChange(path: string, change: (text: string) => string): Promise<string> {
	const file = join(copy, path);
	const before = await readFile(file, "utf8").catch(() => undefined);
	await writeFile(file, change(before ?? ""));
	try {
		const knip = Bun.spawn([join(ROOT, "node_modules/.bin/knip"), "--no-progress"], { cwd: copy, stdout: "pipe" });
		return await new Response(knip.stdout).text();
	} finally {
		if (before === undefined) await rm(file);
		else await writeFile(file, before);
	}
}

test("a new file of a room that nothing imports is refused", async () => {
	const said = await afterChange(
		"packages/keys/cellar.ts",
		() => 'export function wine(): string {\n\treturn "";\n}\n',
	);
	expect(said).toContain("packages/keys/cellar.ts");
});

test("an export that nothing imports is refused", async () => {
	const said = await afterChange("packages/keys/keys.ts", (text) => `${text}\nexport const UNUSED = 1;\n`);
	expect(said).toContain("UNUSED");
});

test("what only a deleted caller used is refused", async () => {
	const sitemap = "apps/versions/until-4.4/sitemap";
	const said = await afterChange(`${sitemap}-routes.ts`, () => "export const sitemapRoutes = 1;\n");
	expect(said).toContain(`${sitemap}.ts`);
});
