import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { serviceFor } from "../../support/service.ts";

/* The pages of docs/, as the service serves them. */

const DOCS = join(import.meta.dirname, "../../../docs");
const service = serviceFor();
const ask = (path: string, init: RequestInit = {}) => service.open(`http://localhost:3000${path}`, init);
const text = async (path: string) => (await ask(path)).text();

interface Link {
	readonly from: string;
	readonly to: string;
}

/** All pages that one comes to from the first, and the links on them. */
async function crawl(): Promise<{ readonly seen: ReadonlyMap<string, string>; readonly links: readonly Link[] }> {
	const seen = new Map<string, string>();
	const links: Link[] = [];
	const waiting = new Set(["/docs"]);
	for (const path of waiting) {
		const answer = await ask(path);
		expect([path, answer.status]).toEqual([path, 200]);
		const isPage = answer.headers.get("content-type")?.startsWith("text/html");
		seen.set(path, isPage ? await answer.text() : "");
		for (const [, href = ""] of (seen.get(path) ?? "").matchAll(/(?:href|src)="((?:\/|#)[^"]*)"/g)) {
			const to = href.startsWith("#") ? path + href : href;
			links.push({ from: path, to });
			waiting.add(to.replace(/#.*/, ""));
		}
	}
	return { seen, links };
}

test("every link of every page leads to a page, and to a heading that is there", async () => {
	const { seen, links } = await crawl();
	expect(seen.size).toBeGreaterThan(80);
	const broken = links.filter(({ to }) => {
		const [page = "", fragment] = to.split("#");
		return fragment !== undefined && !seen.get(page)?.includes(`id="${fragment}"`);
	});
	expect(broken).toEqual([]);
}, 60_000);

test("each page is there as Markdown, byte for byte as it lies in the repository", async () => {
	for (const [path, file] of [
		["/docs/README.md", "README.md"],
		["/docs/operate/caches.md", "operate/caches.md"],
		["/docs/decisions.md", "decisions/README.md"],
		["/docs/decisions/README.md", "decisions/README.md"],
	] as const) {
		const answer = await ask(path);
		expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
		expect(await answer.text()).toBe(await readFile(join(DOCS, file), "utf8"));
	}
});

test("llms.txt names the pages with their whole addresses, as Markdown, and each is there", async () => {
	const list = await text("/llms.txt");
	expect(list).toStartWith("# Svc\n\n> ");
	const addresses = [...list.matchAll(/\]\((http:\/\/localhost:3000[^)]+)\)/g)].map(([, address = ""]) => address);
	expect(addresses).toContain("http://localhost:3000/docs/operate/caches.md");
	for (const address of addresses) expect([address, (await service.open(address)).status]).toEqual([address, 200]);
	expect(await text("/docs/llms.txt")).toBe(list);
});

test("search leads to the section that is about the words, and says so where nothing is", async () => {
	const html = await text("/docs?q=Cache-Tag+purge");
	const hits = html.slice(html.indexOf('class="hits">') + 13, html.indexOf("</ol>"));
	expect(hits).toMatch(/^[^<]*<li><a href="\/docs\/operate\/caches/);
	expect(await text("/docs?q=qqxxyyzz")).toContain("Nothing is found for “qqxxyyzz”.");
	// Nothing is found for no words: that is the first page.
	expect(await text("/docs?q=+")).toBe(await text("/docs"));
});

test("what somebody searches for is shown as text, whatever it is", async () => {
	const answer = await ask(`/docs?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
	expect(answer.headers.get("cache-control")).toBe("no-store");
	expect(await answer.text()).not.toContain("<script>alert");
	expect((await ask(`/docs?q=${"%5B(".repeat(60)}`)).status).toBe(200);
});

test("a page that is not there is 404 as a page, also one that leads out of the folder", async () => {
	for (const path of ["/docs/nothing", "/docs/..%2fpackage.json", "/docs/%2e%2e/package.json", "/docs/operate/"]) {
		const answer = await ask(path);
		expect([path, answer.status]).toEqual([path, 404]);
	}
	expect(await text("/docs/nothing")).toContain("There is no such page");
	const post = await ask("/docs/operate/caches", { method: "POST" });
	expect([post.status, post.headers.get("allow")]).toEqual([405, "GET"]);
});

test("nothing in a page loads from elsewhere or runs within it", async () => {
	const answer = await ask("/docs/operate/caches");
	expect(answer.headers.get("content-security-policy")).toStartWith(
		"default-src 'none'; script-src 'self'; style-src 'self';",
	);
	const html = await answer.text();
	expect(html).not.toMatch(/<script(?! src="\/docs)|<style| style=| on\w+=/);
	expect(html).not.toMatch(/(?:src|<link[^>]+href)="(?!\/)/);
});

const elsewhere = serviceFor({
	SVC_BASE_URL: "https://pictures.example",
	SVC_WEB_URL: "https://pictures.example",
	SVC_CDN_URL: "https://img.pictures.example",
});

test("code of the pages and of the examples names the addresses of the service that shows it", async () => {
	const read = async (path: string) => await (await elsewhere.open(`https://pictures.example${path}`)).text();
	const guide = await read("/docs/guides/quick-starts.md");
	expect(guide).toContain("curl -fsSL -o svc-sdk.tgz https://pictures.example/sdk/");
	expect(guide).toContain('?? "https://pictures.example"');
	expect(await read("/docs/guides/delivery.md")).toContain("svc images sign https://img.pictures.example/");
	expect(await read("/docs/examples/express.md")).toContain('"https://pictures.example"');
	expect(await read("/docs/guides/hosted-pages.md")).toContain("https://pictures.example/connect?app=");
	expect(await read("/docs/guides/responsive-images.md")).not.toContain("img.example.com");
	expect(await read("/docs/operate/proxy.md")).toContain("https://images.example.com");
	// What is so by default is told in the text.
	expect(await read("/docs/reference/configuration.md")).toContain("`http://localhost:3000`");
});
