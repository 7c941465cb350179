import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import http from "highlight.js/lib/languages/http";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

/* Blocks of code with colours, which are made here once and not by a script in the browser. Their rules are in docs.css. */

/** Grammars, and the other names that our pages and file names have for them. What has markup in it is read as markup. */
const GRAMMARS = [
	[bash, ["sh", "bash"]],
	[css, ["css"]],
	[go, ["go"]],
	[http, ["http"]],
	[javascript, ["js", "mjs", "cjs", "jsx", "javascript"]],
	[json, ["json", "jsonc"]],
	[php, ["php"]],
	[python, ["py", "python"]],
	[ruby, ["rb", "ruby"]],
	[typescript, ["ts", "mts", "tsx", "typescript"]],
	[xml, ["html", "xml", "svg", "svelte", "astro", "vue"]],
	[yaml, ["yaml", "yml"]],
] as const;
for (const [grammar, names] of GRAMMARS) for (const name of names) highlighter.registerLanguage(name, grammar);
highlighter.configure({ classPrefix: "c-" });

/** Longer code has no colours: grammars take time by its length, some more than that. */
const COLOURED_LETTERS_MAX = 50_000;

export interface Code {
	readonly text: string;
	/** As in the info of a block of Markdown, or what a file's name ends in; without colours where it is unknown. */
	readonly language: string;
	/** The name of the file whose whole text this is. */
	readonly file?: string;
}

/** A block with its caption. Its `pre` has the file's name in `data-file`, and nothing but the code as its text. */
export function codeHtml({ text, language, file }: Code): string {
	const known = language === "" ? "" : ` class="language-${escapeHtml(language)}"`;
	const named = file === undefined ? "" : ` data-file="${escapeHtml(file)}"`;
	const caption = `<div class="caption"><span class="language">${escapeHtml(file ?? (language || "text"))}</span></div>`;
	// Who uses the keyboard alone has to be able to scroll it.
	return `<div class="code">${caption}<pre tabindex="0"${named}><code${known}>${colouredHtml(text, language)}</code></pre></div>\n`;
}

export interface Tab {
	readonly label: string;
	/** What a link to this tab names. */
	readonly id: string;
	readonly html: string;
}

/**
 * Pieces of a page of which one is shown. They are `details` of one name: the browser opens one and closes the others without a script, opens
 * the one that a link or a search in the page leads into, and where it cannot lay them out as tabs they are an ordinary list.
 * @param group names the tabs, once a page
 */
export function tabsHtml(group: string, tabs: readonly Tab[]): string {
	const tabHtml = ({ label, id, html }: Tab, at: number) =>
		`<details name="${escapeHtml(group)}"${at === 0 ? " open" : ""}><summary>${escapeHtml(label)}</summary>
<div class="panel" id="${escapeHtml(id)}">${html}</div></details>`;
	return `<div class="tabs">${tabs.map(tabHtml).join("\n")}</div>\n`;
}

function colouredHtml(text: string, language: string): string {
	if (text.length > COLOURED_LETTERS_MAX || !highlighter.getLanguage(language)) return escapeHtml(text);
	return highlighter.highlight(text, { language, ignoreIllegals: true }).value;
}

export function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
