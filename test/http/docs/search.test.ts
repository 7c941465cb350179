import { describe, expect, test } from "bun:test";
import { MOVED } from "@svc/api/docs/paths";
import { KEYWORDS } from "@svc/api/docs/search/search-keywords";
import { QUESTIONS } from "../../support/questions.ts";
import { serviceFor } from "../../support/service.ts";

/* The search of the documentation, asked as newcomers ask. */

const service = serviceFor();
const ask = (path: string) => service.open(`http://localhost:3000${path}`);

/** Where the results of a question lead, the best first. */
async function hitsFor(question: string, more = ""): Promise<readonly string[]> {
	const html = await (await ask(`/docs?q=${encodeURIComponent(question)}${more}`)).text();
	const list = html.slice(html.indexOf('<ol class="hits">'), html.indexOf("</ol>"));
	return [...list.matchAll(/<li><a href="([^"]*)">/g)].map(([, href = ""]) => href.replaceAll("&#38;", "&"));
}

const pageOf = (href: string) => href.replace(/#.*/, "");

describe("the page that answers a question is among the first three that are found, each another page", () => {
	test.each(QUESTIONS.map(([asked, ...pages]) => [asked, pages] as const))("%s", async (asked, pages) => {
		const first = (await hitsFor(asked)).slice(0, 3);
		const wanted = pages.map((page) => `/docs${page}`);
		expect(first.filter((href) => wanted.includes(href) || wanted.includes(pageOf(href)))).not.toEqual([]);
		expect(new Set(first.map(pageOf)).size).toBe(first.length);
	});
});

test("notes on how the service is built are found when they are asked for, and never otherwise", async () => {
	const isNotes = (href: string) => /^\/docs\/(decisions|architecture|dictionary)/.test(href);
	for (const asked of [
		"libheif decoder child process",
		"decision",
		"order of the rooms",
		"dictionary",
		"tus",
		"rust",
	]) {
		expect([asked, (await hitsFor(asked)).filter(isNotes)]).toEqual([asked, []]);
	}
	expect((await hitsFor("architecture", "&notes=1")).slice(0, 3)).toContain("/docs/architecture");
	expect((await hitsFor("heic child process", "&notes=1")).filter(isNotes)).not.toEqual([]);
});

test("a word is found at the beginning of a word, with other endings, accents and slips, and never within one", async () => {
	const pages = async (asked: string) => (await hitsFor(asked)).map(pageOf);
	expect((await pages("litestr"))[0]).toBe("/docs/operate/backup");
	expect((await pages("Subscriptions"))[0]).toBe((await pages("subscription"))[0] ?? "");
	expect(await pages("sígn-ín")).toEqual(await pages("sign in"));
	expect((await pages("transfroms")).slice(0, 3)).toContain("/docs/reference/transforms");
	expect(await pages("rust")).not.toContain("/docs/operate/proxy");
});

test("every operation of the API, every error code and every variable is found by its name, first", async () => {
	const { paths } = (await (await ask("/openapi.json")).json()) as {
		paths: Record<string, Record<string, { operationId?: string }>>;
	};
	const operations = Object.values(paths).flatMap((methods) =>
		Object.values(methods).flatMap((one) => one.operationId ?? []),
	);
	expect(operations.length).toBeGreaterThan(150);
	for (const id of operations)
		expect([id, await hitsFor(id)]).toEqual([id, expect.arrayContaining([`/docs/api#${id}`])]);
	const markdown = async (page: string) => (await ask(`/docs/reference/${page}.md`)).text();
	for (const [, code = ""] of (await markdown("errors")).matchAll(/^## ([a-z_]+)$/gm)) {
		expect((await hitsFor(code))[0]).toBe(`/docs/reference/errors#${code}`);
	}
	for (const [, name = ""] of (await markdown("configuration")).matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)) {
		const wanted = expect.arrayContaining([`/docs/reference/configuration#${name.toLowerCase()}`]);
		expect([name, await hitsFor(name)]).toEqual([name, wanted]);
	}
	for (const [, name = ""] of (await markdown("cli")).matchAll(/^\| `(svc [a-z-]+(?: [a-z-]+)*)/gm)) {
		expect((await hitsFor(name)).slice(0, 3)).toContain(`/docs/reference/cli#${name.replaceAll(" ", "-")}`);
	}
});

test("each place that is searched by words of its own is there, and what has moved leads to where it is", async () => {
	for (const href of KEYWORDS.keys()) {
		const [page = "", id] = href.split("#");
		const html = await (await ask(page)).text();
		expect([href, id === undefined ? html.includes("<h1") : html.includes(`id="${id}"`)]).toEqual([href, true]);
	}
	for (const [from, to] of MOVED) {
		const answer = await ask(from);
		expect([from, answer.status, answer.headers.get("location")]).toEqual([from, 308, to]);
		expect([to, (await ask(to)).status]).toEqual([to, 200]);
	}
});
