import { beforeAll, describe, expect, test } from "bun:test";
import { addKey, addUserKey, connectUser, type TestApp } from "../../support/apps.ts";
import { type Caller, errorOf, send } from "../../support/requests.ts";
import { addPlan, addPrice, type Listed, made, sellingApp } from "../../support/selling.ts";
import { openService, serviceFor } from "../../support/service.ts";

const service = serviceFor();
let app: TestApp;
let owner: Caller;
beforeAll(async () => {
	[app, owner] = await sellingApp(service);
});

const plansOf = (of: TestApp) => `/v1/apps/${of.id}/plans`;
const listed = (key: string, query = "") =>
	made<Listed>(send(service, "GET", `/v1/billing/plans${query}`, undefined, { key }));
const names = ({ data }: Listed) => data.map(({ name }) => name);

describe("GET /v1/billing/plans", () => {
	test("200 with what this App has on sale and nothing else [plans.lists-on-sale, plans.no-user, plans.envelope]", async () => {
		const [[shop, its], [other, theirs]] = [await sellingApp(service), await sellingApp(service)];
		for (const key of ["one", "two", "archived", "priceless", "withdrawn"]) {
			const plan = await addPlan(service, shop.id, its, { key, name: key });
			const price = key === "priceless" ? undefined : await addPrice(service, shop.id, plan.id, its);
			const at = `${plansOf(shop)}/${plan.id}`;
			if (key === "archived") await made(send(service, "POST", `${at}/archive`, undefined, its));
			if (key === "withdrawn") await made(send(service, "PATCH", `${at}/prices/${price?.id}`, { on_sale: false }, its));
		}
		await addPrice(service, other.id, (await addPlan(service, other.id, theirs, { key: "foreign" })).id, theirs);
		const answer = await listed(shop.key);
		expect(names(answer)).toEqual(["one", "two"]);
		expect(Object.keys(answer).sort()).toEqual(["app", "data", "object", "pagination", "purchasing_enabled"]);
	});

	test("200 for an App-wide key with read; 403 with what is missing for any other; 401 without [plans.app-wide-read]", async () => {
		const user = await connectUser(service.database, app);
		const refused = async (key: string) => {
			const { status, code, message } = await errorOf(
				await send(service, "GET", "/v1/billing/plans", undefined, { key }),
			);
			expect([status, code]).toEqual([403, "forbidden"]);
			return message;
		};
		const reader = await addKey(service.database, app, { permissions: ["read"] });
		expect((await send(service, "GET", "/v1/billing/plans", undefined, { key: reader })).status).toBe(200);
		expect(await refused(await addKey(service.database, app, { permissions: ["write"] }))).toContain("read");
		expect(await refused(await addKey(service.database, app, { reach: "bucket" }))).toContain("App-wide");
		expect(await refused(await addUserKey(service.database, app, user))).toContain("App-wide");
		expect((await service.api("/v1/billing/plans", { headers: {} })).status).toBe(401);
	});

	test("by display order, then name [plans.order]", async () => {
		const [shop, its] = await sellingApp(service);
		for (const [display_order, name] of [
			[2, "A"],
			[1, "B"],
			[1, "A"],
		] as const) {
			const plan = await addPlan(service, shop.id, its, {
				key: `${name}${display_order}`.toLowerCase(),
				name,
				display_order,
			});
			await addPrice(service, shop.id, plan.id, its);
		}
		expect(names(await listed(shop.key))).toEqual(["A", "B", "A"]);
	});

	test("50 unless asked otherwise; cursors walk over each plan once [plans.limit, plans.cursor]", async () => {
		const [shop, its] = await sellingApp(service);
		for (let n = 0; n < 51; n++) {
			const plan = await addPlan(service, shop.id, its, { key: `p${n}`, name: `Plan ${n % 7}`, display_order: n % 5 });
			await addPrice(service, shop.id, plan.id, its);
		}
		expect((await listed(shop.key)).data).toHaveLength(50);
		expect((await listed(shop.key, "?limit=1")).data).toHaveLength(1);
		const all = await listed(shop.key, "?limit=100");
		expect(all.data).toHaveLength(51);
		expect(all.pagination).toEqual({ has_more: false, next_cursor: null, next_url: null } as never);
		const walked: Listed["data"][number][] = [];
		let page = await listed(shop.key, "?limit=4");
		for (;;) {
			walked.push(...page.data);
			if (page.pagination.next_url === null) break;
			page = await made<Listed>(
				service.open(page.pagination.next_url, { headers: { Authorization: `Bearer ${shop.key}` } }),
			);
		}
		expect(walked).toEqual([...all.data]);
		const cursor = (await listed(shop.key, "?limit=1")).pagination.next_cursor ?? "";
		const foreign = await errorOf(
			await send(service, "GET", `/v1/billing/plans?cursor=${cursor}`, undefined, { key: app.key }),
		);
		expect([foreign.status, foreign.fields]).toEqual([422, ["cursor"]]);
	});

	test.each([
		["limit=0", "limit"],
		["limit=101", "limit"],
		["limit=abc", "limit"],
		["cursor=zzz", "cursor"],
		["cursor=", "cursor"],
		["limit=1&limit=2", "limit"],
		["cursor=a&cursor=b", "cursor"],
		["app=app_1", "app"],
		["app_id=app_1", "app_id"],
		["__proto__=1", "__proto__"],
	])(
		"422 for %s names %s [plans.limit-outside, plans.cursor-foreign, plans.repeated-param, plans.app-param]",
		async (query, field) => {
			const answer = await errorOf(
				await send(service, "GET", `/v1/billing/plans?${query}`, undefined, { key: app.key }),
			);
			expect([answer.status, answer.code, answer.fields]).toEqual([422, "validation_error", [field]]);
		},
	);

	test("422 for a cursor of another list [plans.cursor-foreign]", async () => {
		await addPlan(service, app.id, owner, { key: "more1" });
		await addPlan(service, app.id, owner, { key: "more2" });
		const page = await made<Listed>(send(service, "GET", `${plansOf(app)}?limit=1`, undefined, owner));
		const query = new URLSearchParams({ cursor: page.pagination.next_cursor ?? "" });
		const answer = await errorOf(await send(service, "GET", `/v1/billing/plans?${query}`, undefined, { key: app.key }));
		expect([answer.status, answer.fields]).toEqual([422, ["cursor"]]);
	});

	test("404 in the older interfaces [versioning.460-plans]", async () => {
		for (const variant of ["transition", "legacy"]) {
			const older = await openService({ SVC_VARIANT: variant });
			expect((await older.api("/v1/billing/plans")).status).toBe(404);
			await older.close();
		}
		expect((await service.api("/v1/billing/plans")).status).toBe(200);
	});
});
