import { escapeHtml } from "./code.ts";
import type { DocPage, Library } from "./library.ts";
import type { LinkEntry } from "./markdown.ts";
import { REFERENCE_PATH, ROOT_PATH } from "./paths.ts";
import type { SearchHit } from "./search/search.ts";

/* The frame around a page: search, all pages, what is on this page. It works without a script: one adds buttons that copy code. */

export interface PageFrame {
	readonly name: string;
	readonly library: Library;
	readonly stylesheet: string;
}

const CONTENTS_MIN = 3;

/** One page of docs/. */
export function pageHtml(frame: PageFrame, page: DocPage): string {
	const end = page.html.indexOf("</h1>") + "</h1>".length;
	const article = articleHtml({
		heading: page.html.slice(0, end),
		contents: page.headings.filter(({ level }) => level === 2),
		body: page.html.slice(end),
	});
	const markdown = page.path === ROOT_PATH ? `${ROOT_PATH}/README.md` : `${page.path}.md`;
	const foot = `<a href="${markdown}">This page as Markdown</a> `;
	return documentHtml(frame, { title: page.title, main: article + neighbours(frame, page), current: page.path, foot });
}

interface Article {
	/** The `h1`. */
	readonly heading: string;
	/** What “On this page” lists: the column beside the text, or a box under its title where the screen is narrow. */
	readonly contents?: readonly { readonly id: string; readonly text: string }[];
	readonly body: string;
}

export function articleHtml({ heading, contents = [], body }: Article): string {
	const rows = contents.map(({ id, text }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`);
	const list = `<nav class="contents" aria-label="On this page"><p class="group">On this page</p><ul>${rows.join("")}</ul></nav>`;
	return `<article>${heading}${rows.length < CONTENTS_MIN ? "" : list}<div class="body">${body}</div></article>`;
}

/** What was found for a question. @param withNotes whether what is written for those who work on the service was searched too */
export function searchHtml(frame: PageFrame, query: string, hits: readonly SearchHit[], withNotes: boolean): string {
	const rows = hits.map(
		({ title, heading, href, excerpt }) =>
			`<li><a href="${escapeHtml(href)}">${escapeHtml(heading === "" ? title : `${title} – ${heading}`)}</a>
<p>${escapeHtml(excerpt)}</p></li>`,
	);
	const asked = escapeHtml(query);
	const counted =
		hits.length === 0 ? `Nothing is found for “${asked}”.` : `What is found for “${asked}”, the best first.`;
	const other = `${ROOT_PATH}?q=${encodeURIComponent(query)}${withNotes ? "" : "&amp;notes=1"}`;
	const words = withNotes
		? "Search without notes on how the service is built"
		: "Search notes on how the service is built as well";
	const body = `<p role="status">${counted}</p>
${hits.length === 0 ? `<p>Try fewer words, or look at <a href="${ROOT_PATH}/questions">what there is and what there is not</a>.</p>` : ""}
<ol class="hits">${rows.join("\n")}</ol>
<p><a href="${other}">${words}</a></p>`;
	const main = articleHtml({ heading: "<h1>Search</h1>", body });
	return documentHtml(frame, { title: `Search: ${query}`, main, query });
}

export function missingHtml(frame: PageFrame): string {
	const main = articleHtml({
		heading: "<h1>There is no such page</h1>",
		body: `<p>Search for what you need, or begin on the <a href="${ROOT_PATH}">first page</a>.</p>`,
	});
	return documentHtml(frame, { title: "There is no such page", main });
}

interface Shown {
	readonly title: string;
	readonly main: string;
	readonly current?: string;
	readonly query?: string;
	readonly foot?: string;
}

/** @param shown `current` is the path that the list of all pages marks */
export function documentHtml(frame: PageFrame, { title, main, current, query = "", foot = "" }: Shown): string {
	const name = escapeHtml(frame.name);
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · ${name}</title>
<link rel="stylesheet" href="${frame.stylesheet}">${current === ROOT_PATH ? `\n<script src="${ROOT_PATH}/forward.js"></script>` : ""}
<script src="${ROOT_PATH}/copy.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header class="top">
<a class="brand" href="${ROOT_PATH}">${name} docs</a>
<form role="search" action="${ROOT_PATH}">
<input type="search" name="q" aria-label="Search the documentation" placeholder="Search" maxlength="100" required value="${escapeHtml(query)}">
<button type="submit">Search</button>
</form>
<span class="ways"><a href="#pages">All pages</a> <a href="${REFERENCE_PATH}">API reference</a></span>
</header>
<div class="frame">
<main id="main">${main}</main>
<nav id="pages" aria-label="All pages">${navigation(frame, current)}</nav>
</div>
<footer class="foot">${foot}<a href="/llms.txt">llms.txt</a></footer>
</body>
</html>
`;
}

/** Each group can be opened; the one of this page is, and where no page is shown all are. */
function navigation({ library }: PageFrame, current: string | undefined): string {
	const item = ({ text, href }: LinkEntry) =>
		`<li><a href="${href}"${href === current ? ' aria-current="page"' : ""}>${escapeHtml(text)}</a></li>`;
	const isShown = (entries: readonly LinkEntry[]) => entries.some(({ href }) => href === current);
	const isSomewhere = library.groups.some(({ entries }) => isShown(entries));
	return library.groups
		.map(
			({ title, entries }) =>
				`<details${isSomewhere && !isShown(entries) ? "" : " open"}><summary class="group">${escapeHtml(title)}</summary><ul>${entries.map(item).join("")}</ul></details>`,
		)
		.join("\n");
}

/** The pages before and behind this one. */
function neighbours({ library }: PageFrame, page: DocPage): string {
	const all = library.groups.flatMap(({ entries }) => entries).filter(({ href }) => library.pages.has(href));
	const at = all.findIndex(({ href }) => href === page.path);
	if (at < 0) return "";
	const link = (entry: LinkEntry | undefined, rel: string, word: string) =>
		entry ? `<a rel="${rel}" href="${entry.href}">${word}: ${escapeHtml(entry.text)}</a>` : "";
	return `<nav class="neighbours" aria-label="Before and after">${link(all[at - 1], "prev", "Before")}${link(all[at + 1], "next", "Next")}</nav>`;
}
