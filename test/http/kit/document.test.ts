import { expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { reference, withComponents } from "@svc/api/kit/document/components";
import { TAGS } from "@svc/api/kit/document/guide";
import { statusOf } from "@svc/api/kit/refusals/failure";
import { FAILURE_CODES, Failure } from "@svc/base/failure";
import { Ajv2020 } from "ajv/dist/2020.js";
import { firstApp } from "../../support/apps.ts";
import { documentOf } from "../../support/documents.ts";
import { send } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";

const service = serviceFor();

interface Document {
	readonly info: { readonly version: string; readonly description: string };
	readonly tags: readonly { readonly name: string; readonly description: string }[];
	readonly servers: { readonly url: string }[];
	readonly paths: Record<string, Record<string, Operation>>;
	readonly components: {
		readonly schemas: Record<string, { readonly properties?: Record<string, object> }>;
		readonly examples: Record<string, { readonly value: unknown }>;
		readonly responses: Record<string, { readonly headers: object; readonly content: Record<string, Content> }>;
	};
	readonly webhooks?: Record<string, Record<string, Operation>>;
}

interface Content {
	readonly schema: object;
	readonly examples?: Record<string, object>;
}

interface Operation {
	readonly operationId: string;
	readonly summary?: string;
	readonly tags?: readonly string[];
	readonly security?: readonly object[];
	readonly parameters?: readonly { readonly name: string }[];
	readonly responses: Record<
		string,
		{ readonly $ref?: string; readonly headers?: object; readonly content?: Record<string, Content> }
	>;
	readonly requestBody?: {
		readonly required: boolean;
		readonly content: Record<string, { readonly schema: { readonly properties: Record<string, unknown> } }>;
	};
}

async function document(): Promise<Document> {
	return (await (await service.api("/openapi.json", { headers: {} })).json()) as Document;
}

test("/openapi.json passes a validator of the OpenAPI standard", async () => {
	const result = await new Validator().validate(structuredClone(await document()) as never);
	expect(result).toMatchObject({ valid: true });
});

test("[C] it names the interface version and its date [versioning.numbers, versioning.dates]", async () => {
	const { info } = await document();
	expect(info.version).toBe("4.6.0");
	expect(info.description).toMatch(/4\.4\.0 and\s4\.6\.0 are both dated 29 September 2026/);
});

test("every operation has a name of its own, a summary, a tag and the error envelope", async () => {
	const { paths } = await document();
	const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
	expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
	for (const operation of operations) {
		expect(operation.summary?.length, operation.operationId).toBeGreaterThan(5);
		expect(operation.tags, operation.operationId).toHaveLength(1);
		expect(Object.keys(operation.responses), operation.operationId).toContain("default");
	}
});

test("every tag that an operation has is described, and there is no other", async () => {
	const { paths, tags } = await document();
	const used = new Set(
		Object.values(paths).flatMap((methods) => Object.values(methods).flatMap((one) => one.tags ?? [])),
	);
	expect([...used].sort()).toEqual(tags.map(({ name }) => name).sort());
	for (const { description } of tags) expect(description.length).toBeGreaterThan(10);
});

test("[C] every tag that is described is one of an operation", async () => {
	const { tags } = await document();
	expect(tags.map(({ name }) => name)).toEqual(TAGS.map(({ name }) => name));
});

test("it explains how to begin, who calls, lists, and every error code with its status", async () => {
	const { info } = await document();
	expect(info.description).toContain(
		`curl -X POST http://localhost:3000/v1/images -H "Authorization: Bearer <API_KEY>"`,
	);
	for (const word of ["X-Svc-User", "X-Svc-App", "next_cursor", "retry_after"])
		expect(info.description).toContain(word);
	for (const code of FAILURE_CODES) {
		expect(info.description).toContain(`| ${statusOf(new Failure(code))} | \`${code}\` |`);
	}
});

test("[C] what answers in pages says so, and takes limit and cursor", async () => {
	const { paths } = await document();
	const named = (path: string) => paths[path]?.get?.parameters?.map(({ name }) => name) ?? [];
	const dates = ["created", "published", "expires"].flatMap((name) => [`${name}_from`, `${name}_to`]);
	const narrowing = [...dates, "format", "filename_prefix", "external_id", "sha256", "similar_to", "q"];
	const filters = ["ids", "label", "labels", ...narrowing, "order", "total_max", "include"];
	expect(named("/v1/images")).toEqual(["X-Svc-User", "X-Svc-App", ...filters, "limit", "cursor"]);
	expect(named("/v1/billing/plans")).toEqual(["limit", "cursor"]);
	expect(named("/v1/apps/{id}/audit").slice(-2)).toEqual(["limit", "cursor"]);
	expect(named("/v1/usage")).toEqual(["X-Svc-User", "X-Svc-App"]);
	const { id } = await firstApp(service.database);
	const byKey = [
		"/v1/images",
		"/v1/labels",
		"/v1/billing/plans",
		"/v1/events",
		"/v1/upload_tickets",
		"/v1/imports",
		"/v1/usage/daily",
	];
	const lists = Object.keys(paths).filter((path) => named(path).includes("limit"));
	expect(lists.length).toBeGreaterThan(20);
	// Those of an App: the id of an import is another.
	const ofApps = lists.filter((one) => !/\{(?!id)/.test(one) && !one.startsWith("/v1/imports/"));
	for (const path of ofApps) {
		const key = byKey.includes(path) ? service.apiKey : service.token;
		const answer = await send(service, "GET", `${path.replace("{id}", id)}?limit=1`, undefined, { key });
		// Some are for sessions alone; none refuses the parameter.
		expect([path, answer.status === 200 || answer.status === 403]).toEqual([path, true]);
	}
});

test("[C] its fields are those that the schemas validate", async () => {
	const { paths } = await document();
	const names = (path: string, method: string, type = "application/json") =>
		Object.keys(paths[path]?.[method]?.requestBody?.content[type]?.schema.properties ?? {}).sort();
	const create = ["caption", "external_id", "labels", "metadata", "published_at", "ttl"];
	expect(names("/v1/images#import", "post")).toEqual([...create, "url"]);
	expect(names("/v1/images", "post", "multipart/form-data")).toEqual([...create, "file"].sort());
	const update = ["caption", "if_labels", "labels", "metadata", "published_at", "ttl"];
	expect(names("/v1/images/{id}", "patch")).toEqual([...update, "external_id", "if_revision"].sort());
	expect(names("/v1/images/batch", "patch")).toEqual([...update, "ids"].sort());
	expect(names("/v1/images/batch", "delete")).toEqual(["ids"]);
});

test("it says of the first start what that prints", async () => {
	const { components } = (await document()) as unknown as {
		components: { securitySchemes: { key: { description: string } } };
	};
	expect(components.securitySchemes.key.description).toContain("The first start prints an App-wide key, and writes");
	expect(components.securitySchemes.key.description).not.toContain("prints an App-wide key and a token");
});

test("/docs/api and all that it loads come from here", async () => {
	const page = await service.api("/docs/api", { headers: {} });
	const html = await page.text();
	expect(page.headers.get("Content-Type")).toContain("text/html");
	expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
	const addresses = [...html.matchAll(/(?:src|<link[^>]+href)="([^"]+)"/g)].map(([, address = ""]) => address);
	expect(addresses.length).toBeGreaterThanOrEqual(4);
	for (const address of addresses) {
		expect(address).toStartWith("/");
		expect((await service.api(address, { headers: {} })).status).toBe(200);
	}
});

test("/metrics speaks the format of Prometheus", async () => {
	await service.api("/v1/usage");
	await service.sweep();
	const text = await (await service.api("/metrics", { headers: {} })).text();
	for (const name of [
		"svc_requests_total",
		"svc_request_seconds_bucket",
		"process_resident_memory_bytes",
		"svc_event_loop_lag_seconds",
		"svc_commit_seconds_bucket",
		'svc_swept_total{kind="orphans"}',
	]) {
		expect(text).toContain(name);
	}
	for (const line of text.split("\n").filter((one) => one !== ""))
		expect(line).toMatch(/^(#|[a-z_]+(\{.*\})? [0-9.e+-]+$)/);
});

test("a body that need not hold anything need not be sent", async () => {
	const { paths } = await document();
	for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
		const schema = operation.requestBody?.content["application/json"]?.schema as { required?: string[] } | undefined;
		if (schema?.required?.length === 0) expect(operation.requestBody?.required, operation.operationId).toBe(false);
	}
	expect(paths["/v1/apps/{id}"]?.patch?.requestBody?.required).toBe(false);
	expect(paths["/v1/apps"]?.post?.requestBody?.required).toBe(true);
});

test("it tells of every answer that a call may give, not of the usual one alone", async () => {
	const { paths } = await document();
	const successes = (operation: Operation | undefined) =>
		Object.keys(operation?.responses ?? {}).filter((status) => status.startsWith("2"));
	expect(successes(paths["/v1/me"]?.patch)).toEqual(["200", "202"]);
	expect(successes(paths["/v1/sessions/login/{id}/verify"]?.post)).toEqual(["200", "201"]);
});

test("every POST of a caller who is known takes an Idempotency-Key, and no other; a key that may be left out is optional", async () => {
	const { paths } = await document();
	const posts = Object.entries(paths).flatMap(([path, { post }]) => (post ? [{ path, post }] : []));
	const takesKey = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === "Idempotency-Key");
	for (const { path, post } of posts) expect([path, takesKey(post)]).toEqual([path, post.security?.length !== 0]);
	expect(paths["/v1/sessions/passkey"]?.post?.security).toEqual([{ key: [] }, {}]);
});

test("its schemas are those of the JSON Schema that 3.1 speaks, with bounds of what is sent", async () => {
	const { paths } = await document();
	const fieldsOf = (path: string) =>
		paths[path]?.post?.requestBody?.content["application/json"]?.schema.properties ?? {};
	const name = { type: "string", minLength: 1, maxLength: 100 };
	expect(fieldsOf("/v1/apps/{id}/keys").name).toEqual(name);
	expect(fieldsOf("/v1/me/connections/{app}/keys")).toEqual({
		name,
		permissions: { type: "array", items: { const: "read" }, minItems: 1, maxItems: 1 },
	});
});

test("what of a batch fails is described with all that a refusal may say", async () => {
	const {
		paths,
		components: { schemas },
	} = await document();
	const answered = (path: string) => answersOf(Object.values(paths[path] ?? {})[0])["207"];
	expect(answered("/v1/images/batch")).toEqual({ $ref: "#/components/schemas/BatchResult" });
	expect(answered("/v1/moderation/batch")).toEqual({ $ref: "#/components/schemas/ModerationBatchResult" });
	for (const name of ["BatchResult", "ModerationBatchResult"]) {
		expect(schemas[name]?.properties?.errors).toEqual({
			type: "array",
			items: { $ref: "#/components/schemas/BatchError" },
		});
	}
	expect(schemas.BatchError?.properties?.error).toEqual({ $ref: "#/components/schemas/ErrorObject" });
	const named = Object.keys(schemas.ErrorObject?.properties ?? {});
	expect(named.sort()).toEqual(["action", "code", "details", "message", "type"]);
});

test.each(["current", "transition", "legacy"])(
	"every object of an answer has a name, in the %s interface",
	async (variant) => {
		const other = await openService({ SVC_VARIANT: variant });
		const { paths, components } = (await (await other.api("/openapi.json", { headers: {} })).json()) as Document;
		await other.close();
		const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
		const used = operations.flatMap((operation) => Object.values(answersOf(operation)));
		expect(used.length).toBeGreaterThan(200);
		const parts = Object.values(components.schemas).flatMap((shape) => Object.values(shape.properties ?? {}));
		for (const part of [...used, ...parts]) expect(JSON.stringify(part)).not.toContain('"properties"');
	},
);

test.each([
	["current", "Image", "Usage", "BillingStatus", "Plan"],
	["transition", "Image", "Usage", "BillingStatus", "AvailablePlan"],
	["legacy", "Image", "Usage", "BillingStatus", "AvailablePlan"],
])(
	"the %s interface has the shapes of its own under the names that all have",
	async (variant, image, usage, ...billing) => {
		const other = await openService({ SVC_VARIANT: variant });
		const { paths, components } = (await (await other.api("/openapi.json", { headers: {} })).json()) as Document;
		await other.close();
		const answered = (path: string, status = "200") => answersOf(paths[path]?.get)[status];
		expect(answered("/v1/images/{id}")).toEqual({ $ref: `#/components/schemas/${image}` });
		expect(answered("/v1/images")).toEqual({ $ref: `#/components/schemas/${image}List` });
		expect(answered("/v1/usage")).toEqual({ $ref: `#/components/schemas/${usage}` });
		expect(answered("/v1/billing/status")).toEqual({ $ref: `#/components/schemas/${billing[0]}` });
		expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(billing));
		const fields = Object.keys(components.schemas.Image?.properties ?? {});
		expect([fields.includes("public"), fields.includes("transformable")]).toEqual([
			variant !== "current",
			variant === "legacy",
		]);
	},
);

test.each(["current", "transition", "legacy"])(
	"every success of the %s interface that is JSON has an example, and its shape takes it",
	async (variant) => {
		const { paths, components } = await documentOf<Document>(variant as "current");
		const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
		ajv.addSchema({ $id: "document", components });
		const seen = new Set<string>();
		for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
			for (const { content } of successesOf(operation)) {
				const json = content?.["application/json"];
				if (!json) continue;
				const names = Object.keys(json.examples ?? {});
				expect([operation.operationId, names.length > 0]).toEqual([operation.operationId, true]);
				for (const name of names) seen.add(name);
			}
		}
		for (const name of seen) {
			const taken = ajv.validate({ $ref: `document#/components/schemas/${name}` }, components.examples[name]?.value);
			expect([name, taken, ajv.errors]).toEqual([name, true, null]);
		}
		expect(seen.size).toBeGreaterThan(60);
	},
);

