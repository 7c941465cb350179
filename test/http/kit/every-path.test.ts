import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { differingHeads, linksOf } from "../../support/heads.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, headersOf, uploaded } from "../../support/requests.ts";
import { type StartedService, startService } from "../../support/service.ts";

const PAGES = [
	"/",
	"/docs",
	"/docs/api",
	"/openapi.json",
	"/llms.txt",
	"/robots.txt",
	"/connect",
	"/account",
	"/healthz",
	"/readyz",
	"/no-page",
];

describe.each(["current", "transition", "legacy"])("every path of %s", (variant) => {
	let service: StartedService;
	let paths: Record<string, Record<string, object>>;
	let operations: readonly (readonly [method: string, path: string])[];

	beforeAll(async () => {
		service = await startService({ SVC_VARIANT: variant });
		({ paths } = (await (await service.api("/openapi.json")).json()) as { paths: typeof paths });
		operations = Object.entries(paths).flatMap(([path, methods]) =>
			// One path has two operations, of which the second is told apart by what is behind a #.
			Object.keys(methods).map((method) => [method.toUpperCase(), path.replace(/#.*/, "")] as const),
		);
	});
	afterAll(() => service.stop());

	test("may be called from a page of another origin with each method that it takes", async () => {
		expect(operations.length).toBeGreaterThan(50);
		expect(new Set(operations.map(([method]) => method))).toEqual(new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]));
		for (const [method, path] of operations) {
			const headers = { Origin: "https://a.example", "Access-Control-Request-Method": method };
			const answer = await service.api(path.replace(/\{.*?\}/g, "x"), { method: "OPTIONS", headers });
			expect([path, answer.status]).toEqual([path, 204]);
			// A ticket's address is for its upload alone, and says so.
			expect(answer.headers.get("Access-Control-Allow-Methods")?.split(", "), path).toContain(method);
		}
	});

	test("with nothing where an id belongs, or a slash behind it, is 404 and no list", async () => {
		for (const [method, path] of operations) {
			const parameters = [...path.matchAll(/\{.*?\}/g)].map(([name]) => name);
			const filled = (empty?: string) => path.replace(/\{.*?\}/g, (name) => (name === empty ? "" : "x"));
			for (const address of [`${filled()}/`, `${filled()}//`, ...parameters.map((name) => filled(name))]) {
				const answer = await service.api(address, { method, headers: headersOf(service) });
				const { status, code } = await errorOf(answer);
				expect([method, address, status, code]).toEqual([method, address, 404, "not_found"]);
			}
		}
	});

	test("of the documentation is found with a slash behind it, too, as people type it", async () => {
		const answer = await service.api("/docs/", { redirect: "manual" });
		expect([answer.status, answer.headers.get("location")]).toEqual([308, "/docs"]);
	});

	test("says the same length to a HEAD as to a GET, or none", async () => {
		const { baseUrl, apiKey } = service;
		const { id, url } = await uploaded(service, await plain(40, 30, "jpeg"), "a.jpg");
		const reads = operations
			.filter(([method]) => method === "GET")
			.map(([, path]) => path.replace("{id}", id).replace(/\{.*?\}/g, "x"));
		const linked = await Promise.all(["/", "/docs", "/account"].map((page) => linksOf(baseUrl + page)));
		const addresses = new Set([
			...[...PAGES, ...reads].map((path) => baseUrl + path),
			...linked.flat(),
			url,
			`${url}?w=20`,
			`${url}x`,
			`${url.slice(0, -5)}.png`,
		]);
		expect(addresses.size).toBeGreaterThan(50);
		expect(await differingHeads([...addresses], { Authorization: `Bearer ${apiKey}` })).toEqual([]);
	});
});
