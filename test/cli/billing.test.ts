import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AppBilling, AppCheckout, Invoice, OwnPlan } from "@svc/sdk/shapes";
import { firstApp } from "../support/apps.ts";
import { payAndReturn } from "../support/billing.ts";
import { addMember, addPerson, addSession } from "../support/people.ts";
import { openProgram, type Program } from "../support/program.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let owner: Program;

beforeAll(async () => {
	service = await startService();
	owner = await openProgram(service);
});

afterAll(async () => {
	await owner.close();
	await service.stop();
});

/** The program as another member of the first App. */
async function asMember(role: "viewer"): Promise<Program> {
	const person = await addPerson(service.database);
	await addMember(service.database, await firstApp(service.database), person, role);
	return await openProgram(service, { token: person.secret });
}

const billing = <T>(...argv: string[]) => owner.json<T>("billing", ...argv);

test("an App's own plan: bought at the printed address, moved, cancelled, resumed, with its invoices [cli.billing]", async () => {
	expect(await billing<AppBilling>("status")).toMatchObject({ plan: "free", status: "inactive" });
	const nothing = await owner.svc("billing", "cancel");
	expect([nothing.exit, nothing.err]).toEqual([6, expect.stringContaining("svc billing status")]);
	const planned = await owner.json("billing", "checkout", "pro", "--dry-run");
	const { id } = await firstApp(service.database);
	expect(planned).toEqual([{ method: "POST", path: `/v1/apps/${id}/billing/checkout`, body: { plan: "pro" } }]);
	const { url, effective } = await billing<AppCheckout>("checkout", "pro");
	expect(effective).toBe("after_payment");
	await payAndReturn(service, String(url));
	expect(await billing<AppBilling>("status")).toMatchObject({ plan: "pro", status: "active" });

	const unasked = await owner.svc("billing", "checkout", "unlimited");
	expect([unasked.exit, unasked.err]).toEqual([2, expect.stringContaining("--yes")]);
	expect(await billing<AppBilling>("status")).toMatchObject({ plan: "pro", pending_plan: null });
	expect(await billing<AppCheckout>("checkout", "unlimited", "--yes")).toMatchObject({ effective: "now", url: null });

	expect(await billing<AppBilling>("cancel", "--dry-run")).toHaveLength(1 as never);
	expect(await billing<AppBilling>("cancel")).toMatchObject({ plan: "unlimited", cancel_at_period_end: true });
	expect(await billing<AppBilling>("resume")).toMatchObject({ plan: "unlimited", cancel_at_period_end: false });
	expect(await billing<{ url: string }>("payment-method")).toMatchObject({ url: expect.stringMatching(/^http/) });
	const invoices = await billing<Invoice[]>("invoices", "--all");
	expect(invoices.length).toBeGreaterThan(1);
	expect((await owner.svc("billing", "invoices")).out).toContain("\t20.00 usd\t20.00 usd\t");
});

test("a plan that nobody sells names its field; who may not is told who may [cli.billing.refused]", async () => {
	const bad = await owner.svc("billing", "checkout", "gold", "--yes");
	expect([bad.exit, bad.err]).toEqual([1, expect.stringContaining("plan: ")]);
	const viewer = await asMember("viewer");
	expect((await viewer.svc("billing", "status")).exit).toBe(0);
	const refused = await viewer.svc("billing", "cancel");
	expect([refused.exit, refused.err]).toEqual([4, expect.stringContaining("svc members list")]);
	expect(await viewer.svc("billing", "status", "--app", "app_none")).toMatchObject({ exit: 5, out: "" });
	await viewer.close();
});

test("what one pays for is listed, cancelled, resumed and withdrawn from as the person, not by a token", async () => {
	const { ownerId } = await firstApp(service.database);
	const person = await openProgram(service, { token: await addSession(service.database, ownerId) });
	const plans = <T>(...argv: string[]) => person.json<T>("account", "plans", ...argv);
	const [plan] = await plans<OwnPlan[]>("list", "--all");
	const id = plan?.id ?? "";
	expect(plan).toMatchObject({ object: "own_plan", storage: "app" });
	expect(await plans<OwnPlan>("show", id)).toMatchObject({ id, cancel_at: null });
	expect((await owner.svc("account", "plans", "list")).exit).toBe(4);
	expect(await plans("cancel", id, "--dry-run")).toEqual([{ method: "POST", path: `/v1/me/plans/${id}/cancel` }]);
	expect((await person.svc("account", "plans", "cancel", id)).exit).toBe(2);
	expect(await plans<OwnPlan>("cancel", id, "--yes")).toMatchObject({ id, cancel_at: expect.any(String) });
	expect(await plans<OwnPlan>("resume", id)).toMatchObject({ id, cancel_at: null });
	expect((await plans<Invoice[]>("invoices", id, "--all")).length).toBeGreaterThan(1);
	expect(await plans<OwnPlan>("withdraw", id, "--yes")).toMatchObject({ id, ended_at: expect.any(String) });
	await person.close();
});
