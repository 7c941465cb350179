import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const GUIDES = join(ROOT, "docs/guides");

interface Snippet {
	readonly guide: string;
	/** From the root. */
	readonly file: string;
	readonly code: string;
}

async function snippetsOf(guide: string): Promise<readonly Snippet[]> {
	const text = await readFile(join(GUIDES, guide), "utf8");
	const found = [...text.matchAll(/<!-- from: (\S+) -->\n```\w+\n([\s\S]*?)\n```/g)];
	// One that is not followed by its code would be compared with nothing.
	expect([guide, found.length]).toEqual([guide, text.split("<!-- from: ").length - 1]);
	return found.map(([, file = "", code = ""]) => ({ guide, file, code }));
}

/** How far a line stands to the right is not compared: a guide shows parts. */
const lines = (text: string) => text.split("\n").map((line) => line.trim());

const guides = (await readdir(GUIDES)).filter((name) => name.endsWith(".md"));
const snippets = (await Promise.all(guides.map(snippetsOf))).flat();

test("guides show code of the examples that have a flow of their own", () => {
	const shown = new Set(snippets.map(({ file }) => file.split("/")[1]));
	expect([...shown].sort()).toEqual(["selling", "sign-in"]);
});

test.each(snippets.map((one) => [one.guide, one.file, one] as const))(
	"docs/guides/%s shows %s as it is",
	async (_guide, _file, { file, code }) => {
		const whole = lines(await readFile(join(ROOT, file), "utf8"));
		const part = lines(code);
		const at = whole.findIndex((_, start) => part.every((line, offset) => line === whole[start + offset]));
		expect([at >= 0, code]).toEqual([true, code]);
	},
);