test("[C] an operation takes one kind of body: a file and the address of one are two, under one path", async () => {
	const { paths } = await document();
	const bodies = (path: string) => Object.keys(paths[path]?.post?.requestBody?.content ?? {});
	for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
		expect(Object.keys(operation.requestBody?.content ?? { none: 1 })).toHaveLength(1);
	}
	expect(bodies("/v1/images")).toEqual(["multipart/form-data"]);
	expect(bodies("/v1/images#import")).toEqual(["application/json"]);
	expect(paths["/v1/images#import"]?.post?.operationId).toBe("importImage");
	expect(bodies("/v1/images/{id}/replace")).toEqual(["multipart/form-data"]);
	expect(bodies("/v1/images/{id}/replace#import")).toEqual(["application/json"]);
});

test("[C] a call says which statuses it may answer, and with which headers", async () => {
	const { paths, components } = await document();
	const told = (path: string, method: string) => Object.keys(paths[path]?.[method]?.responses ?? {}).join(" ");
	expect(told("/v1/images", "post")).toBe("201 400 401 403 404 409 422 429 500 503 default");
	expect(told("/v1/images#import", "post")).toBe("201 400 401 403 404 409 422 429 500 502 503 504 default");
	expect(told("/v1/images", "get")).toBe("200 401 403 404 422 429 500 503 default");
	expect(told("/v1/images/batch", "delete")).toBe("200 207 400 401 403 404 409 422 429 500 503 default");
	expect(told("/v1/reports", "post")).toBe("202 400 422 429 500 503 default");
	const headers = Object.keys(paths["/v1/images"]?.post?.responses["201"]?.headers ?? {});
	for (const name of ["X-Request-Id", "Idempotent-Replayed", "X-Storage-Used", "X-Processing-Time"]) {
		expect(headers).toContain(name);
	}
	const refused = paths["/v1/images/{id}"]?.get?.responses["404"]?.$ref?.split("/").at(-1) ?? "";
	expect(Object.keys(components.responses[refused]?.headers ?? {})).toContain("Retry-After");
	expect(components.responses[refused]?.content["application/json"]?.examples).toHaveProperty("not_found");
});

