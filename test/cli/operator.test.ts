import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Account, Email, OperatedApp, ServiceUsage } from "@svc/sdk/shapes";
import { addApp } from "../support/apps.ts";
import { addPerson } from "../support/people.ts";
import { openProgram, type Program } from "../support/program.ts";
import { send } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let operator: Program;

beforeAll(async () => {
	service = await startService();
	operator = await openProgram(service);
});

afterAll(async () => {
	await operator.close();
	await service.stop();
});

/** A service that serves one interface version, whatever the others of this file serve. */
async function serviceOf(variant: string) {
	const service = await startService({ SVC_VARIANT: variant });
	const operator = await openProgram(service);
	const close = async () => {
		await operator.close();
		await service.stop();
	};
	return { service, operator, [Symbol.asyncDispose]: close };
}

test("totals, and the Apps behind them, found by how they begin [cli.operator.overview]", async () => {
	const total = async () => (await operator.json<ServiceUsage>("operator", "overview")).apps.total;
	const before = await total();
	const { id } = await addApp(service.database, "Zebra crossing");
	expect(await total()).toBe(before + 1);
	const found = await operator.json<OperatedApp[]>("operator", "apps", "--search", "zebra", "--state", "active");
	expect(found.map((app) => app.id)).toEqual([id]);
	expect((await operator.svc("operator", "apps", "--all", "-q")).out.trimEnd().split("\n")).toContain(id);
	expect((await operator.svc("operator", "apps", "--state", "odd")).exit).toBe(2);
});

test("an App's plan and limits are set, and given back to what it pays for and what its plan has [cli.operator.apps-set]", async () => {
	await using own = await serviceOf("current");
	const { service, operator } = own;
	const { id } = await addApp(service.database, "Larger than planned");
	const set = (...flags: readonly string[]) => operator.json<OperatedApp>("operator", "apps", "set", id, ...flags);
	const first = await operator.json<OperatedApp>("operator", "apps", "get", id);
	expect([first.plan, first.own_limits]).toEqual(["free", { images: null, users: null }]);
	expect(await set("--plan", "pro", "--images", "50000", "--users", "7", "--dry-run")).toMatchObject([
		{ method: "PATCH", body: { plan: "pro", limits: { images: 50_000, users: 7 } } },
	]);
	expect(await operator.json<OperatedApp>("operator", "apps", "get", id)).toEqual(first);

	const changed = await set("--plan", "pro", "--images", "50000", "--users", "7", "--selling", "on");
	expect(changed).toMatchObject({ plan: "pro", limits: { images: 50_000, users: 7 }, selling_enabled: true });
	expect(await set("--images", "plan")).toMatchObject({ plan: "pro", own_limits: { images: null, users: 7 } });
	expect(await set("--plan", "none", "--users", "plan", "--selling", "off")).toEqual(first);

	const odd = await operator.svc("operator", "apps", "set", id, "--plan", "gold");
	expect([odd.exit, odd.err]).toEqual([1, expect.stringContaining("plan: must be one of")]);
	for (const flags of [[], ["--images", "many"], ["--images=-1"], ["--selling", "maybe"]])
		expect((await operator.svc("operator", "apps", "set", id, ...flags)).exit).toBe(2);
	expect((await operator.svc("operator", "apps", "set", "app_none", "--plan", "pro")).exit).toBe(5);
});

test("where tiers rule the plan is one, and a limit that does not count says so [cli.operator.tiers]", async () => {
	await using own = await serviceOf("legacy");
	const { service, operator } = own;
	const { id } = await addApp(service.database, "Older");
	expect(await operator.json<OperatedApp>("operator", "apps", "set", id, "--plan", "pro")).toMatchObject({
		plan: "pro",
		limits: { images: null, users: null },
	});
	const limited = await operator.svc("operator", "apps", "set", id, "--images", "50000");
	expect([limited.exit, limited.err]).toEqual([0, expect.stringContaining("Tiers rule")]);
	expect((await operator.svc("operator", "apps", "set", id, "--images", "plan")).err).toBe("");
});

test("disables and enables people: what they had stops working, and works again [cli.operator.accounts]", async () => {
	const person = await addPerson(service.database);
	const status = async () => (await send(service, "GET", "/v1/me", undefined, { key: person.secret })).status;
	expect(await operator.json("operator", "disable", person.id, "--dry-run")).toHaveLength(1);
	expect(await status()).toBe(200);
	expect(await operator.json("operator", "disable", person.id)).toMatchObject([{ id: person.id, status: "disabled" }]);
	expect(await status()).not.toBe(200);
	const disabled = await operator.json<Account[]>("operator", "accounts", "--status", "disabled");
	expect(disabled.map(({ email }) => email)).toEqual([person.email]);
	const enabled = await operator.svc("operator", "enable", person.id, "acc_none");
	expect([enabled.exit, enabled.err]).toEqual([3, expect.stringContaining("error: acc_none: ")]);
	const [found] = await operator.json<Account[]>("operator", "accounts", "--email", person.email);
	expect(found).toMatchObject({ id: person.id, status: "active" });
});

test("what was mailed; the table never holds the text [cli.operator.emails]", async () => {
	const address = "mailed@example.com";
	await send(service, "POST", "/v1/sessions/login", { email: address, client: "test" });
	const [email] = await operator.json<Email[]>("operator", "emails", "--recipient", address);
	expect(email).toMatchObject({ object: "email", template: "sign_in_code", recipient: address });
	const code = /\d{6}/.exec(email?.text ?? "")?.[0] ?? "no code";
	const table = await operator.svc("operator", "emails", "--recipient", address);
	expect([table.exit, table.out.includes(address), table.out.includes(code)]).toEqual([0, true, false]);
	const person = await openProgram(service, { token: (await addPerson(service.database)).secret });
	for (const command of ["overview", "apps", "accounts", "emails"]) {
		const { exit, out } = await person.svc("operator", command);
		expect([command, out, [4, 5].includes(exit)]).toEqual([command, "", true]);
	}
	await person.close();
});

test("the clock is shown, moved forwards where payments are simulated, and never back [cli.operator.clock]", async () => {
	await using own = await serviceOf("current");
	const { operator } = own;
	const clock = (...words: readonly string[]) => operator.json<{ readonly now: string }>("operator", "clock", ...words);
	const { now } = await clock();
	const ahead = new Date(Date.parse(now) + 86_400_000).toISOString();
	expect((await clock(ahead)).now >= ahead).toBe(true);
	expect((await clock()).now >= ahead).toBe(true);
	expect((await operator.svc("operator", "clock", now)).exit).toBe(1);
	expect((await operator.svc("operator", "clock", ahead, ahead)).exit).toBe(2);
});
