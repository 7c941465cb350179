import { Marked, type Token, type Tokens } from "marked";

/* Markdown of our own pages as HTML. Raw HTML in it is shown as it is written, never passed on; comments are left out. */

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
}

/** Where a link of a page leads when it is served; undefined for what the service does not serve. */
export type LinkTarget = (href: string) => string | undefined;

export function renderArticle(markdown: string, target: LinkTarget): Article {
	const marked = markedFor(target);
	const tokens = marked.lexer(markdown);
	const headings = headingsOf(tokens);
	const [first] = headings;
	return {
		title: first?.text ?? "",
		summary: textOf(tokens.find(({ type }) => type === "paragraph")),
		html: marked.parser(tokens),
		headings,
		sections: sectionsOf(tokens),
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

/** The lists of links of a page, under the headings of the second level over them. */
export function linkGroups(markdown: string): readonly LinkGroup[] {
	const groups: { title: string; entries: LinkEntry[] }[] = [];
	for (const token of new Marked().lexer(markdown)) {
		if (token.type === "heading" && token.depth === 2) groups.push({ title: textOf(token), entries: [] });
		if (token.type === "list") groups.at(-1)?.entries.push(...(token.items as Token[]).flatMap(entryOf));
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

export function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
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

function markedFor(target: LinkTarget): Marked {
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
			code: ({ text, lang }) => {
				const known = lang ? ` class="language-${escapeHtml(lang)}"` : "";
				const label = `<span class="language">${escapeHtml(lang || "text")}</span>`;
				// Who uses the keyboard alone has to be able to scroll it.
				return `<div class="code">${label}<pre tabindex="0"><code${known}>${escapeHtml(text)}</code></pre></div>\n`;
			},
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
				return `<a class="picture" href="${escapeHtml(source)}">${image}</a>`;
			},
			table(token) {
				return tableHtml(token, (cell) => this.parser.parseInline(cell.tokens));
			},
		},
	});
	return marked;
}

/** A table can be scrolled sideways; a head without words is no head. */
function tableHtml({ header, rows }: Tokens.Table, inner: (cell: Tokens.TableCell) => string): string {
	const row = (cells: readonly string[]) => `<tr>${cells.join("")}</tr>`;
	const head = header.map((cell) => (cell.text === "" ? "<td></td>" : `<th scope="col">${inner(cell)}</th>`));
	const hasHead = header.some(({ text }) => text !== "");
	const body = rows.map((cells) => row(cells.map((cell) => `<td>${inner(cell)}</td>`))).join("\n");
	const thead = hasHead ? `<thead>${row(head)}</thead>` : "";
	return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>${thead}<tbody>${body}</tbody></table></div>\n`;
}