test("[C] what a user's storage can be selected for, a team's App can, too; billing status is the App's backend's alone", async () => {
	const { paths } = await document();
	for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
		const names = operation.parameters?.map(({ name }) => name) ?? [];
		const isOfKeysAlone = operation.operationId === "getBillingStatus";
		const both = [names.includes("X-Svc-User"), names.includes("X-Svc-App")];
		expect([operation.operationId, both[1]]).toEqual([operation.operationId, both[0] && !isOfKeysAlone]);
	}
});

test("[C] it describes what is sent to webhook endpoints; versions without events do not", async () => {
	const { webhooks } = await document();
	expect(webhooks?.event?.post?.requestBody?.content["application/json"]?.schema).toEqual({
		$ref: "#/components/schemas/Event",
	} as never);
	expect(webhooks?.event?.post?.parameters?.map(({ name }) => name)).toEqual([
		"webhook-id",
		"webhook-timestamp",
		"webhook-signature",
	]);
	expect((await documentOf<Document>("legacy")).webhooks).toBeUndefined();
});

test("two shapes of one name are refused", () => {
	const using = (...types: string[]) => ({ paths: types.map((type) => reference("App", { type })) });
	expect(withComponents(using("object", "object")).components.schemas).toEqual({ App: { type: "object" } });
	expect(() => withComponents(using("object", "string"))).toThrow("Two shapes have the name App.");
});

function successesOf({ responses }: Operation) {
	return Object.entries(responses).flatMap(([status, response]) => (status.startsWith("2") ? [response] : []));
}

function answersOf(operation: Operation | undefined): Readonly<Record<string, object | undefined>> {
	const answers = Object.entries(operation?.responses ?? {}).flatMap(([status, { content }]) => {
		const schema = content?.["application/json"]?.schema;
		return schema ? [[status, schema] as const] : [];
	});
	return Object.fromEntries(answers);
}
