import { beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf, type TestApp } from "../../support/apps.ts";
import { addMember, addPerson, addSession, as } from "../../support/people.ts";
import { type Caller, errorOf, send } from "../../support/requests.ts";
import {
	addPlan,
	addPrice,
	type Listed,
	type ManagedPlan,
	made,
	sellingApp,
	setSelling,
} from "../../support/selling.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();
let app: TestApp;
let owner: Caller;
beforeAll(async () => {
	[app, owner] = await sellingApp(service);
});

const plansOf = (of: TestApp) => `/v1/apps/${of.id}/plans`;
const listed = (key: string, query = "") =>
	made<Listed>(send(service, "GET", `/v1/billing/plans${query}`, undefined, { key }));

describe("an App that may not sell", () => {
	test("[C] 403 to its Owner, who is told to ask; purchasing_enabled turns true with the switch [selling.on-request]", async () => {
		const [quiet, its] = await sellingApp(service, false);
		const answer = await errorOf(await send(service, "POST", plansOf(quiet), { key: "a", name: "A" }, its));
		expect([answer.status, answer.code]).toEqual([403, "forbidden"]);
		expect(answer.message).toContain("on request");
		expect(await listed(quiet.key)).toMatchObject({ purchasing_enabled: false, data: [] });
		await setSelling(service.database, quiet.id);
		expect((await send(service, "POST", plansOf(quiet), { key: "a", name: "A" }, its)).status).toBe(201);
		expect(await listed(quiet.key)).toMatchObject({ purchasing_enabled: true });
	});

	test("[C] 403 for every change once selling is switched off again, and what was there can still be read", async () => {
		const [shop, its] = await sellingApp(service);
		const plan = await addPlan(service, shop.id, its, { key: "gold" });
		const price = await addPrice(service, shop.id, plan.id, its);
		await setSelling(service.database, shop.id, false);
		const at = `${plansOf(shop)}/${plan.id}`;
		for (const [method, path, body] of [
			["PATCH", at, { name: "New" }],
			["POST", `${at}/archive`, undefined],
			["POST", `${at}/prices`, { amount: 50, currency: "usd", interval: "month" }],
			["PATCH", `${at}/prices/${price.id}`, { on_sale: false }],
		] as const) {
			expect((await send(service, method, path, body, its)).status).toBe(403);
		}
		expect(await listed(shop.key)).toMatchObject({ purchasing_enabled: false, data: [{ id: plan.id }] });
		expect((await send(service, "GET", plansOf(shop), undefined, its)).status).toBe(200);
	});
});

