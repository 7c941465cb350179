import { afterAll, beforeAll, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { type OpenService, openService } from "../support/service.ts";

let service: OpenService;
beforeAll(async () => {
	service = await openService();
});
afterAll(() => service.close());

interface Document {
	readonly info: { readonly version: string; readonly description: string };
	readonly servers: { readonly url: string }[];
	readonly paths: Record<
		string,
		Record<
			string,
			{
				operationId: string;
				responses: object;
				requestBody?: { content: Record<string, { schema: { properties: Record<string, unknown> } }> };
			}
		>
	>;
}

async function document(): Promise<Document> {
	return (await (await service.api("/openapi.json", { headers: {} })).json()) as Document;
}

test("/openapi.json passes a validator of the OpenAPI standard", async () => {
	const result = await new Validator().validate(structuredClone(await document()) as never);
	expect(result).toMatchObject({ valid: true });
});

test("[versioning.numbers, versioning.dates] it names the interface version and its date", async () => {
	const { info } = await document();
	expect(info.version).toBe("4.6.0");
	expect(info.description).toContain("29 September 2026");
});

test("it lists every route under /v1, each with an operation of its own", async () => {
	const { paths } = await document();
	const operations = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation.operationId]),
	);
	expect(operations.map(([route]) => route).sort()).toEqual([
		"DELETE /v1/images/batch",
		"DELETE /v1/images/{id}",
		"GET /v1/images",
		"GET /v1/images/{id}",
		"GET /v1/key",
		"GET /v1/usage",
		"PATCH /v1/images/batch",
		"PATCH /v1/images/{id}",
		"POST /v1/images",
		"POST /v1/operator/bootstrap",
	]);
	expect(new Set(operations.map(([, id]) => id)).size).toBe(operations.length);
});

test("its fields are those that the schemas validate", async () => {
	const { paths } = await document();
	const names = (path: string, method: string, type = "application/json") =>
		Object.keys(paths[path]?.[method]?.requestBody?.content[type]?.schema.properties ?? {}).sort();
	const create = ["caption", "labels", "metadata", "published_at", "ttl"];
	expect(names("/v1/images", "post")).toEqual([...create, "url"]);
	expect(names("/v1/images", "post", "multipart/form-data")).toEqual([...create, "file"].sort());
	const update = ["caption", "if_labels", "labels", "metadata", "published_at", "ttl"];
	expect(names("/v1/images/{id}", "patch")).toEqual(update);
	expect(names("/v1/images/batch", "patch")).toEqual([...update, "ids"].sort());
	expect(names("/v1/images/batch", "delete")).toEqual(["ids"]);
});

test("/docs and all that it loads come from here", async () => {
	const page = await service.api("/docs", { headers: {} });
	const html = await page.text();
	expect(page.headers.get("Content-Type")).toContain("text/html");
	expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
	const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);
	expect(addresses.length).toBeGreaterThanOrEqual(3);
	for (const address of addresses) {
		expect(address).toStartWith("/");
		expect((await service.api(address, { headers: {} })).status).toBe(200);
	}
});

test("/metrics speaks the format of Prometheus", async () => {
	await service.api("/v1/usage");
	const text = await (await service.api("/metrics", { headers: {} })).text();
	for (const name of [
		"svc_requests_total",
		"svc_request_seconds_bucket",
		"process_resident_memory_bytes",
		"svc_event_loop_lag_seconds",
	]) {
		expect(text).toContain(name);
	}
	for (const line of text.split("\n").filter((one) => one !== ""))
		expect(line).toMatch(/^(#|[a-z_]+(\{.*\})? [0-9.e+-]+$)/);
});
