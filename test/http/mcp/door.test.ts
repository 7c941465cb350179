import { beforeAll, describe, expect, test } from "bun:test";
import { SCOPES } from "@svc/people/people";
import { addApp, addKey, type TestApp } from "../../support/apps.ts";
import { overHttp } from "../../support/mcp.ts";
import { addMember, addPerson, addSession, type TestPerson } from "../../support/people.ts";
import { openService, serviceFor } from "../../support/service.ts";

const service = serviceFor({ SVC_VARIANT: "current" });
let app: TestApp;
let person: TestPerson;
let secret: string;

beforeAll(async () => {
	app = await addApp(service.database);
	person = await addPerson(service.database);
	await addMember(service.database, app, person, "editor");
	secret = await addSession(service.database, person.id, { scopes: ["images:read"], appId: app.id });
});

const BOTH = "application/json, text/event-stream";
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

function posted(headers: Readonly<Record<string, string>>, body: string | object = LIST): Promise<Response> {
	return service.api("/mcp", {
		method: "POST",
		headers: { "Content-Type": "application/json", Accept: BOTH, ...headers },
		body: typeof body === "string" ? body : JSON.stringify(body),
	});
}

const byToken = (more = {}) => ({ Authorization: `Bearer ${secret}`, ...more });

async function refusalOf(answer: Promise<Response>): Promise<readonly [number, string]> {
	const { status, body } = await answer.then(async (found) => ({ status: found.status, body: await found.json() }));
	return [status, (body as { error: { message: string } }).error.message];
}

describe("who may use /mcp", () => {
	test("is a token with scopes that hold no more than tools do", async () => {
		const answer = await posted(byToken());
		expect(answer.status).toBe(200);
		expect(await answer.text()).toContain("list_images");
		expect(answer.headers.get("mcp-session-id")).toBeNull();
		expect(answer.headers.get("set-cookie")).toBeNull();
	});

	test("is no App's key, no session, no token that may change more, and nobody by a cookie; each is told what to make", async () => {
		const full = await addSession(service.database, person.id, { scopes: SCOPES });
		const web = await addSession(service.database, person.id, { kind: "web" });
		const tried: [number, Readonly<Record<string, string>>][] = [
			[403, { Authorization: `Bearer ${app.key}` }],
			[403, { Authorization: `Bearer ${await addKey(service.database, app, { permissions: ["read"] })}` }],
			[403, { Authorization: `Bearer ${person.secret}` }],
			[403, { Authorization: `Bearer ${full}` }],
			[403, { Authorization: `Bearer ${service.token}` }],
			[401, { Cookie: `session=${web}; svc_session=${web}` }],
			[401, {}],
		];
		for (const [status, headers] of tried) {
			const [found, message] = await refusalOf(posted(headers));
			expect([found, message]).toEqual([status, expect.stringContaining("svc tokens create")]);
		}
		const dead = `svc_pat_${"0".repeat(38)}`;
		for (const unknown of [dead, web, "nonsense", `svc_sk_test_${"0".repeat(38)}`])
			expect((await posted({ Authorization: `Bearer ${unknown}` })).status).toBe(401);
	});

	test("ends with the token", async () => {
		const ending = await addSession(service.database, person.id, { scopes: ["images:read"], appId: app.id });
		const tools = await overHttp(service, ending);
		expect(await tools.tools()).toContain("list_images");
		const list = await service.api("/v1/tokens", { headers: { Authorization: `Bearer ${ending}` } });
		const { data } = (await list.json()) as { data: { id: string }[] };
		const own = { method: "DELETE", headers: { Authorization: `Bearer ${ending}` } };
		expect((await service.api(`/v1/tokens/${data[0]?.id}`, own)).status).toBe(200);
		expect((await posted({ Authorization: `Bearer ${ending}` })).status).toBe(401);
		await expect(tools.call("list_images")).rejects.toThrow();
	});
});

describe("where it is asked from", () => {
	test("a page of another origin is refused, whatever it sends", async () => {
		for (const origin of ["https://evil.example", "null", "http://localhost.evil.example", "http://localhost:1"]) {
			const [status, message] = await refusalOf(posted(byToken({ Origin: origin })));
			expect([status, message]).toEqual([403, "Pages of other origins cannot use /mcp: it is for programs."]);
		}
		expect((await posted(byToken({ Origin: service.rooms.addresses.base }))).status).toBe(200);
	});

	test("another Host finds no service, as with all of it", async () => {
		const sent = { method: "POST", headers: byToken(), body: JSON.stringify(LIST) };
		expect((await service.open("http://rebound.example/mcp", sent)).status).toBe(421);
	});
});

describe("what is sent", () => {
	const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
	test.each<[string, string]>([
		["a body that is too large", JSON.stringify({ ...LIST, params: { x: "x".repeat(140_000) } })],
		["more values than a call has", JSON.stringify({ ...LIST, params: { x: Array.from({ length: 1_100 }, () => 0) } })],
		["one that is too deep", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${nested(100)}}}`],
		["several calls at once", JSON.stringify([LIST, LIST])],
		["no JSON", "{"],
		["no object", "7"],
	])("is refused where it is %s", async (_, body) => {
		expect((await posted(byToken(), body)).status).toBe(400);
	});

	test("is refused where it is JSON and nothing of the protocol", async () => {
		for (const body of [{}, { jsonrpc: "1.0", id: 1, method: "tools/list" }, { jsonrpc: "2.0", id: {}, method: 7 }])
			expect((await posted(byToken(), body)).status).toBe(400);
	});

	test("is by POST alone: no stream stays open, and there is no session to end", async () => {
		for (const method of ["GET", "DELETE", "PUT"]) {
			const answer = await service.api("/mcp", { method, headers: byToken() });
			expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
		}
		const { client } = await overHttp(service, secret);
		await expect(client.listen({ toolsListChanged: true })).rejects.toThrow("Subscription limit reached");
	});

	test("counts against the limit of the token", async () => {
		const limited = await openService({ SVC_VARIANT: "current", SVC_KEY_RATE: "1", SVC_KEY_BURST: "2" });
		try {
			const owner = await addPerson(limited.database);
			const token = await addSession(limited.database, owner.id, { scopes: ["images:read"] });
			const ask = () =>
				limited.api("/mcp", {
					...{ method: "POST", body: JSON.stringify(LIST) },
					headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: BOTH },
				});
			// The first one waits for the tools to be loaded, and the limit fills up again by one a second.
			await ask();
			const answers = await Promise.all(Array.from({ length: 10 }, ask));
			expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
		} finally {
			await limited.close();
		}
	});
});
