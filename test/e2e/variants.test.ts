import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { misplaced, type Reached, reachOfVariants } from "../house/variants.ts";
import { type Checkout, copyCheckout } from "../support/checkout.ts";

/* What lives for an older interface version alone stands in its folder, and goes with it. */

let copy: Checkout;
beforeAll(async () => {
	copy = await copyCheckout();
});
afterAll(() => copy[Symbol.asyncDispose]());

const at = (path: string) => join(copy.root, path);

/** Writes files for the time of one look. */
async function lookWith(files: Readonly<Record<string, (text: string) => string>>) {
	const before = await Promise.all(
		Object.keys(files).map(async (path) => [path, await readFile(at(path), "utf8").catch(() => undefined)] as const),
	);
	try {
		for (const [path, text] of before) await writeFile(at(path), files[path]?.(text ?? "") ?? "");
		const { ok, out, err } = await copy.run(process.execPath, "test/house/variants.ts");
		return { ok, err, reach: JSON.parse(out) as Reached };
	} finally {
		for (const [path, text] of before) await (text === undefined ? rm(at(path)) : writeFile(at(path), text));
	}
}

describe("npm run variants", () => {
	test("names what each version alone leaves unreached: of others' folders everything, of all else nothing that current needs not", async () => {
		const { ok, err, reach } = await lookWith({});
		expect([ok, err, reach.orphans]).toEqual([true, "", []]);
		expect(Object.keys(reach.alone).sort()).toEqual(["current", "legacy", "transition"]);
		const unreached = (name: string) => reach.alone[name]?.unreached ?? [];
		const older = unreached("current").filter(
			(module) => !/^apps\/versions\/(legacy|transition|until-4\.4)\//.test(module),
		);
		expect(older).toEqual([]);
		expect(unreached("current")).toContain("apps/versions/until-4.4/sitemap.ts");
		expect(unreached("current")).toContain("apps/versions/legacy/tiers.ts");
		expect(unreached("transition").filter((module) => module.includes("/until-4.4/"))).toEqual([]);
		expect(unreached("legacy")).toContain("apps/versions/transition/transition.ts");
	});

	test("a module that nothing reaches is an orphan", async () => {
		const { ok, reach } = await lookWith({ "packages/keys/cellar.ts": () => "export const wine = 1;\n" });
		expect([ok, reach.orphans]).toEqual([false, ["packages/keys/cellar.ts"]]);
	});

	test("a module that holds types alone is reached by who imports them, and an orphan without", async () => {
		const types = { "packages/keys/cellar.ts": () => "export interface Wine {\n\treadonly year: number;\n}\n" };
		expect((await lookWith(types)).reach.orphans).toEqual(["packages/keys/cellar.ts"]);
		const used = (text: string) => `import type { Wine } from "./cellar.ts";\nexport type Cellar = Wine[];\n${text}`;
		expect((await lookWith({ ...types, "packages/keys/keys.ts": used })).reach.orphans).toEqual([]);
	});

	test("a module for an older version alone has to stand in its folder", async () => {
		const { ok, err } = await lookWith({
			"packages/keys/cellar.ts": () => "export const wine = 1;\n",
			"apps/versions/legacy/tiers.ts": (text) => `import { wine } from "@svc/keys/cellar";\n${text}\nvoid wine;\n`,
		});
		expect([ok, err]).toEqual([false, expect.stringContaining("packages/keys/cellar.ts is needed by older")]);
	});

	test.each([
		["apps/versions/current.ts", "./legacy/tiers.ts", "apps/versions/legacy/tiers.ts is reached by current"],
		[
			"apps/versions/transition/transition.ts",
			"../legacy/tiers.ts",
			"apps/versions/legacy/tiers.ts is reached by transition",
		],
		["apps/versions/legacy/tiers.ts", "../transition/transition.ts", "transition.ts is reached by legacy"],
	])("%s may not import %s", async (path, imported, said) => {
		const { ok, err } = await lookWith({ [path]: (text) => `import "${imported}";\n${text}` });
		expect([ok, err]).toEqual([false, expect.stringContaining(said)]);
	});
});

const CASES = [
	{ gone: ["legacy"], folders: ["legacy"], left: ["current", "transition"] },
	{ gone: ["transition"], folders: ["transition"], left: ["current", "legacy"] },
	{ gone: ["legacy", "transition"], folders: ["legacy", "transition", "until-4.4"], left: ["current"] },
];

/** Tests that hold in each version, and which version each of them serves. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
	current: ["test/http/images/get-delete-list.test.ts", "test/http/billing/billing-card.test.ts"],
	transition: ["test/http/images/transition-limits.test.ts"],
	legacy: ["test/http/billing/tier-card.test.ts"],
};

const VERSIONS = ["the versions", [process.execPath, "test/house/variants.ts"]] as const;
/** What is left over of one version is left over of two as well, so that these dear looks are taken once. */
const WHOLE = [
	["types", ["node_modules/.bin/tsc", "--noEmit", "--singleThreaded"]],
	["dead code", ["node_modules/.bin/knip", "--no-progress"]],
	[
		"rules of the server and the versions",
		["node_modules/.bin/biome", "lint", "--error-on-warnings", "apps/server", "apps/versions"],
	],
	["the order of the rooms", [process.execPath, "test/house/order.ts"]],
] as const;

/** What an older version alone imported keeps its `export`, and the manifest of the versions what it named: neither is code that is left behind. */
async function allowLeftExports(root: string): Promise<void> {
	const file = join(root, "knip.json");
	const config = JSON.parse(await readFile(file, "utf8"));
	const left = { ignoreExportsUsedInFile: true, exclude: ["dependencies", "devDependencies"] };
	await writeFile(file, JSON.stringify({ ...config, ...left }));
}

describe.each(CASES)("without $gone", ({ gone, folders, left }) => {
	let house: Checkout;
	beforeAll(async () => {
		house = await copyCheckout();
		for (const folder of folders) await rm(join(house.root, "apps/versions", folder), { recursive: true });
		await allowLeftExports(house.root);
		const file = join(house.root, "apps/server/variants.ts");
		const lines = (await readFile(file, "utf8")).split("\n");
		await writeFile(
			file,
			lines.filter((line) => !gone.some((name) => line.startsWith(`export { ${name} }`))).join("\n"),
		);
	});
	afterAll(() => house[Symbol.asyncDispose]());

	test.each(gone.length > 1 ? [...WHOLE, VERSIONS] : [VERSIONS])(
		"%s are green",
		async (_, command) => {
			const { ok, out, err } = await house.run(...command);
			expect(ok ? "" : `${out}${err}`).toBe("");
		},
		300_000,
	);

	test("the others' tests are green", async () => {
		const files = left.flatMap((name) => OTHERS[name] ?? []);
		const { ok, err } = await house.run(process.execPath, "test", "--timeout", "60000", ...files);
		expect(ok ? "" : err).toBe("");
	}, 600_000);
});

test("the look that `npm run variants` takes is the one that is tested here", async () => {
	const root = join(import.meta.dir, "../..");
	expect(misplaced(await reachOfVariants(root), root)).toEqual([]);
});
