import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Checkout, copyCheckout } from "../support/checkout.ts";

/* What nothing uses is refused inside rooms as well: their package.json lets every file be imported, which must not hide a dead one. */

const SITEMAP = "apps/versions/until-4.4/sitemap";

let copy: Checkout;
/** What the check for dead code says of a copy with all three faults in it: one look at the whole house is dear. */
let said = "";
beforeAll(async () => {
	copy = await copyCheckout();
	const at = (path: string) => join(copy.root, path);
	await writeFile(at("packages/keys/cellar.ts"), 'export function wine(): string {\n\treturn "";\n}\n');
	await appendFile(at("packages/keys/keys.ts"), "\nexport const UNUSED = 1;\n");
	await writeFile(at(`${SITEMAP}-routes.ts`), "export const sitemapRoutes = 1;\n");
	said = (await copy.run("node_modules/.bin/knip", "--no-progress", "--no-config-hints")).out;
}, 300_000);
afterAll(() => copy[Symbol.asyncDispose]());

test("a new file of a room that nothing imports is refused", () => {
	expect(said).toContain("packages/keys/cellar.ts");
});

test("an export that nothing imports is refused, and none that another room imports", () => {
	expect(said).toMatch(/^UNUSED /m);
	expect(said).not.toContain("packages/keys/app-keys.ts");
});

test("what only a deleted caller used is refused", () => {
	expect(said).toContain(`${SITEMAP}.ts`);
});
