import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { App, ManagedPlan, ManagedPrice, ManagedSubscription } from "@svc/sdk/shapes";
import { addApp, firstApp } from "../support/apps.ts";
import { Browser } from "../support/browser.ts";
import { addMember, addPerson } from "../support/people.ts";
import { openProgram, type Program } from "../support/program.ts";
import { type StartedService, startService } from "../support/service.ts";
import { addCustomer, openShop, subscribe } from "../support/subscribers.ts";

let service: StartedService;
let owner: Program;

beforeAll(async () => {
	service = await startService();
	owner = await openProgram(service);
	await owner.json("selling", "on");
});

afterAll(async () => {
	await owner.close();
	await service.stop();
});

/** The program as another member of the first App. */
async function asMember(role: "admin" | "viewer"): Promise<Program> {
	const person = await addPerson(service.database);
	await addMember(service.database, await firstApp(service.database), person, role);
	return await openProgram(service, { token: person.secret });
}

const listed = () => owner.json<ManagedPlan[]>("plans", "list", "--all");

describe("svc plans", () => {
	test("create, list, edit and archive a plan, with what buyers are told [cli.plans]", async () => {
		const words = ["--name", "Gold", "--description", "All", "--benefit", "Large", "--benefit", "Support, always"];
		const plan = await owner.json<ManagedPlan>("plans", "create", "gold", ...words, "--order", "2");
		expect(plan).toMatchObject({
			...{ object: "plan", key: "gold", name: "Gold", description: "All" },
			...{ benefits: ["Large", "Support, always"], display_order: 2, prices: [] },
		});
		expect(plan.limits).toEqual({ images: null, bytes: null });
		const edited = await owner.json<ManagedPlan>("plans", "edit", plan.id, "--name", "Gold plus", "--benefit=");
		expect(edited).toEqual({ ...plan, name: "Gold plus", benefits: [] });
		expect(await owner.svc("plans", "archive", plan.id)).toMatchObject({ exit: 2, out: "" });
		expect((await listed())[0]?.archived_at).toBeNull();
		const archived = await owner.json<ManagedPlan>("plans", "archive", plan.id, "--yes");
		expect(archived.archived_at).toBeString();
		expect((await listed()).find(({ id }) => id === plan.id)).toEqual(archived);
		const again = await owner.svc("plans", "archive", plan.id, "--yes");
		expect([again.exit, again.err]).toEqual([6, expect.stringContaining("svc plans list")]);
	});

	test("what a plan lets a user keep, and an App those without one, is set, shown and taken away [cli.plans.limits]", async () => {
		const plan = await owner.json<ManagedPlan>("plans", "create", "small", "--images", "500", "--bytes", "1000000000");
		expect(plan.limits).toEqual({ images: 500, bytes: 1_000_000_000 });
		const edited = await owner.json<ManagedPlan>("plans", "edit", plan.id, "--images", "0", "--bytes", "none");
		expect(edited.limits).toEqual({ images: 0, bytes: null });
		expect((await owner.svc("plans", "edit", plan.id, "--images", "7")).out).toContain("images=7 bytes=none");
		const { id } = await firstApp(service.database);
		const set = (...given: string[]) => owner.json<App>("apps", "set-free-limits", id, ...given);
		expect((await set("--images", "20")).free_limits).toEqual({ images: 20, bytes: null });
		expect((await owner.svc("apps", "get", id)).out).toContain("images=20 bytes=none");
		expect((await set("--images", "none")).free_limits).toEqual({ images: null, bytes: null });
		for (const wrong of [[], ["--images", "-1"], ["--bytes", "1.5"], ["--bytes", "much"]]) {
			expect((await owner.svc("apps", "set-free-limits", id, ...wrong)).exit).toBe(2);
		}
	});

	test("a key that is taken names its field; other roles and unknown plans have their exit codes [cli.plans.refused]", async () => {
		await owner.json("plans", "create", "silver");
		const taken = await owner.svc("plans", "create", "silver");
		expect([taken.exit, taken.err]).toEqual([1, expect.stringContaining("  key: ")]);
		expect((await owner.svc("plans", "edit", "pln_none", "--name", "x")).exit).toBe(5);
		expect((await owner.svc("plans", "edit", "pln_none")).exit).toBe(2);
		expect((await owner.svc("plans", "edit", "pln_none", "--order", "first")).exit).toBe(2);
		const admin = await asMember("admin");
		expect((await admin.svc("plans", "list")).exit).toBe(0);
		const forbidden = await admin.svc("plans", "create", "mine");
		expect([forbidden.exit, forbidden.err]).toEqual([4, expect.stringContaining("Owner")]);
		await admin.close();
	});

	test("--dry-run shows the call, with the names of the wire, and makes none [cli.plans.dry]", async () => {
		const before = await listed();
		const { id } = await firstApp(service.database);
		expect(await owner.json("plans", "create", "dry", "--order", "1", "--dry-run")).toEqual([
			{ method: "POST", path: `/v1/apps/${id}/plans`, body: { key: "dry", name: "dry", display_order: 1 } },
		]);
		const terms = ["--amount", "499", "--currency", "USD", "--trial-days", "3"];
		expect(await owner.json("prices", "add", "pln_1", ...terms, "--dry-run")).toEqual([
			{
				method: "POST",
				path: `/v1/apps/${id}/plans/pln_1/prices`,
				body: { amount: 499, currency: "usd", interval: "month", trial_days: 3 },
			},
		]);
		expect(await owner.json("plans", "archive", "pln_1", "--dry-run")).toHaveLength(1);
		expect(await listed()).toEqual(before);
	});
});

