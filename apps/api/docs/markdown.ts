import { Marked, type Token, type Tokens } from "marked";
import { codeHtml, escapeHtml, tabsHtml } from "./code.ts";

/*
 * Markdown of our own pages as HTML. Raw HTML in it is shown as it is written, never passed on; comments are left out, but for three: what stands
 * between `<!-- tabs -->` and `<!-- /tabs -->` becomes a tab for each of its headings, and a list behind `<!-- cards -->` is shown as cards. A
 * block of code says in its info what it is, and which file: `js file=server.mjs`.
 */

interface Heading {
	readonly level: number;
	readonly id: string;
	readonly text: string;
}

/** What stands under one heading, as plain text. */
interface Section {
	/** Empty for what stands before the first heading. */
	readonly id: string;
	readonly heading: string;
	readonly text: string;
}

export interface Article {
	readonly title: string;
	/** The first paragraph. */
	readonly summary: string;
	readonly html: string;
	readonly headings: readonly Heading[];
	readonly sections: readonly Section[];
	/** The rows of tables that begin with a name in code, such as a variable or a command, or with a question, each by an id of its own. */
	readonly rows: readonly Section[];
}

/** Where a link of a page leads when it is served; undefined for what the service does not serve. */
export type LinkTarget = (href: string) => string | undefined;

export function renderArticle(markdown: string, target: LinkTarget): Article {
	const tokens = new Marked({ gfm: true }).lexer(markdown);
	const headings = headingsOf(tokens);
	const [first] = headings;
	const rows = namedRows(tokens, new Set(headings.map(({ id }) => id)));
	const marked = markedFor(target, rows);
	return {
		title: first?.text ?? "",
		summary: textOf(tokens.find(({ type }) => type === "paragraph")),
		html: bodyHtml(marked, tokens, target),
		headings,
		sections: sectionsOf(tokens),
		rows: [...rows].map(([[name, ...rest], id]) => ({
			id,
			heading: cellText(name),
			text: rest.map(cellText).join(" "),
		})),
	};
}

export interface LinkEntry {
	readonly text: string;
	readonly href: string;
	/** What stands behind the link in its line. */
	readonly about: string;
}

export interface LinkGroup {
	readonly title: string;
	readonly entries: readonly LinkEntry[];
}

/** The lists of links of a page, under the headings of the second level over them; cards lead to pages that are in one of them. */
export function linkGroups(markdown: string): readonly LinkGroup[] {
	const groups: { title: string; entries: LinkEntry[] }[] = [];
	const tokens = new Marked().lexer(markdown).filter(({ type }) => type !== "space");
	for (const [at, token] of tokens.entries()) {
		if (token.type === "heading" && token.depth === 2) groups.push({ title: textOf(token), entries: [] });
		const isGroup = token.type === "list" && markOf(tokens[at - 1]) !== "cards";
		if (isGroup) groups.at(-1)?.entries.push(...(token.items as Token[]).flatMap(entryOf));
	}
	return groups.filter(({ entries }) => entries.length > 0);
}

function entryOf(item: Token): readonly LinkEntry[] {
	const [link] = linksIn(item);
	if (link === undefined) return [];
	const text = textOf(link);
	const about = textOf(item)
		.slice(text.length)
		.replace(/^\s*[:–]\s*/, "");
	return [{ text, href: link.href, about }];
}

/** All links of a piece of Markdown. */
function linksIn(token: Token): readonly Tokens.Link[] {
	if (token.type === "link") return [token as Tokens.Link];
	return childrenOf(token).flatMap(linksIn);
}

/** The word of a comment that says how to show what comes next. */
function markOf(token: Token | undefined): string | undefined {
	return token?.type === "html" ? /^<!-- (\/?[a-z]+) -->\s*$/.exec(token.raw)?.[1] : undefined;
}