describe("a plan", () => {
	test("[C] 201, and the App's backend sees exactly it [selling.owner-defines, plan.fields.id, plan.fields.object, plan.fields.key, plan.fields.name, plan.fields.description, plan.fields.benefits, plan.fields.display_order, plan.fields.prices, price.fields.id, price.fields.object, price.fields.amount, price.fields.currency, price.fields.interval, price.fields.trial_days]", async () => {
		const [shop, its] = await sellingApp(service);
		const fields = { key: "gold", name: "Gold", description: "All of it.", benefits: ["a", "b"], display_order: 3 };
		const plan = await addPlan(service, shop.id, its, fields);
		const monthly = await addPrice(service, shop.id, plan.id, its, { trial_days: 7 });
		const yearly = await addPrice(service, shop.id, plan.id, its, { amount: 4_999, currency: "eur", interval: "year" });
		expect(plan).toMatchObject({ object: "plan", ...fields, archived_at: null, prices: [] });
		expect(await listed(shop.key)).toEqual({
			object: "list",
			app: { id: shop.id, object: "app", name: "Shop" },
			purchasing_enabled: true,
			data: [
				{
					id: plan.id,
					object: "plan",
					...fields,
					prices: [
						{ id: monthly.id, object: "price", amount: 499, currency: "usd", interval: "month", trial_days: 7 },
						{ id: yearly.id, object: "price", amount: 4_999, currency: "eur", interval: "year", trial_days: 0 },
					],
				},
			],
			pagination: { has_more: false, next_cursor: null, next_url: null },
		} as never);
	});

	test("200 changed where something was sent; its key is no field of a change", async () => {
		const plan = await addPlan(service, app.id, owner, { key: "change", description: "d", benefits: ["x"] });
		const at = `${plansOf(app)}/${plan.id}`;
		expect(await made<ManagedPlan>(send(service, "PATCH", at, { name: "Silver" }, owner))).toEqual({
			...plan,
			name: "Silver",
		});
		const refused = await errorOf(await send(service, "PATCH", at, { key: "other" }, owner));
		expect([refused.status, refused.fields]).toEqual([422, ["key"]]);
		const audits = sql`SELECT count(*) FROM audit WHERE event = 'plan.updated' AND target = ${plan.id}`;
		await made(send(service, "PATCH", at, { name: "Silver", benefits: ["x"] }, owner));
		expect(await countOf(service.database, audits)).toBe(1);
	});

	test("50 changes at once all happen", async () => {
		const plan = await addPlan(service, app.id, owner, { key: "busy" });
		const at = `${plansOf(app)}/${plan.id}`;
		const answers = await Promise.all(
			Array.from({ length: 10 }, (_, n) => [
				send(service, "PATCH", at, { display_order: n }, owner),
				send(service, "PATCH", at, { description: `d${n}` }, owner),
			]).flat(),
		);
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
	});

	test("one key is given out once, to whoever is first, and never again after archiving", async () => {
		const [shop, its] = await sellingApp(service);
		const tries = await Promise.all(
			Array.from({ length: 20 }, () => send(service, "POST", plansOf(shop), { key: "one", name: "One" }, its)),
		);
		expect(tries.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(422)]);
		const plan = await made<ManagedPlan>(Promise.resolve(tries.find(({ status }) => status === 201) as Response));
		await made(send(service, "POST", `${plansOf(shop)}/${plan.id}/archive`, undefined, its));
		const again = await errorOf(await send(service, "POST", plansOf(shop), { key: "one", name: "One" }, its));
		expect([again.status, again.fields]).toEqual([422, ["key"]]);
	});

	test("archived once: 409 the second time, for changes and for new prices", async () => {
		const plan = await addPlan(service, app.id, owner, { key: "old" });
		const price = await addPrice(service, app.id, plan.id, owner);
		const at = `${plansOf(app)}/${plan.id}`;
		const tries = await Promise.all(
			Array.from({ length: 10 }, () => send(service, "POST", `${at}/archive`, undefined, owner)),
		);
		expect(tries.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
		for (const [method, path, body] of [
			["PATCH", at, { name: "New" }],
			["POST", `${at}/prices`, { amount: 50, currency: "usd", interval: "month" }],
			["PATCH", `${at}/prices/${price.id}`, { on_sale: false }],
		] as const) {
			expect(await errorOf(await send(service, method, path, body, owner))).toMatchObject({
				status: 409,
				code: "state_conflict",
			});
		}
	});

	test.each([
		[{ key: "Big", name: "A" }, "key"],
		[{ key: "", name: "A" }, "key"],
		[{ key: "a".repeat(65), name: "A" }, "key"],
		[{ key: "ключ", name: "A" }, "key"],
		[{ name: "A" }, "key"],
		[{ key: "k1" }, "name"],
		[{ key: "k1", name: "" }, "name"],
		[{ key: "k1", name: " " }, "name"],
		[{ key: "k1", name: "n".repeat(101) }, "name"],
		[{ key: "k1", name: "a\u0000b" }, "name"],
		[{ key: "k1", name: "a\nb" }, "name"],
		[{ key: "k1", name: 7 }, "name"],
		[{ key: "k1", name: "A", description: "d".repeat(2_001) }, "description"],
		[{ key: "k1", name: "A", description: "\ud800" }, "description"],
		[{ key: "k1", name: "A", benefits: "x" }, "benefits"],
		[{ key: "k1", name: "A", benefits: [""] }, "benefits"],
		[{ key: "k1", name: "A", benefits: Array(31).fill("x") }, "benefits"],
		[{ key: "k1", name: "A", display_order: 1.5 }, "display_order"],
		[{ key: "k1", name: "A", prices: [] }, "prices"],
		[JSON.parse('{"key":"k1","name":"A","__proto__":{}}'), "__proto__"],
	])("422 for %j names %s", async (body, field) => {
		const answer = await errorOf(await send(service, "POST", plansOf(app), body, owner));
		expect([answer.status, answer.fields]).toEqual([422, [field]]);
	});
});

