import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { addApp, addKey, type TestApp } from "../support/apps.ts";
import { type Agent, agentOf, ERAS, newClient } from "../support/mcp.ts";
import { addMember, addPerson, addSession, type TestPerson } from "../support/people.ts";
import { plain } from "../support/pictures.ts";
import { ended, startProgram, writeProfile } from "../support/program.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

const MAIN = join(import.meta.dirname, "../../cli/main.ts");

let service: StartedService;
let cwd = "";
let app: TestApp;
let person: TestPerson;

beforeAll(async () => {
	service = await startService({ SVC_VARIANT: "current" });
	cwd = await mkdtemp(join(tmpdir(), "svc-mcp-"));
	app = await addApp(service.database);
	person = await addPerson(service.database);
	await addMember(service.database, app, person, "editor");
});
afterAll(async () => {
	await service.stop();
	await rm(cwd, { recursive: true });
});

const envOf = (more: Readonly<Record<string, string>>) => ({
	...{ PATH: process.env.PATH ?? "", HOME: cwd, SVC_BASE_URL: service.baseUrl },
	...more,
});

/** What an agent does that was told the command and its environment. */
async function speaking<T>(
	env: Readonly<Record<string, string>>,
	work: (tools: Agent) => Promise<T>,
	{ args = [], client = newClient() }: { args?: readonly string[]; client?: ReturnType<typeof newClient> } = {},
): Promise<T> {
	const command = { command: process.execPath, args: [MAIN, "mcp", ...args], cwd, stderr: "pipe" as const };
	const transport = new StdioClientTransport({ ...command, env: envOf(env) });
	await client.connect(transport);
	try {
		return await work(agentOf(client));
	} finally {
		await client.close();
	}
}

const toolsOf = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
	speaking(env, (tools) => tools.tools(), { args });

const READING = ["get_image", "get_usage", "list_images", "list_labels", "transform_url"];
const WRITING = ["create_upload_ticket", "edit_image", "upload_image"];

describe("svc mcp shows", () => {
	test("to an App's key what it may do, and nothing that deletes", async () => {
		const shown = await toolsOf({ SVC_API_KEY: app.key });
		expect(shown).toEqual([...READING, ...WRITING, "list_events"].sort());
		const reading = await addKey(service.database, app, { permissions: ["read"], reach: "bucket" });
		expect(await toolsOf({ SVC_API_KEY: reading })).toEqual(READING);
		expect(await toolsOf({ SVC_API_KEY: app.key }, "--read-only")).toEqual([...READING, "list_events"].sort());
	});

	test("to a token what its scopes say, about the App that it is bound to", async () => {
		const scopes = ["images:write", "images:delete"] as const;
		const bound = await addSession(service.database, person.id, { scopes, appId: app.id });
		const image = await uploaded(service, await plain(8, 8), "a.png", { caption: "mine" }, { key: app.key });
		await speaking({ SVC_API_KEY: bound }, async (tools) => {
			expect(await tools.tools()).toEqual([...READING, ...WRITING, "delete_images"].sort());
			expect(await tools.call("get_image", { id: image.id })).toMatchObject({ untrusted: { caption: "mine" } });
			expect(await tools.call("delete_images", { ids: [image.id] })).toMatchObject({ errors: [] });
			expect((await tools.refusal("get_image", { id: image.id })).code).toBe("not_found");
		});
	});

	test("to a token that is bound to none the App of --app, and to a profile's session the App of the profile", async () => {
		const scopes = ["images:read"] as const;
		const unbound = await addSession(service.database, person.id, { scopes });
		await speaking({ SVC_API_KEY: unbound }, (tools) => tools.call("get_usage"), { args: ["--app", app.id] });
		const file = join(cwd, "profiles.json");
		await writeProfile(file, { base_url: service.baseUrl, token: person.secret, app: app.id });
		const shown = await toolsOf({ SVC_PROFILE_FILE: file });
		expect(shown).toEqual([...READING, ...WRITING, "list_events"].sort());
	});
});

test.each(ERAS)(
	"every tool of svc mcp is called by a client of the era %p, and answers as its schema says",
	async (mode) => {
		const calls = async (tools: Agent) => {
			const { id } = await uploaded(service, await plain(8, 8), "a.png", {}, { key: app.key });
			await tools.call("list_images");
			await tools.call("get_image", { id });
			await tools.call("transform_url", { id, parameters: { size: "s" } });
			await tools.call("list_labels");
			await tools.call("get_usage");
			await tools.call("list_events", { limit: 1 });
			await tools.call("edit_image", { id, caption: "new" });
			await tools.call("create_upload_ticket");
			expect((await tools.refusal("upload_image", { url: "http://127.0.0.1/" })).field).toBe("url");
			expect((await tools.refusal("delete_images", { ids: [id] })).fix).toContain("images:delete");
		};
		await speaking({ SVC_API_KEY: app.key }, calls, { client: newClient(mode) });
	},
);

test("svc mcp --dry-run says which tools an agent would be shown", async () => {
	const said = await ended(startProgram(["mcp", "--dry-run", "--json"], { cwd, env: envOf({ SVC_API_KEY: app.key }) }));
	expect([said.exit, JSON.parse(said.out)]).toEqual([
		0,
		{ object: "mcp_tools", tools: [...READING, ...WRITING, "list_events"].sort() },
	]);
});

describe("svc mcp ends", () => {
	test("well when its input does, and has printed nothing but the protocol", async () => {
		const child = startProgram(["mcp"], { cwd, env: envOf({ SVC_API_KEY: app.key }) });
		child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
		await child.stdin.flush();
		expect(await ended(child)).toMatchObject({ exit: 0, err: "" });
	});

	test("at once and says why, where its key is none or the service is away", async () => {
		const dead = { SVC_API_KEY: `svc_sk_test_${"0".repeat(38)}` };
		const refused = await ended(startProgram(["mcp"], { cwd, env: envOf(dead) }));
		expect([refused.exit, refused.out]).toEqual([4, ""]);
		const away = { SVC_API_KEY: app.key, SVC_BASE_URL: "http://127.0.0.1:9" };
		const lost = await ended(startProgram(["mcp", "--timeout", "1s"], { cwd, env: envOf(away) }));
		expect([lost.exit === 0, lost.out, lost.err !== ""]).toEqual([false, "", true]);
	});

	test("in order by a signal", async () => {
		const child = startProgram(["mcp"], { cwd, env: envOf({ SVC_API_KEY: app.key }) });
		const reader = child.stdout.getReader();
		child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`);
		await child.stdin.flush();
		await reader.read();
		child.kill("SIGTERM");
		expect(await child.exited).toBe(0);
	});
});
