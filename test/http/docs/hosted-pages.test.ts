import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { serviceFor } from "../../support/service.ts";

/* The page about the hosted pages, beside the code of the hosted pages. */

const ROOT = join(import.meta.dirname, "../../..");
const PAGES = join(ROOT, "apps/pages");
const service = serviceFor();
const guides = ["docs/guides/hosted-pages.md", "docs/guides/console.md"];
const guide = (await Promise.all(guides.map((page) => readFile(join(ROOT, page), "utf8")))).join("\n");

async function sourceOf(folder: string): Promise<string> {
	const names = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(folder)].filter(
		(name) => !/node_modules|\.test\./.test(name),
	);
	return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
}

const pages = await sourceOf(PAGES);
const connect = await sourceOf(join(ROOT, "packages/connect"));
const isNamed = (word: string) => new RegExp(`\`[^\`\n]*\\b${word}\\b[^\`\n]*\``).test(guide);

test("each query parameter that a hosted page reads is on the pages about them", async () => {
	const read = [...pages.matchAll(/searchParams\.(?:get|has)\("(\w+)"\)/g)].map(([, name = ""]) => name);
	const [, names = ""] = /const NAMES: ReadonlySet<string> = new Set\(\[([^\]]+)\]\)/.exec(pages) ?? [];
	const [, card = ""] = /const NAMES = \[([^\]]+)\] as const/.exec(pages) ?? [];
	const listed = [...`${names}${card}`.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name);
	expect(listed).toContain("login_hint");
	// The names that a link may choose a plan by are those of the interface that is served by default.
	const wanted = new Set([...read, ...listed, "price_id"]);
	expect([...wanted].filter((name) => !isNamed(name))).toEqual([]);
});

test("each error that a hosted page sends back, and each fault of a link that it shows, is on the page about them", () => {
	const errors = [...`${pages}\n${connect}`.matchAll(/\berror: "(\w+)"/g)].map(([, code = ""]) => code);
	const [, table = ""] = /const ABOUT = \{([\s\S]*?)\} satisfies/.exec(pages) ?? [];
	const faults = [...table.matchAll(/^\t(\w+):/gm)].map(([, code = ""]) => code);
	const parsed = [...pages.matchAll(/faulty\("(\w+)"/g)].map(([, code = ""]) => code);
	expect([new Set(errors).size, faults.length, parsed.length]).toEqual([3, 7, 2]);
	expect([...errors, ...faults, ...parsed].filter((code) => !isNamed(code))).toEqual([]);
});

test("each page of an account that people can be led to is on the page about them, and each page there exists", async () => {
	const ask = async (path: string) => (await service.open(`http://localhost:3000${path}`)).status;
	const [, own = ""] = /"(apps\|plans\|[a-z|]+)"/.exec(pages) ?? [];
	const words = own.split("|");
	expect(words.length).toBeGreaterThan(8);
	for (const word of words) {
		const path = `/account/${word}`;
		if ((await ask(path)) !== 404) expect([path, guide.includes(`\`${path}\``)]).toEqual([path, true]);
	}
	const named = [...guide.matchAll(/`(\/(?:account|connect|billing)[^`\s?]*)`/g)].map(([, path = ""]) => path);
	expect(named.length).toBeGreaterThan(15);
	for (const path of new Set(named)) {
		const id = path.replace(/(app|sub|ivc|img|inv)_…/g, (_, kind: string) => `${kind}_TQT69ZbHuwN4iFAAb71zxt`);
		expect([path, await ask(id)]).not.toEqual([path, 404]);
	}
});
