import { expect, test } from "bun:test";
import { headersOf } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

/* Which answers are compressed, and which must not be. */

const service = serviceFor();
const CODINGS = { "Accept-Encoding": "gzip, deflate, br, zstd" };

function ask(url: string, headers: Readonly<Record<string, string>> = {}, init: RequestInit = {}) {
	const base = url.startsWith("/") ? "http://localhost:3000" : "";
	return service.open(base + url, { ...init, headers: { ...CODINGS, ...headers } });
}

const codingOf = ({ headers }: Response) => headers.get("content-encoding");

test("the documentation, the document, its viewer and what it loads are compressed, cached, and not sent again to who has them", async () => {
	const pages = ["/docs", "/docs/api", "/docs/operate/caches", "/docs/operate/caches.md", "/llms.txt"];
	const plainly = { "Accept-Encoding": "identity" };
	const html = (await Promise.all(pages.map(async (page) => (await ask(page, plainly)).text()))).join("");
	const loaded = [...html.matchAll(/(?:src|href)="(\/docs[^"#]+)"/g)].map(([, path = ""]) => path);
	for (const path of ["/openapi.json", ...pages, ...new Set(loaded)]) {
		const answer = await ask(path);
		expect([path, answer.status, answer.headers.get("cache-control")]).toEqual([path, 200, "public, max-age=300"]);
		const bytes = (await answer.arrayBuffer()).byteLength;
		const plain = (await (await ask(path, { "Accept-Encoding": "identity" })).arrayBuffer()).byteLength;
		if (plain > 1_024) expect([path, codingOf(answer), bytes < plain * 0.7]).toEqual([path, "zstd", true]);
		const tag = answer.headers.get("etag") ?? "";
		const again = await ask(path, { "If-None-Match": tag });
		expect([path, again.status, (await again.arrayBuffer()).byteLength]).toEqual([path, 304, 0]);
		expect((await ask(path, { "If-None-Match": 'W/"other"' })).status).toBe(200);
	}
	expect(loaded.length).toBeGreaterThanOrEqual(3);
});

test("an answer to a key is compressed when it is long", async () => {
	const { token } = service;
	const apps = await (await ask("/v1/apps", { ...headersOf(service, { key: token }), "Accept-Encoding": "" })).json();
	const app = (apps as { data: { id: string }[] }).data[0]?.id ?? "";
	for (let made = 0; made < 12; made++) {
		const body = JSON.stringify({ name: `key ${made}`, reach: "app", permissions: ["read"] });
		const init = { method: "POST", body };
		const headers = { ...headersOf(service, { key: token }), "Content-Type": "application/json" };
		expect(codingOf(await ask(`/v1/apps/${app}/keys`, headers, init))).toBeNull();
	}
	const list = await ask(`/v1/apps/${app}/keys`, headersOf(service, { key: token }));
	expect([list.status, codingOf(list), list.headers.get("vary")]).toEqual([200, "zstd", "Accept-Encoding"]);
});

test("a page with a form's token is compressed, since the token is another text in each answer", async () => {
	const tokens = new Set<string>();
	for (let asked = 0; asked < 3; asked++) {
		const plain = await ask("/account", { Accept: "text/html", "Accept-Encoding": "identity" });
		tokens.add(/name="form_token" value="([0-9a-f]{128})"/.exec(await plain.text())?.[1] ?? "");
	}
	expect(tokens.size).toBe(3);
	expect(tokens).not.toContain("");
	for (const path of ["/account", "/"]) {
		const page = await ask(path, { Accept: "text/html" });
		expect([codingOf(page), page.headers.get("cache-control")]).toEqual(["zstd", "no-store"]);
	}
});

test("mails in which codes may stand are never compressed; pictures are what they are", async () => {
	const mails = await ask("/v1/operator/emails", headersOf(service, { key: service.token }));
	expect([mails.status, mails.headers.get("cache-control")]).toEqual([200, "no-store, no-transform"]);
	const picture = await ask("http://localhost:3001/x");
	expect([codingOf(picture), picture.headers.get("vary")]).toEqual([null, null]);
});
