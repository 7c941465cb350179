import { readdir, readFile } from "node:fs/promises";
import type { Addresses } from "@svc/base/addresses";
import { shareTurn } from "@svc/base/pace/turns";
import { DOCUMENTS, EXAMPLES } from "@svc/base/processes/programs";
import { type Example, exampleMarkdown, readExamples } from "./examples.ts";
import { type Article, type LinkGroup, linkGroups, renderArticle } from "./markdown.ts";
import { ourAddresses, ROOT_PATH } from "./paths.ts";

/* The pages of docs/ and of the examples, as files and as what is served of them. Files are named from the root of the repository. */

export interface DocPage extends Article {
	/** `/docs/operate/caches`; the file is the same with `.md`. */
	readonly path: string;
	readonly markdown: string;
}

export interface Library {
	readonly pages: ReadonlyMap<string, DocPage>;
	/** The pages by subject, as the first page lists them. */
	readonly groups: readonly LinkGroup[];
	/** Pictures, by their path. */
	readonly pictures: ReadonlyMap<string, URL>;
	/** By their names. */
	readonly examples: ReadonlyMap<string, Example>;
}

/**
 * Reads and renders all pages; there are some hundred, of a few kilobytes each.
 * @param addresses those of the service, which commands and code name
 */
export async function openLibrary(addresses: Addresses, folder: URL = DOCUMENTS): Promise<Library> {
	const files = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll("\\", "/")).sort();
	const examples = await readExamples(addresses);
	const read = (name: string) => readFile(new URL(name, folder), "utf8");
	const sources = new Map<string, () => string | Promise<string>>([
		...files.filter((name) => name.endsWith(".md")).map((name) => [`docs/${name}`, () => read(name)] as const),
		["examples/README.md", () => readFile(new URL("README.md", EXAMPLES), "utf8")],
		...examples.map((one) => [`examples/${one.name}/README.md`, () => exampleMarkdown(one)] as const),
	]);
	const known = new Set([...sources.keys(), ...files.map((name) => `docs/${name}`)]);
	const pages = new Map<string, DocPage>();
	for (const [file, text] of sources) {
		// All of them together take longer than anybody else should wait.
		await shareTurn();
		const markdown = withOurAddresses(await text(), addresses, file);
		const path = pathOf(file);
		pages.set(path, { ...renderArticle(markdown, (href) => servedAt(href, file, known)), path, markdown });
	}
	const pictures = files.filter((name) => /\.(webp|png|svg)$/.test(name));
	return {
		pages,
		groups: groupsOf(pages.get(ROOT_PATH)?.markdown ?? "", known),
		pictures: new Map(pictures.map((name) => [`${ROOT_PATH}/${name}`, new URL(name, folder)])),
		examples: new Map(examples.map((one) => [one.name, one])),
	};
}

/** A block of code of Markdown. */
const BLOCK = /^(`{3,})[\s\S]*?^\1$/gm;

/** Pages about what Apps do: a host of an example is this service there. Where a service is set up it is an example. */
const OF_APPS = /^docs\/(guides|reference\/sdk)/;

function withOurAddresses(markdown: string, addresses: Addresses, file: string): string {
	const shown = (code: string) => (OF_APPS.test(file) ? inPlaceOfExamples(code, addresses) : code);
	return markdown.replace(BLOCK, (code) => ourAddresses(shown(code), addresses));
}

function inPlaceOfExamples(code: string, { base, web, cdn }: Addresses): string {
	return code
		.replaceAll("https://img.example.com", cdn)
		.replaceAll(/https:\/\/images\.example\.com(?=\/(?:connect|billing|account)\b)/g, web)
		.replaceAll("https://images.example.com", base);
}

function groupsOf(markdown: string, known: ReadonlySet<string>): readonly LinkGroup[] {
	return linkGroups(markdown).map(({ title, entries }) => ({
		title,
		entries: entries.flatMap((entry) => {
			const href = servedAt(entry.href, "docs/README.md", known);
			return href === undefined ? [] : [{ ...entry, href }];
		}),
	}));
}

/** `README.md` of a folder is the page of the folder; examples lie beside docs, and are served below it. */
function pathOf(file: string): string {
	const name = file.replace(/(^|\/)README\.md$/, "").replace(/\.md$/, "");
	return `/${name.replace(/^(?!docs\b)/, "docs/")}`;
}

/** A file beside the page becomes its path; what lies elsewhere is in the repository alone. */
function servedAt(href: string, from: string, known: ReadonlySet<string>): string | undefined {
	if (/^(https?:|mailto:|#|\/docs\b|\/openapi\.json)/.test(href)) return href;
	if (/^[a-z][a-z0-9+.-]*:|^\//i.test(href)) return undefined;
	const [path = "", fragment] = href.split("#");
	const file = fileAt(path, from, known);
	if (file === undefined) return undefined;
	const served = pathOf(file);
	return fragment === undefined ? served : `${served}#${fragment}`;
}

/** The file that a relative path names; for a folder its README. */
function fileAt(path: string, from: string, known: ReadonlySet<string>): string | undefined {
	const { pathname } = new URL(path, `http://files/${from}`);
	const name = decodeURIComponent(pathname.slice(1)).replace(/\/$/, "");
	return [name, `${name}/README.md`].find((one) => known.has(one) && /\.\w+$/.test(one));
}