describe("svc prices", () => {
	test("a price is on sale once added, goes off sale and on again; people read it as money [cli.prices]", async () => {
		const plan = await owner.json<ManagedPlan>("plans", "create", "bronze");
		const add = (...argv: string[]) => owner.svc("prices", "add", plan.id, ...argv);
		const added = await add("--amount", "499", "--currency", "usd", "--trial-days", "7");
		expect([added.exit, added.err]).toEqual([0, "On sale for 4.99 usd a month, 7 days free.\n"]);
		const price = (await listed()).find(({ id }) => id === plan.id)?.prices[0];
		expect(price).toMatchObject({ amount: 499, currency: "usd", interval: "month", trial_days: 7, on_sale: true });
		const [planId, priceId] = [plan.id, String(price?.id)];
		expect(await owner.json<ManagedPrice>("prices", "off-sale", planId, priceId)).toMatchObject({ on_sale: false });
		const line = (await owner.svc("plans", "list")).out.split("\n").find((one) => one.startsWith(planId));
		expect(line).toEndWith("4.99 usd a month, 7 days free (off sale)");
		expect(await owner.json<ManagedPrice>("prices", "on-sale", planId, priceId)).toMatchObject({ on_sale: true });
		expect((await owner.svc("prices", "on-sale", planId, "pri_none")).exit).toBe(5);
	});

	test("an amount that is no whole number of the smallest unit is refused before anything is sent [cli.prices.terms]", async () => {
		const wrong = [
			["--amount", "4.99", "--currency", "usd"],
			["--currency", "usd"],
			["--amount", "499"],
			["--amount", "499", "--currency", "dollars"],
			["--amount", "499", "--currency", "usd", "--interval", "week"],
			["--amount", "499", "--currency", "usd", "--trial-days", "some"],
		];
		for (const terms of wrong)
			expect([terms, (await owner.svc("prices", "add", "pln_1", ...terms)).exit]).toEqual([terms, 2]);
	});
});

test("operators let an App sell, and stop it; nobody else does [cli.selling]", async () => {
	const app = await addApp(service.database, "Bazaar");
	expect(await owner.json("selling", "on", "--app", app.id)).toMatchObject({ id: app.id, selling_enabled: true });
	expect(await owner.json("selling", "off", "--app", app.id)).toMatchObject({ id: app.id, selling_enabled: false });
	const person = await openProgram(service, { token: (await addPerson(service.database)).secret });
	expect((await person.svc("selling", "on", "--app", app.id)).exit).toBeOneOf([4, 5]);
	await person.close();
});

test("who pays an App, each with their invoices; not for those outside its team [cli.subscribers]", async () => {
	const shop = await openShop(service);
	const known = await addCustomer(service, shop);
	const browser = new Browser(service, service.baseUrl);
	for (const cookie of known.browser.cookies) browser.cookies.set(...cookie);
	const customer = { ...known, browser };
	await subscribe(customer, shop.gold);
	const team = await openProgram(service, { token: String(shop.owner.key), apiKey: shop.app.key });
	const [one, ...others] = await team.json<ManagedSubscription[]>("subscribers", "list");
	expect([one, others]).toEqual([expect.objectContaining({ user_id: customer.user.id, plan_key: "gold" }), []]);
	const id = String(one?.id);
	expect(await team.json<ManagedSubscription>("subscribers", "get", id)).toEqual(one as ManagedSubscription);
	const text = await team.svc("subscribers", "get", id, "-o", "table");
	expect(text.out).toContain("15.00 usd of 15.00 usd paid");
	const missing = await team.svc("subscribers", "get", "sub_none");
	expect([missing.exit, missing.err]).toEqual([5, expect.stringContaining("svc subscribers list")]);
	await team.close();
	const person = await openProgram(service, { token: (await addPerson(service.database)).secret });
	expect(await person.svc("subscribers", "list", "--app", shop.app.id)).toMatchObject({ exit: 5, out: "" });
	await person.close();
});
