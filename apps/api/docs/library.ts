import { readdir, readFile } from "node:fs/promises";
import { DOCUMENTS } from "@svc/base/programs";
import { shareTurn } from "@svc/base/turns";
import { type Article, type LinkGroup, linkGroups, renderArticle } from "./markdown.ts";
import { ROOT_PATH } from "./paths.ts";

/* The pages of docs/, as files and as what is served of them. */

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
}

/** Reads and renders all pages; there are some hundred, of a few kilobytes each. */
export async function openLibrary(folder: URL = DOCUMENTS): Promise<Library> {
	const files = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll("\\", "/")).sort();
	const known = new Set(files);
	const pages = new Map<string, DocPage>();
	for (const file of files.filter((name) => name.endsWith(".md"))) {
		// All of them together take longer than anybody else should wait.
		await shareTurn();
		const markdown = await readFile(new URL(file, folder), "utf8");
		const path = pathOf(file);
		pages.set(path, { ...renderArticle(markdown, (href) => servedAt(href, file, known)), path, markdown });
	}
	const pictures = files.filter((name) => /\.(webp|png|svg)$/.test(name));
	return {
		pages,
		groups: groupsOf(pages.get(ROOT_PATH)?.markdown ?? "", known),
		pictures: new Map(pictures.map((name) => [`${ROOT_PATH}/${name}`, new URL(name, folder)])),
	};
}

function groupsOf(markdown: string, known: ReadonlySet<string>): readonly LinkGroup[] {
	return linkGroups(markdown).map(({ title, entries }) => ({
		title,
		entries: entries.flatMap((entry) => {
			const href = servedAt(entry.href, "README.md", known);
			return href === undefined ? [] : [{ ...entry, href }];
		}),
	}));
}

/** `README.md` of a folder is the page of the folder. */
function pathOf(file: string): string {
	const name = file.replace(/(^|\/)README\.md$/, "").replace(/\.md$/, "");
	return name === "" ? ROOT_PATH : `${ROOT_PATH}/${name}`;
}

/** A file beside the page becomes its path; what lies outside of docs/ is in the repository alone. */
function servedAt(href: string, from: string, known: ReadonlySet<string>): string | undefined {
	if (/^(https?:|mailto:|#|\/docs\b|\/openapi\.json)/.test(href)) return href;
	if (/^[a-z][a-z0-9+.-]*:|^\//i.test(href)) return undefined;
	const [path = "", fragment] = href.split("#");
	const file = fileAt(path, from, known);
	if (file === undefined) return undefined;
	const served = file.endsWith(".md") ? pathOf(file) : `${ROOT_PATH}/${file}`;
	return fragment === undefined ? served : `${served}#${fragment}`;
}

/** The file in docs/ that a relative path names; for a folder its README. */
function fileAt(path: string, from: string, known: ReadonlySet<string>): string | undefined {
	const { pathname } = new URL(path, `http://files/in/${from}`);
	// One step too many leads out of the folder.
	if (!pathname.startsWith("/in/")) return undefined;
	const name = decodeURIComponent(pathname.slice("/in/".length)).replace(/\/$/, "");
	return [name, `${name}/README.md`.replace(/^\//, "")].find((one) => known.has(one) && /\.\w+$/.test(one));
}
