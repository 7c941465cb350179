import { describe, expect, test } from "bun:test";
import type { App, ManagedPlan } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { addMember, addPerson, addSession, as } from "../../support/people.ts";
import { type Caller, errorOf, send } from "../../support/requests.ts";
import { made, sellingApp } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";

/* The limits of users' storages, as an App's team reads and sets them. */

const service = serviceFor();
const shop = madeBefore(async () => {
	const [app, owner] = await sellingApp(service);
	return { app, owner };
});
const NONE = { images: null, bytes: null };

const plansAt = () => `/v1/apps/${shop.app.id}/plans`;
const add = (body: object) => send(service, "POST", plansAt(), { name: "Plan", ...body }, shop.owner);
const edit = (plan: ManagedPlan, limits: unknown) =>
	send(service, "PATCH", `${plansAt()}/${plan.id}`, { limits }, shop.owner);
const change = (free_limits: unknown, caller: Caller = shop.owner) =>
	send(service, "PATCH", `/v1/apps/${shop.app.id}`, { free_limits }, caller);

describe("a plan's limits", () => {
	test("are both there, null where none was sent; a PATCH changes those that it names, and 0 is one", async () => {
		expect((await made<ManagedPlan>(add({ key: "none" }))).limits).toEqual(NONE);
		const plan = await made<ManagedPlan>(add({ key: "some", limits: { images: 500 } }));
		expect(plan.limits).toEqual({ images: 500, bytes: null });
		const edits = [
			[{ bytes: 1_000_000_000_000 }, { images: 500, bytes: 1_000_000_000_000 }],
			[{ images: 0 }, { images: 0, bytes: 1_000_000_000_000 }],
			[{}, { images: 0, bytes: 1_000_000_000_000 }],
			[{ images: null, bytes: null }, NONE],
		] as const;
		for (const [sent, limits] of edits) {
			expect((await made<ManagedPlan>(edit(plan, sent))).limits).toEqual(limits);
		}
		const { data } = await made<List<ManagedPlan>>(send(service, "GET", plansAt(), undefined, shop.owner));
		expect(data.map(({ limits }) => limits)).toEqual([NONE, NONE]);
	});

	test.each([null, 5, [[]], "500", { images: -1 }, { images: 1.5 }, { bytes: "1" }, { bytes: 2 ** 53 }, { users: 5 }])(
		"422 details.limits for %p, and nothing is changed",
		async (limits) => {
			const key = "refused";
			expect(await errorOf(await add({ key, limits }))).toMatchObject({ status: 422, code: "validation_error" });
			const { data } = await made<List<ManagedPlan>>(send(service, "GET", plansAt(), undefined, shop.owner));
			expect(data.map((plan) => plan.key)).not.toContain(key);
			const refused = await errorOf(await change(limits));
			expect(refused).toMatchObject({ status: 422, code: "validation_error" });
			expect(refused.fields.join()).toStartWith("free_limits");
		},
	);
});

describe("an App's free_limits", () => {
	test("are null until an Admin sets them; what is not sent stays; an Editor may not", async () => {
		const read = () => made<App>(send(service, "GET", `/v1/apps/${shop.app.id}`, undefined, shop.owner));
		expect((await read()).free_limits).toEqual(NONE);
		const caller = async (role: "admin" | "editor") => {
			const person = await addPerson(service.database);
			await addMember(service.database, shop.app, person, role);
			return as({ secret: await addSession(service.database, person.id) });
		};
		const [admin, editor] = [await caller("admin"), await caller("editor")];
		expect((await made<App>(change({ images: 20 }, admin))).free_limits).toEqual({ images: 20, bytes: null });
		expect((await errorOf(await change({ images: 30 }, editor))).code).toBe("forbidden");
		expect((await made<App>(change({ bytes: 0 }))).free_limits).toEqual({ images: 20, bytes: 0 });
		expect((await read()).free_limits).toEqual({ images: 20, bytes: 0 });
		const { data } = await made<List<{ event: string; changes: object }>>(
			send(service, "GET", `/v1/apps/${shop.app.id}/audit?event=app.free_limits_changed`, undefined, shop.owner),
		);
		expect(data.map(({ changes }) => changes)).toEqual([
			{ free_limits: { bytes: 0 } },
			{ free_limits: { images: 20 } },
		]);
		expect((await made<App>(change({ images: 20, bytes: null }))).free_limits).toEqual({ images: 20, bytes: null });
		await made(change(NONE));
	});
});
