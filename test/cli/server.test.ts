import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openProgram, type Program } from "../support/program.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let program: Program;

beforeAll(async () => {
	service = await startService();
	program = await openProgram(service);
});

afterAll(async () => {
	await program.close();
	await service.stop();
});

interface Check {
	readonly detail: string;
	readonly name: string;
	readonly state: string;
	readonly remedy: string | null;
}

describe("svc server status", () => {
	test("tells whether it is ready, and operators how it is [cli.server.status]", async () => {
		const status = await program.json<Record<string, unknown>>("server", "status");
		expect(status).toMatchObject({
			alive: true,
			ready: true,
			checks: { database: "ok", blobs: "ok", mail: "ok", billing: "ok" },
		});
		expect(status.health).toMatchObject({ object: "health", database: "file", mail: { state: "ok" } });
		const mail =
			"state=ok,oldest_seconds=0,last_sent_at=null,code=0,security=0,billing=0,team=0,notice=0,last_failure=null";
		expect((await program.svc("server", "status", "-o", "tsv")).out.trimEnd().split("\t").at(-3)).toBe(mail);
	});

	test("needs no key for an address, and exits 7 where nothing answers [cli.server.status-open]", async () => {
		const open = await program.svc("server", "status", "--base-url", service.baseUrl, "--json");
		expect([open.exit, JSON.parse(open.out)]).toEqual([0, expect.objectContaining({ ready: true, health: null })]);
		const gone = await program.svc("server", "status", "--base-url", "http://127.0.0.1:1", "--field", "alive");
		expect([gone.exit, gone.out]).toEqual([7, "false\n"]);
	});
});

describe("svc server doctor", () => {
	const states = (checks: readonly Check[]) => Object.fromEntries(checks.map(({ name, state }) => [name, state]));

	test("checks the way to the service and back, and leaves nothing behind [cli.server.doctor]", async () => {
		const checks = await program.json<Check[]>("server", "doctor");
		const names = [
			"address",
			"tls",
			"clock",
			"database",
			"blobs",
			"mail",
			"billing",
			"key",
			"upload",
			"read",
			"transform",
			"delete",
		];
		expect(states(checks)).toEqual(Object.fromEntries(names.map((name) => [name, "ok"])));
		// This service sends no mail at all: it may not say that mail goes out.
		expect(checks.find(({ name }) => name === "mail")?.detail).toContain("without SVC_SMTP_URL");
		expect(await program.json<unknown[]>("images", "list", "--all")).toEqual([]);
	});

	test("a wrong key or address exits 1, with the remedy [cli.server.doctor-broken]", async () => {
		const lame = await openProgram(service, { apiKey: "svc_sk_test_unknown" });
		const key = await lame.svc("server", "doctor", "-o", "tsv");
		expect([key.exit, key.out]).toEqual([1, expect.stringMatching(/^✗\tkey\t.*svc login/m)]);
		await lame.close();
		const env = { SVC_API_KEY: service.apiKey, SVC_BASE_URL: "http://127.0.0.1:1" };
		const lost = await openProgram(service, { env });
		const { exit, out } = await lost.svc("server", "doctor", "--json");
		expect([exit, states(JSON.parse(out))]).toEqual([
			1,
			expect.objectContaining({ address: "failed", upload: "skipped" }),
		]);
		await lost.close();
	});

	test.each(["transition", "legacy"])("the %s interface is well too [cli.server.doctor-variant]", async (variant) => {
		const older = await startService({ SVC_VARIANT: variant });
		const there = await openProgram(older);
		const checks = await there.json<Check[]>("server", "doctor");
		expect(checks.filter(({ state }) => state !== "ok")).toEqual([]);
		await there.close();
		await older.stop();
	});

	test("--dry-run uploads nothing [cli.server.doctor-dry]", async () => {
		const plan = await program.json<{ method: string }[]>("server", "doctor", "--dry-run", "-q");
		expect(plan.map(({ method }) => method)).toEqual(["POST", "DELETE"]);
	});
});

test("--no-wait prints the job as it was started, and does not wait for its end [cli.server.reconcile-no-wait]", async () => {
	const started = await program.json<object>("server", "reconcile", "--no-wait");
	expect(started).toMatchObject({ kind: "reconcile", state: "queued", ended_at: null });
	const told = await program.svc("server", "reconcile", "--no-wait", "--verbose", "--field", "id");
	expect([told.exit, told.err.match(/^(GET|POST) /gm)]).toEqual([0, ["POST "]]);
	expect((await program.svc("jobs", "wait", told.out.trim())).exit).toBe(0);
});

test("starts the count and waits for its end; only operators may [cli.server.reconcile]", async () => {
	expect(await program.json<object>("server", "reconcile")).toMatchObject({ kind: "reconcile", state: "done" });
	const nobody = await openProgram(service, { token: "svc_ses_unknown" });
	expect((await nobody.svc("server", "reconcile")).exit).toBe(4);
	await nobody.close();
});