describe("naming", () => {
	const create = async (fields: object) =>
		await send(
			service,
			"POST",
			plansOf(app),
			{ key: `n${Math.random().toString(36).slice(2)}`, name: "Good", ...fields },
			owner,
		);

	test.each([
		[{ name: "Official" }, "name"],
		[{ name: "Verified Pro" }, "name"],
		[{ name: "Svc Plus" }, "name"],
		[{ description: "the official Svc plan" }, "description"],
		[{ description: "This plan is verified." }, "description"],
		[{ benefits: ["Fast", "Verified plan by Svc"] }, "benefits"],
	])(
		"422 for %j, on save and on a change [naming.on-save-or-rename, naming.plan-name, naming.plan-description, naming.plan-benefits]",
		async (fields, field) => {
			const refused = await errorOf(await create(fields));
			expect([refused.status, refused.fields]).toEqual([422, [field]]);
			const { id } = await made<ManagedPlan>(create({}));
			const renamed = await errorOf(await send(service, "PATCH", `${plansOf(app)}/${id}`, fields, owner));
			expect([renamed.status, renamed.fields]).toEqual([422, [field]]);
		},
	);

	test("201 for Gold and for a word of a feature [naming.plan-name, naming.feature-use]", async () => {
		expect((await create({ name: "Gold" })).status).toBe(201);
		expect((await create({ benefits: ["Verified badge on your profile"] })).status).toBe(201);
		expect((await create({ description: "With official stickers." })).status).toBe(201);
	});

	test("a new name is judged with the words that are there already [naming.on-save-or-rename]", async () => {
		const { id } = await made<ManagedPlan>(create({ description: "Official Silver" }));
		const answer = await errorOf(await send(service, "PATCH", `${plansOf(app)}/${id}`, { name: "Silver" }, owner));
		expect([answer.status, answer.fields]).toEqual([422, ["description"]]);
	});
});

describe("a price", () => {
	test("[C] leaves and returns to the sale; nothing else of it changes", async () => {
		const [shop, its] = await sellingApp(service);
		const plan = await addPlan(service, shop.id, its, { key: "gold" });
		const price = await addPrice(service, shop.id, plan.id, its);
		const at = `${plansOf(shop)}/${plan.id}/prices/${price.id}`;
		expect(await made(send(service, "PATCH", at, { on_sale: false }, its))).toEqual({ ...price, on_sale: false });
		expect((await listed(shop.key)).data).toEqual([]);
		expect(await made(send(service, "PATCH", at, { on_sale: true }, its))).toEqual(price);
		for (const field of ["amount", "currency", "interval", "trial_days"]) {
			const answer = await errorOf(await send(service, "PATCH", at, { on_sale: true, [field]: 1 }, its));
			expect([answer.status, answer.fields]).toEqual([422, [field]]);
		}
	});

	test.each([
		[{ amount: 0 }, "amount"],
		[{ amount: -1 }, "amount"],
		[{ amount: 4.99 }, "amount"],
		[{ amount: "499" }, "amount"],
		[{ amount: 100_000_000 }, "amount"],
		[{ currency: "USD" }, "currency"],
		[{ currency: "zzz" }, "currency"],
		[{ currency: "dollar" }, "currency"],
		[{ interval: "week" }, "interval"],
		[{ trial_days: -1 }, "trial_days"],
		[{ trial_days: 731 }, "trial_days"],
		[{ trial_days: null }, "trial_days"],
		[{ on_sale: false }, "on_sale"],
	])("422 for %j names %s", async (terms, field) => {
		const plan = await addPlan(service, app.id, owner, { key: `p${Math.random().toString(36).slice(2)}` });
		const body = { amount: 499, currency: "usd", interval: "month", ...terms };
		const answer = await errorOf(await send(service, "POST", `${plansOf(app)}/${plan.id}/prices`, body, owner));
		expect([answer.status, answer.fields]).toEqual([422, [field]]);
	});

	test("no more than 50 belong to a plan, however many are added at once", async () => {
		const plan = await addPlan(service, app.id, owner, { key: "many" });
		const body = { amount: 50, currency: "usd", interval: "month" };
		const tries = await Promise.all(
			Array.from({ length: 60 }, () => send(service, "POST", `${plansOf(app)}/${plan.id}/prices`, body, owner)),
		);
		expect(tries.filter(({ status }) => status === 201)).toHaveLength(50);
		expect(tries.filter(({ status }) => status === 422)).toHaveLength(10);
	});
});