function bodyHtml(marked: Marked, tokens: readonly Token[], target: LinkTarget): string {
	const parts: string[] = [];
	let groups = 0;
	const left = tokens.filter(({ type }) => type !== "space");
	for (let token = left.shift(); token !== undefined; token = left.shift()) {
		const mark = markOf(token);
		const [next] = left;
		if (mark === "tabs") {
			const end = left.findIndex((one) => markOf(one) === "/tabs");
			parts.push(tabGroupHtml(`tabs-${++groups}`, marked, left.splice(0, end)));
		} else if (mark === "cards" && next?.type === "list") {
			parts.push(cardsHtml((next as Tokens.List).items, target));
			left.shift();
		} else parts.push(marked.parser([token]));
	}
	return parts.join("");
}

/** A tab for each heading of the level of the first. */
function tabGroupHtml(group: string, marked: Marked, tokens: readonly Token[]): string {
	const [first] = tokens;
	const starts = tokens.flatMap((token, at) => (isHeadingLike(token, first) ? [at] : []));
	const tabs = starts.map((start, at) => {
		const [heading, ...rest] = tokens.slice(start, starts[at + 1]);
		// The heading is drawn to take its id, so that the ids behind it are counted as everywhere.
		const id = /id="([^"]*)"/.exec(marked.parser(heading ? [heading] : []))?.[1] ?? "";
		return { label: textOf(heading), id, html: marked.parser([...rest]) };
	});
	return tabsHtml(group, tabs);
}

function isHeadingLike(token: Token, first: Token | undefined): boolean {
	return token.type === "heading" && token.depth === (first as Tokens.Heading | undefined)?.depth;
}

function cardsHtml(items: readonly Token[], target: LinkTarget): string {
	const cards = items.flatMap(entryOf).map(({ text, href, about }) => {
		const link = `<a href="${escapeHtml(target(href) ?? "")}">${escapeHtml(text)}</a>`;
		return `<li>${link}${about === "" ? "" : `<p>${escapeHtml(about)}</p>`}</li>`;
	});
	// Names alone are small.
	const size = items.flatMap(entryOf).every(({ about }) => about === "") ? "cards small" : "cards";
	return `<ul class="${size}">${cards.join("\n")}</ul>\n`;
}

/** As GitHub makes them: small letters, no punctuation, `-` for spaces. */
function slugs(): (text: string) => string {
	const seen = new Map<string, number>();
	return (text) => {
		const plain = text
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, "")
			.trim()
			.replaceAll(" ", "-");
		const count = seen.get(plain) ?? 0;
		seen.set(plain, count + 1);
		return count === 0 ? plain : `${plain}-${count}`;
	};
}

function headingsOf(tokens: readonly Token[]): readonly Heading[] {
	const slug = slugs();
	return tokens
		.filter((token): token is Tokens.Heading => token.type === "heading")
		.map((token) => ({ level: token.depth, text: textOf(token), id: slug(textOf(token)) }));
}

function sectionsOf(tokens: readonly Token[]): readonly Section[] {
	const slug = slugs();
	const sections = [{ id: "", heading: "", text: "" }];
	for (const token of tokens) {
		if (token.type === "heading") sections.push({ id: slug(textOf(token)), heading: textOf(token), text: "" });
		const last = sections.at(-1);
		if (last && token.type !== "heading") last.text += `${textOf(token)} `;
	}
	return sections;
}

type Row = readonly Tokens.TableCell[];

/** @param taken ids that are on the page already */
function namedRows(tokens: readonly Token[], taken: Set<string>): ReadonlyMap<Row, string> {
	const named = new Map<Row, string>();
	for (const { header, rows } of tokens.filter((token): token is Tokens.Table => token.type === "table")) {
		for (const row of rows) {
			const id = header[0]?.text === QUESTION ? questionId(row) : codeId(row);
			if (id === undefined || taken.has(id)) continue;
			taken.add(id);
			named.set(row, id);
		}
	}
	return named;
}

/** The head of a column of questions, whose rows have ids too. */
const QUESTION = "Question";

function questionId([first]: Row): string | undefined {
	return cellText(first)
		.toLowerCase()
		.match(/[a-z\d]+/g)
		?.join("-");
}

/** Of a row that begins with a name in code: `svc images upload <file…>` is `svc-images-upload`. */
function codeId([first]: Row): string | undefined {
	const [code] = first?.tokens ?? [];
	const name =
		code?.type === "codespan" ? /^[\w.-]{3,}(?: [a-z-]+)*/.exec((code as Tokens.Codespan).text)?.[0] : undefined;
	return name?.toLowerCase().replaceAll(" ", "-");
}

