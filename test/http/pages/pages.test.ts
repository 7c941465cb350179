import { expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();

const WEB = "http://localhost:3000";
const visit = (path: string) => service.open(`${WEB}${path}`, { headers: { Accept: "text/html" } });
const locationOf = async (id: string) => {
	const answer = await visit(`/i/${id}`);
	return [answer.status, answer.headers.get("Location")];
};

test("[C] a saved image page of a public image leads to its file [versioning.page_url-redirect-public]", async () => {
	const image = await uploaded(service, await plain(5, 5));
	await service.database.write([{ run: sql`UPDATE images SET public = 1 WHERE id = ${image.id}` }]);
	expect(await locationOf(image.id)).toEqual([302, image.url]);
	await send(service, "DELETE", `/v1/images/${image.id}`);
	expect(await locationOf(image.id)).toEqual([302, `${WEB}/`]);
});

test("[C] of a private, unknown or never visible image, home [versioning.page_url-redirect-other]", async () => {
	const [hidden, unset] = [await uploaded(service, await plain(5, 5)), await uploaded(service, await plain(5, 5))];
	await service.database.write([{ run: sql`UPDATE images SET public = 0 WHERE id = ${hidden.id}` }]);
	for (const id of [hidden.id, unset.id, newId("img"), "nonsense"])
		expect(await locationOf(id)).toEqual([302, `${WEB}/`]);
});

test("the home page and the page that is not there run nothing and load nothing but our own sheet", async () => {
	for (const [path, status, heading] of [
		["/", 200, "<h1>Svc</h1>"],
		["/nowhere", 404, "<h1>There is no such page</h1>"],
	] as const) {
		const answer = await visit(path);
		expect(answer.status).toBe(status);
		expect(answer.headers.get("Content-Security-Policy")).toBe(
			"default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'",
		);
		const html = await answer.text();
		expect(html).toContain(heading);
		expect(html).not.toMatch(/<script|\son[a-z]+=|\sstyle=|<style/i);
	}
});

test("the sheet and the icon are served under names of their content, to be kept for ever; another name is a 404", async () => {
	const html = await (await visit("/")).text();
	const addresses = [...html.matchAll(/<link[^>]*href="([^"]*)"/g)].map(([, address = ""]) => address);
	expect(addresses).toHaveLength(2);
	for (const address of addresses) {
		expect(address).toMatch(/^\/assets\/\w+\.[0-9a-f]{16}\.(css|svg)$/);
		const answer = await visit(address);
		expect(answer.status).toBe(200);
		expect(answer.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
		expect(answer.headers.get("Content-Type")).toMatch(/^(text\/css|image\/svg\+xml)/);
	}
	expect((await visit("/assets/pages.0000000000000000.css")).status).toBe(404);
});

test("HEAD answers like GET, without the page; another method is a 405 page that names those which work", async () => {
	const ask = (method: string, path: string) =>
		service.open(`${WEB}${path}`, { method, headers: { Accept: "text/html" } });
	for (const path of ["/", "/account", "/nowhere", "/connect"]) {
		const [head, get] = [await ask("HEAD", path), await ask("GET", path)];
		expect([head.status, await head.text()]).toEqual([get.status, ""]);
		expect(head.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
	}
	for (const [method, path, allow] of [
		["POST", "/", "GET, HEAD"],
		["DELETE", "/connect", "GET, HEAD, POST"],
		["GET", "/account/sign-out", "POST"],
	] as const) {
		const answer = await ask(method, path);
		expect([answer.status, answer.headers.get("Allow")]).toEqual([405, allow]);
		expect(await answer.text()).toContain("<h1>");
	}
});

test("a path that neither the pages nor the API know is told in the form that the caller reads", async () => {
	const asJson = await service.open(`${WEB}/nowhere`, { method: "POST", headers: { Accept: "application/json" } });
	expect(asJson.status).toBe(404);
	expect(await asJson.json()).toMatchObject({ error: { code: "not_found" } });
	const asPage = await service.open(`${WEB}/nowhere`, { method: "POST", headers: { Accept: "text/html" } });
	expect([asPage.status, asPage.headers.get("Content-Type")]).toEqual([404, "text/html; charset=utf-8"]);
});
