import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { NOTICES, notices } from "./notices.ts";

test("the notices name every package that people install: else `npm run generate`", async () => {
	expect(await readFile(NOTICES, "utf8")).toBe(notices());
});

test("each has a licence that may be shipped with ours", () => {
	const licences = new Set(
		[...notices().matchAll(/^\| \S+ \| \S+ \| ([^|]+) \|/gm)].map(([, licence = ""]) => licence),
	);
	licences.delete("Licence");
	for (const licence of licences)
		expect(licence).toMatch(
			/^\(?(?:MIT|MIT-0|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0|LGPL-3\.0|BlueOak-1\.0\.0|Unlicense|CC0-1\.0)/,
		);
});