describe("who", () => {
	test("the Owner alone changes what is sold; every role sees it [roles.owner.sold-plans]", async () => {
		const plan = await addPlan(service, app.id, owner, { key: "roles" });
		const price = await addPrice(service, app.id, plan.id, owner);
		const at = `${plansOf(app)}/${plan.id}`;
		for (const role of ["viewer", "editor", "admin"] as const) {
			const person = await addPerson(service.database);
			await addMember(service.database, app, person, role);
			expect((await send(service, "GET", plansOf(app), undefined, as(person))).status).toBe(200);
			for (const [method, path, body] of [
				["POST", plansOf(app), { key: "no", name: "No" }],
				["PATCH", at, { name: "No" }],
				["POST", `${at}/archive`, undefined],
				["POST", `${at}/prices`, { amount: 50, currency: "usd", interval: "month" }],
				["PATCH", `${at}/prices/${price.id}`, { on_sale: false }],
			] as const) {
				expect(await errorOf(await send(service, method, path, body, as(person)))).toMatchObject({
					status: 403,
					code: "forbidden",
				});
			}
		}
		expect((await send(service, "PATCH", at, { name: "Yes" }, owner)).status).toBe(200);
	});

	test("404 alike for an outsider and for what is not there; another App's plan is not there either", async () => {
		const [shop, its] = await sellingApp(service);
		const plan = await addPlan(service, app.id, owner, { key: "mine" });
		const price = await addPrice(service, app.id, plan.id, owner);
		const outsider = as(await addPerson(service.database));
		const tries = [
			send(service, "GET", plansOf(app), undefined, outsider),
			send(service, "GET", `/v1/apps/app_${"0".repeat(22)}/plans`, undefined, outsider),
			send(service, "PATCH", `${plansOf(shop)}/${plan.id}`, { name: "x" }, its),
			send(service, "PATCH", `${plansOf(shop)}/pln_${"0".repeat(22)}`, { name: "x" }, its),
			send(service, "POST", `${plansOf(shop)}/${plan.id}/archive`, undefined, its),
			send(service, "PATCH", `${plansOf(shop)}/${plan.id}/prices/${price.id}`, { on_sale: false }, its),
			send(service, "PATCH", `${plansOf(app)}/${plan.id}/prices/prc_${"0".repeat(22)}`, { on_sale: false }, owner),
		];
		for (const answer of await Promise.all(tries)) expect(answer.status).toBe(404);
	});

	test("a token needs plans:read or plans:write", async () => {
		const token = async (scope: "plans:read" | "plans:write" | "apps:write") =>
			as({ secret: await addSession(service.database, app.ownerId, { scopes: [scope] }) });
		const status = async (scope: Parameters<typeof token>[0], method: string, body?: object) =>
			(await send(service, method, plansOf(app), body, await token(scope))).status;
		expect(await status("plans:read", "GET")).toBe(200);
		expect(await status("apps:write", "GET")).toBe(403);
		expect(await status("plans:read", "POST", { key: "t", name: "T" })).toBe(403);
		expect(await status("plans:write", "POST", { key: "t", name: "T" })).toBe(201);
	});
});
