import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DECLARATIONS, declarations } from "./declarations.ts";
import { packed, recorded, versionOf } from "./packages.ts";

test("one version of the SDK and the command line names one byte string: else run `npm run generate`, which raises it", async () => {
	expect(await packed()).toEqual(await recorded());
}, 60_000);

test("what changes a package raises its version, and what has raised it already does not again", () => {
	const before = { version: "0.1.9", sdk: "a", cli: "b" };
	expect(versionOf(before, before)).toBe("0.1.9");
	expect(versionOf({ ...before, sdk: "other" }, before)).toBe("0.1.10");
	expect(versionOf({ ...before, cli: "other" }, before)).toBe("0.1.10");
	expect(versionOf({ version: "0.2.0", sdk: "other", cli: "b" }, before)).toBe("0.2.0");
});

test("packages/sdk/declarations is what the SDK declares now: else run `npm run generate`", async () => {
	for (const [name, text] of declarations()) {
		const written = await readFile(join(DECLARATIONS, name), "utf8").catch(() => "missing");
		expect([name, written === text]).toEqual([name, true]);
	}
}, 60_000);