function childrenOf(token: Token): readonly Token[] {
	if (token.type === "table") {
		const { header, rows } = token as Tokens.Table;
		return [...header, ...rows.flat()].flatMap((cell) => [...cell.tokens, { type: "text", raw: " ", text: " " }]);
	}
	if (token.type === "list") return (token as Tokens.List).items;
	return "tokens" in token && token.tokens ? token.tokens : [];
}

/** The words of a token, without their form. */
function textOf(token: Token | undefined): string {
	if (token === undefined || token.type === "html") return "";
	const children = childrenOf(token);
	const text = children.length > 0 ? children.map(textOf).join("") : "text" in token ? String(token.text) : "";
	return ["list_item", "paragraph"].includes(token.type) ? text.replace(/\s+/g, " ").trim() : text;
}

function cellText(cell: Tokens.TableCell | undefined): string {
	return (cell?.tokens ?? []).map(textOf).join("");
}

function markedFor(target: LinkTarget, named: ReadonlyMap<Row, string>): Marked {
	const slug = slugs();
	const marked = new Marked({ gfm: true });
	marked.use({
		renderer: {
			heading(token) {
				const id = slug(textOf(token));
				const inner = this.parser.parseInline(token.tokens);
				return `<h${token.depth} id="${id}">${inner}</h${token.depth}>\n`;
			},
			html: ({ text }) => (text.trimStart().startsWith("<!--") ? "" : escapeHtml(text)),
			code: ({ text, lang = "" }) => {
				const [language = "", ...more] = lang.split(/\s+/);
				const file = more.find((word) => word.startsWith("file="))?.slice("file=".length);
				return codeHtml({ text, language, ...(file === undefined ? {} : { file }) });
			},
			codespan: ({ text }) => `<code>${breakable(escapeHtml(text))}</code>`,
			link(token) {
				const inner = this.parser.parseInline(token.tokens);
				const href = target(token.href);
				return href === undefined ? inner : `<a href="${escapeHtml(href)}">${inner}</a>`;
			},
			image: ({ href, text }) => {
				const source = target(href);
				if (source === undefined) return escapeHtml(text);
				// On a phone one looks at it alone.
				const image = `<img src="${escapeHtml(source)}" alt="${escapeHtml(text)}" loading="lazy">`;
				// One in light colours has another in dark ones beside it, for readers whose page is dark.
				const dark = /-light\.\w+$/.test(href) ? target(href.replace("-light.", "-dark.")) : undefined;
				const shown =
					dark === undefined
						? image
						: `<picture><source media="(prefers-color-scheme: dark)" srcset="${escapeHtml(dark)}">${image}</picture>`;
				return `<a class="picture" href="${escapeHtml(source)}">${shown}</a>`;
			},
			table(token) {
				return tableHtml(token, named, (cell) => this.parser.parseInline(cell.tokens));
			},
		},
	});
	return marked;
}

/** Code in a line may be broken behind what joins its words, and never within one. */
function breakable(html: string): string {
	return html.replace(/(?<=\w)([/?=,]|&#38;|\.(?=\w{3}))(?=[\w{<])/g, "$1<wbr>");
}

/** A table can be scrolled sideways; a head without words is no head. */
function tableHtml(
	{ header, rows }: Tokens.Table,
	named: ReadonlyMap<Row, string>,
	inner: (cell: Tokens.TableCell) => string,
): string {
	const row = (cells: readonly string[], id?: string) =>
		`<tr${id === undefined ? "" : ` id="${escapeHtml(id)}"`}>${cells.join("")}</tr>`;
	const head = header.map((cell) => (cell.text === "" ? "<td></td>" : `<th scope="col">${inner(cell)}</th>`));
	const hasHead = header.some(({ text }) => text !== "");
	const body = rows
		.map((cells) =>
			row(
				cells.map((cell) => `<td>${inner(cell)}</td>`),
				named.get(cells),
			),
		)
		.join("\n");
	const thead = hasHead ? `<thead>${row(head)}</thead>` : "";
	return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>${thead}<tbody>${body}</tbody></table></div>\n`;
}
