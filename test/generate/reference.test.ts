import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { referenceFiles } from "./reference.ts";
import { urlOf } from "./transform.ts";

const files = await referenceFiles();

test.each(files)("$path says what the code says: else `bun run generate`", async (file) => {
	expect(await readFile(urlOf(file.path), "utf8")).toBe(file.text);
});
