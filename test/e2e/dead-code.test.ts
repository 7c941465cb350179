import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFile, cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/* What nothing uses is refused inside rooms as well: their package.json lets every file be imported, which must not hide a dead one. */

const ROOT = join(import.meta.dir, "../..");

const SITEMAP = "apps/versions/until-4.4/sitemap";

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

/** What the check for dead code says of the copy with all three faults in it: one look at the whole house is dear. */
let said = "";
beforeAll(async () => {
	const cellar = 'export function wine(): string {\n\treturn "";\n}\n';
	await writeFile(join(copy, "packages/keys/cellar.ts"), cellar);
	await appendFile(join(copy, "packages/keys/keys.ts"), "\nexport const UNUSED = 1;\n");
	await writeFile(join(copy, `${SITEMAP}-routes.ts`), "export const sitemapRoutes = 1;\n");
	const knip = Bun.spawn([join(ROOT, "node_modules/.bin/knip"), "--no-progress"], { cwd: copy, stdout: "pipe" });
	said = await new Response(knip.stdout).text();
}, 300_000);

test("a new file of a room that nothing imports is refused", () => {
	expect(said).toContain("packages/keys/cellar.ts");
});

test("an export that nothing imports is refused", () => {
	expect(said).toContain("UNUSED");
});

test("what only a deleted caller used is refused, and nothing that is used", () => {
	expect(said).toContain(`${SITEMAP}.ts`);
	expect(said).not.toContain("packages/keys/app-keys.ts");
});
