import { expect, test } from "bun:test";
import { linkGroups, renderArticle } from "./markdown.ts";

const target = (href: string) => (href.startsWith("/") || href.startsWith("#") ? href : undefined);
const html = (markdown: string) => renderArticle(markdown, target).html;

test("raw HTML is shown, not passed on, and comments are left out", () => {
	const shown = html('A <img src=x onerror="x()"> here\n\n<script>x()</script>\n\n<!-- kept for the script -->\n');
	expect(shown).not.toMatch(/<img|<script|<!--/);
	expect(shown).toContain("&#60;script&#62;x()&#60;/script&#62;");
});

test("a link that leads nowhere here is its words alone, and so is one that runs a script", () => {
	expect(html("[a](/docs/a) [b](javascript:x()) [c](../README.md)")).toBe('<p><a href="/docs/a">a</a> b c</p>\n');
});

test("headings have the ids that GitHub gives them, a second one of the same words another", () => {
	const { headings, title, summary, sections } = renderArticle(
		"# A `b` (c), d\n\nFirst **words**.\n\n## E\n\nx\n\n## E\n",
		target,
	);
	expect(headings.map(({ id }) => id)).toEqual(["a-b-c-d", "e", "e-1"]);
	expect([title, summary]).toEqual(["A b (c), d", "First words."]);
	expect(sections.map(({ id, text }) => [id, text.trim()])).toEqual([
		["", ""],
		["a-b-c-d", "First words."],
		["e", "x"],
		["e-1", ""],
	]);
});

test("code and tables can be scrolled by the keyboard; a head without words is no head", () => {
	expect(html("```sh\na <b>\n```")).toBe(
		'<div class="code"><span class="language">sh</span><pre tabindex="0"><code class="language-sh">a &#60;b&#62;</code></pre></div>\n',
	);
	const table = html("| | |\n|---|---|\n| a | b |\n");
	expect(table).toContain('tabindex="0"');
	expect(table).not.toContain("<th");
	expect(html("| A | |\n|---|---|\n| a | b |\n")).toContain('<th scope="col">A</th><td></td>');
});

test("the lists of links of a page are groups under their headings", () => {
	expect(linkGroups("# X\n\n## One\n\n- [a](a.md): about a\n- no link\n\n## None\n\ntext\n")).toEqual([
		{ title: "One", entries: [{ text: "a", href: "a.md", about: "about a" }] },
	]);
});
