import { expect, test } from "bun:test";
import { linkGroups, renderArticle } from "./markdown.ts";

const target = (href: string) => (href.startsWith("/") || href.startsWith("#") ? href : undefined);
const html = (markdown: string) => renderArticle(markdown, target).html;

test("a picture in light colours is shown in dark ones to whom the page is dark", () => {
	expect(html("![a](/docs/p/a-light.webp)")).toContain(
		'<picture><source media="(prefers-color-scheme: dark)" srcset="/docs/p/a-dark.webp"><img src="/docs/p/a-light.webp"',
	);
	expect(html("![a](/docs/p/a.webp)")).not.toContain("<picture>");
});

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
	expect(html("```\na <b>\n```")).toBe(
		'<div class="code"><div class="caption"><span class="language">text</span></div><pre tabindex="0"><code>a &#60;b&#62;</code></pre></div>\n',
	);
	const table = html("| | |\n|---|---|\n| a | b |\n");
	expect(table).toContain('tabindex="0"');
	expect(table).not.toContain("<th");
	expect(html("| A | |\n|---|---|\n| a | b |\n")).toContain('<th scope="col">A</th><td></td>');
});

test("a block of code has colours, and names its file, which is then the whole text of its pre", () => {
	const shown = html('```js file=server.mjs\nconst a = "<b>";\n```');
	expect(shown).toContain('<span class="language">server.mjs</span>');
	expect(shown).toContain('<pre tabindex="0" data-file="server.mjs"><code class="language-js">');
	expect(shown).toContain(
		'<span class="c-keyword">const</span> a = <span class="c-string">&quot;&lt;b&gt;&quot;</span>;',
	);
	expect(html("```nosuchlanguage\na < b\n```")).toContain("a &#60; b");
});

test("what stands between two comments becomes tabs, one for each heading, which a link to the heading opens", () => {
	const shown = html("# A\n\n<!-- tabs -->\n\n## B\n\nb\n\n### C\n\n## D\n\nd\n\n<!-- /tabs -->\n\n## E\n");
	expect(shown).toBe(`<h1 id="a">A</h1>
<div class="tabs"><details name="tabs-1" open><summary>B</summary>
<div class="panel" id="b"><p>b</p>
<h3 id="c">C</h3>
</div></details>
<details name="tabs-1"><summary>D</summary>
<div class="panel" id="d"><p>d</p>
</div></details></div>
<h2 id="e">E</h2>
`);
});

test("a list behind a comment is cards, and no group of pages", () => {
	const markdown = "# X\n\n## I want to\n\n<!-- cards -->\n- [a](/docs/a): about `a`\n- [b](/docs/b)\n";
	expect(html(markdown)).toContain(`<ul class="cards"><li><a href="/docs/a">a</a><p>about a</p></li>
<li><a href="/docs/b">b</a></li></ul>`);
	expect(linkGroups(markdown)).toEqual([]);
});

test("code in a line is broken behind what joins its words alone", () => {
	expect(html("`GET /v1/images?limit=5`")).toBe("<p><code>GET /v1/<wbr>images?<wbr>limit=<wbr>5</code></p>\n");
	expect(html("`workspace_unavailable` `3.5`")).not.toContain("<wbr>");
});

test("the lists of links of a page are groups under their headings", () => {
	expect(linkGroups("# X\n\n## One\n\n- [a](a.md): about a\n- no link\n\n## None\n\ntext\n")).toEqual([
		{ title: "One", entries: [{ text: "a", href: "a.md", about: "about a" }] },
	]);
});
