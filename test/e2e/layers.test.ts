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

/** A file that imports one thing. */
const importing = (name: string, from: string) => `import { ${name} } from "${from}";\nexport const x = ${name};\n`;

describe("the arrows between the rooms", () => {
	test.each([
		["apps/api/images/x.ts", importing("sql", "drizzle-orm"), "noRestrictedImports"],
		["apps/api/images/x.ts", importing("imageStore", "@svc/images/images-store"), "noRestrictedImports"],
		["apps/api/images/x.ts", importing("openDatabase", "@svc/base/database/open"), "noRestrictedImports"],
		["apps/api/images/x.ts", importing("current", "@svc/versions/current"), "noRestrictedImports"],
		["apps/api/images/x.ts", importing("legacy", "@svc/versions/legacy/legacy"), "noRestrictedImports"],
		["apps/server/wire/x.ts", importing("legacy", "@svc/versions/legacy/legacy"), "noRestrictedImports"],
		["apps/versions/x.ts", importing("legacy", "./legacy/legacy.ts"), "noRestrictedImports"],
		["apps/versions/legacy/x.ts", importing("sql", "drizzle-orm"), "noRestrictedImports"],
		["apps/versions/legacy/x.ts", importing("Elysia", "elysia"), "noRestrictedImports"],
		["apps/api/images/x.ts", importing("pagesApp", "@svc/pages/app"), "noRestrictedImports"],
		["apps/pages/billing/x.ts", importing("stripeProcessor", "@svc/billing/stripe/processor"), "noRestrictedImports"],
		["apps/pages/console/x.ts", importing("getMembership", "@svc/apps/team/team"), "noRestrictedImports"],
		["apps/pages/console/images/x.ts", importing("findSignedIn", "../../people/signed-in.ts"), "noRestrictedImports"],
		["apps/pages/console/kit/x.ts", importing("PagesRooms", "../../kit/rooms.ts"), "noRestrictedImports"],
		["apps/pages/console/selling/x.ts", importing("Action", "../../billing/billing-parts.tsx"), "noRestrictedImports"],
		[
			"apps/pages/billing/plan-card.tsx",
			importing("hasPlan", "@svc/billing/payers/user-billing"),
			"noRestrictedImports",
		],
		["apps/pages/billing/plan-card.tsx", importing("Action", "./billing-parts.tsx"), "noRestrictedImports"],
		["apps/cdn/x.ts", importing("sharpRenderer", "@svc/imaging/render/render"), "noRestrictedImports"],
		["apps/cdn/x.ts", importing("openFaceFinder", "@svc/finders/faces"), "noRestrictedImports"],
		["packages/images/x.ts", importing("sql", "drizzle-orm"), "noRestrictedImports"],
		["packages/images/x.ts", importing("Elysia", "elysia"), "noRestrictedImports"],
		["packages/images/x-store.ts", importing("Elysia", "elysia"), "noRestrictedImports"],
		["packages/images/x.ts", importing("apiApp", "@svc/api/app"), "noRestrictedImports"],
		["packages/variants/x.ts", importing("legacy", "@svc/versions/legacy/legacy"), "noRestrictedImports"],
		["packages/images/transform/x.ts", importing("readFile", "node:fs/promises"), "noRestrictedImports"],
		["packages/images/transform/x.ts", importing("imageStore", "../images-store.ts"), "noRestrictedImports"],
		["packages/imaging/x.ts", importing("imageStore", "@svc/images/images-store"), "noRestrictedImports"],
		["packages/imaging/x.ts", importing("openFaceFinder", "@svc/finders/faces"), "noRestrictedImports"],
		["packages/finders/x.ts", importing("sharp", "@svc/imaging/sharp-settings"), "noRestrictedImports"],
		["packages/storage/x.ts", importing("sql", "drizzle-orm"), "noRestrictedImports"],
		["packages/sdk/x.ts", importing("readFile", "node:fs"), "noRestrictedImports"],
		["cli/x.ts", importing("newId", "@svc/base/ids"), "noRestrictedImports"],
		["packages/migrate/x.ts", importing("newId", "@svc/base/ids"), "noRestrictedImports"],
		["packages/nouns/x.ts", importing("newId", "@svc/base/ids"), "noRestrictedImports"],
		["tui/x.ts", importing("newId", "@svc/base/ids"), "noRestrictedImports"],
		["packages/images/x.ts", "export const x = Bun.version;\n", "noRestrictedGlobals"],
		["packages/images/x.ts", "export const x = process.env.HOME;\n", "noProcessEnv"],
		["apps/server/x.ts", "export const x = process.env.HOME;\n", "noProcessEnv"],
		["packages/images/x.ts", "export default 1;\n", "noDefaultExport"],
	])("%s: %s", async (path, content, rule) => {
		expect(await broken(path, content)).toContain(rule);
	});

	test.each([
		["packages/images/x.ts", importing("newId", "@svc/base/ids")],
		["packages/images/x-store.ts", importing("sql", "drizzle-orm")],
		["packages/images/transform/x.ts", importing("invalid", "@svc/base/failure")],
		["packages/finders/x.ts", importing("ANALYSIS_SIDE", "@svc/images/transform/analysis")],
		["packages/storage/x.ts", importing("Failure", "@svc/base/failure")],
		["apps/api/images/x.ts", importing("createImage", "@svc/images/create/create-image")],
		["apps/pages/console/selling/x.ts", importing("PlanCard", "../../billing/plan-card.tsx")],
		["apps/pages/billing/plan-card.tsx", importing("t", "./messages.ts")],
		["apps/server/variants.ts", importing("legacy", "@svc/versions/legacy/legacy")],
		["apps/versions/legacy/x.ts", importing("publicField", "../until-4.4/visibility.ts")],
		["apps/versions/legacy/x-store.ts", importing("sql", "drizzle-orm")],
		["apps/server/x.ts", importing("imageStore", "@svc/images/images-store")],
	])("%s passes with %s", async (path, content) => {
		expect(await broken(path, content)).not.toContain("noRestrictedImports");
	});
});
