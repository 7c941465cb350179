import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { renderArticle } from "@svc/api/docs/markdown";
import { COMMANDS } from "@svc/cli/commands/commands";
import { type Command, everyEntry, isGroup } from "@svc/cli/kit/command";
import { GLOBAL_FLAGS } from "@svc/cli/kit/line/globals";
import { ENTRIES } from "@svc/deploy/sdk-package";

/* What holds for each page of docs/. */

const DOCS = join(import.meta.dirname, "../../docs");
const LINES_MAX = 300;

const pages = (await readdir(DOCS, { recursive: true })).filter((name) => name.endsWith(".md")).sort();
const texts = new Map(
	await Promise.all(pages.map(async (page) => [page, await readFile(join(DOCS, page), "utf8")] as const)),
);

/** The files that a page links to, from docs/. */
function linksOf(page: string): readonly string[] {
	const prose = (texts.get(page) ?? "").replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
	return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
		.map(([, href = ""]) => href.replace(/#.*/, ""))
		.filter((href) => href !== "" && !/^([a-z]+:|\/)/.test(href))
		.map((href) => join(dirname(page), href));
}

/** Without the files that a reader saves. */
const told = (text: string) => text.replace(/^```\w+ file=[\s\S]*?^```/gm, "");

test("no page has more than 300 lines beside whole files to save, and each begins with its title", () => {
	expect(pages.length).toBeGreaterThan(80);
	for (const [page, text] of texts) {
		expect([page, told(text).split("\n").length <= LINES_MAX]).toEqual([page, true]);
		expect([page, /^(<!--[^>]*-->\s*)?# /.test(text)]).toEqual([page, true]);
	}
});

/** What people read outside of docs/, from there. */
const OUTSIDE = await Promise.all(
	["README.md", "CONTRIBUTING.md", "SECURITY.md", "packages/sdk/README.md", "cli/README.md"]
		.concat((await readdir(join(DOCS, "../examples"))).map((name) => `examples/${name}/README.md`))
		.map((name) => join("..", name))
		.filter((name) => existsSync(join(DOCS, name)))
		.map(async (name) => [name, await readFile(join(DOCS, name), "utf8")] as const),
);

/** Links, pictures and their headings, as they are read on GitHub and under /docs alike. */
function targetsOf(text: string): readonly string[] {
	const targets: string[] = [];
	renderArticle(text, (href) => {
		targets.push(href);
		return href;
	});
	return targets;
}

const headings = new Map<string, ReadonlySet<string>>();

async function headingsOf(file: string): Promise<ReadonlySet<string>> {
	const known = headings.get(file);
	if (known) return known;
	const text = await readFile(join(DOCS, file), "utf8");
	const found = new Set(renderArticle(text, () => undefined).headings.map(({ id }) => id));
	headings.set(file, found);
	return found;
}

async function isThere(page: string, target: string): Promise<boolean> {
	if (/^([a-z]+:|\/)/.test(target)) return true;
	const [path = "", fragment] = target.split("#");
	const file = path === "" ? page : relative(DOCS, join(DOCS, dirname(page), path));
	if (!existsSync(join(DOCS, file))) return false;
	return fragment === undefined || !file.endsWith(".md") || (await headingsOf(file)).has(fragment);
}

test("every link and picture, of docs/ and of what is read outside of it, leads to a file and a heading that are there", async () => {
	const broken: string[] = [];
	for (const [page, text] of [...texts, ...OUTSIDE]) {
		for (const target of targetsOf(text)) if (!(await isThere(page, target))) broken.push(`${page} → ${target}`);
	}
	expect(broken).toEqual([]);
});

/** What a page names of the code. */
const NAMED = /`((?:apps|cli|deploy|drizzle|packages|test|tui)\/[\w./@-]+)`/g;

test("every file and folder of the code that a page names is there, also where a decision names it", () => {
	const named = [...texts, ...OUTSIDE].flatMap(([page, text]) =>
		[...text.matchAll(NAMED)].map(([, path = ""]) => ({ page, path })),
	);
	expect(named.length).toBeGreaterThan(200);
	const gone = named.filter(({ path }) => !existsSync(join(DOCS, "..", path)));
	expect(gone.map(({ page, path }) => `${page}: ${path}`)).toEqual([]);
});

test("every picture of docs/ is on a page", async () => {
	const pictures = (await readdir(DOCS, { recursive: true })).filter((name) => /\.(webp|svg|png)$/.test(name));
	const shown = new Set(
		[...texts, ...OUTSIDE].flatMap(([page, text]) => targetsOf(text).map((to) => join(dirname(page), to))),
	);
	expect(pictures.filter((name) => !shown.has(name))).toEqual([]);
});

test("what a page imports of the SDK is in its package", () => {
	const wrong = [...texts, ...OUTSIDE].flatMap(([page, text]) =>
		[...text.matchAll(/@svc\/sdk\/([a-z-]+)/g)]
			.filter(([, entry = ""]) => !(ENTRIES as readonly string[]).includes(entry))
			.map(([name]) => `${page}: ${name}`),
	);
	expect(wrong).toEqual([]);
});

test("every page is reached from docs/README.md", () => {
	const reached = new Set(["README.md"]);
	for (const page of reached) {
		for (const to of linksOf(page)) {
			const file = [to, join(to, "README.md")].find((one) => texts.has(one));
			if (file !== undefined) reached.add(file);
		}
	}
	expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});

const CLI = await everyEntry(COMMANDS);

/** The options of the command that a line names, or undefined where it names none. */
function optionsOf(words: readonly string[]): readonly string[] | undefined {
	const named = CLI.filter(({ path }) => path.length > 0 && path.every((word, at) => words[at] === word));
	const longest = named.sort((a, b) => b.path.length - a.path.length)[0];
	// A group alone does nothing, but where one of its commands stands for it.
	if (longest === undefined || (isGroup(longest.entry) && longest.entry.alone === undefined)) return undefined;
	return isGroup(longest.entry) ? [] : Object.keys((longest.entry as Command).args);
}

test("every `svc` command of the guides and the concepts is one that there is, with options that it takes", () => {
	const wrong: string[] = [];
	for (const page of pages.filter((name) => name.startsWith("guides/") || name === "concepts.md")) {
		for (const [, line = ""] of (texts.get(page) ?? "").matchAll(/(?:^|[`(])svc ([a-z][^`\n#]*)/gm)) {
			const options = optionsOf(line.split(/\s+/));
			const asked = [...line.matchAll(/ --([a-z-]+)/g)].map(([, name = ""]) => name);
			const unknown = asked.filter((name) => !(options?.includes(name) || name in GLOBAL_FLAGS));
			if (options === undefined || unknown.length > 0) wrong.push(`${page}: svc ${line} ${unknown.join(" ")}`);
		}
	}
	expect(wrong).toEqual([]);
});
