import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { verifyWebhook } from "@svc/sdk/calls/webhooks";
import { type Origin, startOrigin } from "../support/origin.ts";
import { jsonOf, openProgram, type Program } from "../support/program.ts";
import { type StartedService, startService } from "../support/service.ts";

interface Received {
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** What came; everything is answered with `answer`. */
const received: Received[] = [];
let answer = 200;
let origin: Origin;
let service: StartedService;
let program: Program;

beforeAll(async () => {
	origin = await startOrigin(receive);
	service = await startService({ SVC_VARIANT: "current", SVC_IMPORT_ALLOW: origin.host });
	program = await openProgram(service);
});

afterAll(async () => {
	await program.close();
	await service.stop();
	origin.stop();
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const headers = request.headers as Readonly<Record<string, string>>;
	received.push({ path: request.url ?? "", headers, body: Buffer.concat(chunks).toString() });
	response.writeHead(answer).end("seen");
}

const svc = (...argv: readonly string[]) => program.svc(...argv);
const json = (...argv: readonly string[]) => jsonOf(svc(...argv, "--json"));
const got = (path: string) => received.filter((one) => one.path === path);

interface Delivery {
	readonly id: string;
	readonly state: string;
	readonly event_id: string;
}

test("an endpoint is made, shown without its secret, changed and removed", async () => {
	const url = origin.url("/one");
	const made = await json("webhooks", "create", url, "--types", "image.*,key.created", "--description", "Mirror");
	expect(made).toMatchObject({ object: "webhook_endpoint", url, types: ["image.*", "key.created"] });
	expect(made.secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
	const shown = await svc("webhooks", "get", made.id, "--json");
	expect(JSON.parse(shown.out)).toMatchObject({ id: made.id, description: "Mirror", state: "enabled" });
	const listed = await svc("webhooks", "list");
	expect(listed.out).toContain(`${made.id}\tenabled\timage.*,key.created\t${url}\t`);
	expect(shown.out + listed.out).not.toContain("whsec_");

	const changed = await json("webhooks", "edit", made.id, "--types", "*", "--state", "disabled");
	expect(changed).toMatchObject({ types: ["*"], state: "disabled", disabled_reason: "manual", description: "Mirror" });
	const refused = await svc("webhooks", "test", made.id);
	expect([refused.exit, refused.err.includes(`svc webhooks edit ${made.id} --state enabled`)]).toEqual([6, true]);
	expect((await svc("webhooks", "edit", made.id)).err).toContain("Name what is to change");

	expect((await svc("webhooks", "rm", made.id)).err).toContain("--yes");
	expect(await json("webhooks", "rm", made.id, "--yes")).toEqual([
		{ id: made.id, object: "webhook_endpoint", deleted: true },
	]);
	const gone = await svc("webhooks", "get", made.id);
	expect([gone.exit, gone.err.includes("svc webhooks list")]).toEqual([5, true]);
});

test("a secret goes into a file alone, and after a rotation the old one signs as well", async () => {
	const first = join(program.cwd, "first.txt");
	const second = join(program.cwd, "second.txt");
	const made = await json("webhooks", "create", origin.url("/two"), "--secret-file", first);
	expect(made).not.toHaveProperty("secret");
	expect((await stat(first)).mode & 0o777).toBe(0o600);
	expect(await json("webhooks", "rotate", made.id, "--secret-file", second)).not.toHaveProperty("secret");
	const secrets = await Promise.all([first, second].map((file) => readFile(file, "utf8")));
	expect(new Set(secrets).size).toBe(2);

	const sent = await json("webhooks", "test", made.id);
	expect(sent).toMatchObject({ object: "webhook_delivery", type: "webhook.test" });
	await service.sendWebhooks();
	expect(got("/two")).toHaveLength(1);
	for (const { body, headers } of got("/two"))
		for (const secret of secrets)
			expect(await verifyWebhook(body, headers, secret)).toMatchObject({ id: sent.event_id });
});

test("a new secret that could not be handed over leaves the endpoint, and says what to do", async () => {
	const made = await json("webhooks", "create", origin.url("/three"));
	const failed = await svc("webhooks", "rotate", made.id, "--exec", "cat > /dev/null; exit 3");
	expect([failed.exit, failed.err.includes(`svc webhooks rotate ${made.id}`)]).toEqual([1, true]);
	expect(failed.out + failed.err).not.toContain("whsec_");
	expect(await json("webhooks", "get", made.id)).toMatchObject({ state: "enabled" });

	const before = await json("webhooks", "list");
	expect((await svc("webhooks", "create", origin.url("/three"), "--exec", "exit 3")).exit).toBe(1);
	expect(await json("webhooks", "list")).toEqual(before);
});

test("what was not delivered is listed, sent again under the same id, and recovered", async () => {
	const made = await json("webhooks", "create", origin.url("/four"), "--types", "key.created");
	const listed = async (...filter: readonly string[]): Promise<readonly Delivery[]> =>
		await json("webhooks", "deliveries", made.id, ...filter);
	answer = 500;
	await json("keys", "create", "one");
	await service.sendWebhooks();
	const [first] = await listed("--state", "pending");
	if (!first) throw new Error("There is no delivery.");
	expect(await listed("--event", first.event_id)).toMatchObject([{ id: first.id }]);

	answer = 200;
	expect(await json("webhooks", "redeliver", made.id, first.id)).toMatchObject([
		{ id: first.id, event_id: first.event_id },
	]);
	await service.sendWebhooks();
	expect(await listed("--state", "delivered")).toHaveLength(1);
	expect(new Set(got("/four").map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([first.event_id]));
	expect((await svc("webhooks", "redeliver", made.id, "whd_none")).exit).toBe(5);

	await json("webhooks", "edit", made.id, "--state", "disabled");
	await json("keys", "create", "two");
	await json("webhooks", "edit", made.id, "--state", "enabled");
	const job = await json("webhooks", "recover", made.id, "--since", made.created_at);
	expect(job).toMatchObject({ kind: "webhook.recover", state: "done" });
	await service.sendWebhooks();
	expect(await listed("--state", "delivered")).toHaveLength(2);
	expect((await svc("webhooks", "recover", made.id)).err).toContain("--since");
	expect((await svc("webhooks", "recover", made.id, "--since", "soon")).err).toContain("--since takes");
	expect((await svc("webhooks", "deliveries", made.id, "--state", "lost")).err).toContain("pending, delivered, failed");
});
