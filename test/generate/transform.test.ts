import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { transformFiles, urlOf } from "./transform.ts";

const files = transformFiles();

test.each(files)("$path says what the table of transform parameters says: else `npm run generate`", async (file) => {
	expect(await readFile(urlOf(file.path), "utf8")).toBe(file.text);
});
