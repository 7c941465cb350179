import { afterAll, describe, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { verifyWebhook } from "@svc/sdk/calls/webhooks";
import { sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import type { Team } from "../../support/teams.ts";
import { type Json, openHooks, status } from "../../support/webhooks.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const hooks = await openHooks();
const { service, origin, received, answers, withEndpoint, forward } = hooks;
afterAll(() => hooks.close());

async function feedOf({ appId, viewer }: Team): Promise<readonly Json[]> {
	const answer = await send(service, "GET", "/v1/events", undefined, as(viewer, appId));
	return ((await answer.json()) as { readonly data: readonly Json[] }).data;
}

describe("what is sent", () => {
	test("is the event as the feed has it, signed as Standard Webhooks says", async () => {
		const hook = await withEndpoint();
		await hook.change();
		await service.sendWebhooks();
		const [first, ...more] = hook.got();
		const [event] = (await feedOf(hook.team)).filter(({ type }) => type === "image.created");
		expect(more).toEqual([]);
		expect(JSON.parse(first?.body ?? "")).toEqual(event);
		expect(first?.headers["webhook-id"]).toBe(event?.id);
		expect(first?.headers["content-type"]).toBe("application/json");
		// The package compares the time with the machine's own.
		const signed = new Webhook(hook.secret);
		expect(signed.verify(first?.body ?? "", { ...first?.headers })).toEqual(event as never);
		expect(await verifyWebhook(first?.body ?? "", { ...first?.headers }, hook.secret)).toEqual(event as never);
		const other = verifyWebhook(`${first?.body} `, new Headers({ ...first?.headers }), [hook.secret]);
		expect(await other.catch((error: unknown) => String(error))).toContain("another secret");
		expect(() => signed.verify(`${first?.body} `, { ...first?.headers })).toThrow();
		expect(await hook.deliveries()).toMatchObject([
			{
				event_id: event?.id,
				type: "image.created",
				state: "delivered",
				next_attempt_at: null,
				attempts: [{ status: 200, error: null }],
			},
		]);
		expect((await hook.ask("GET", hook.at)).last_delivered_at).not.toBeNull();
	});

	test("is what an endpoint asks for and nothing of before, to each endpoint for itself", async () => {
		const hook = await withEndpoint(undefined, ["image.deleted"]);
		const { id } = await hook.change();
		await hook.ask("POST", "", { url: origin.url("/hooks/all") });
		await send(service, "DELETE", `/v1/images/${id}`, undefined, as(hook.team.editor, hook.team.appId));
		await service.sendWebhooks();
		expect(hook.got().map(({ body }) => JSON.parse(body).type)).toEqual(["image.deleted"]);
		expect(received.filter(({ path }) => path === "/hooks/all")).toHaveLength(1);
	});

	test("is signed with both secrets while the old one holds, and with the new one alone after that", async () => {
		const hook = await withEndpoint();
		const { secret } = await hook.ask("POST", `${hook.at}/rotate`, { old_expires_in: "1h" });
		await hook.change();
		await service.sendWebhooks();
		const [both] = hook.got();
		for (const one of [hook.secret, String(secret)]) new Webhook(one).verify(both?.body ?? "", { ...both?.headers });
		const before = service.clock.now();
		forward(2 * HOUR_MS);
		await hook.change();
		await service.sendWebhooks();
		service.clock.set(before);
		expect(hook.got()[1]?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
		expect(hook.got()[0]?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
	});

	test("a test event, which is in no feed", async () => {
		const hook = await withEndpoint();
		const delivery = await hook.ask("POST", `${hook.at}/test`);
		await service.sendWebhooks();
		const [first] = hook.got();
		expect(new Webhook(hook.secret).verify(first?.body ?? "", { ...first?.headers })).toMatchObject({
			id: delivery.event_id,
			type: "webhook.test",
			app_id: hook.team.appId,
			data: { object: { id: hook.endpoint.id, object: "webhook_endpoint" } },
		} as never);
		expect(await hook.ask("GET", `${hook.at}/deliveries/${delivery.id}`)).toMatchObject({ state: "delivered" });
		expect((await feedOf(hook.team)).some(({ type }) => type === "webhook.test")).toBe(false);
	});

	test("is told of a delivery where that is asked for, with the address, and deliveries are found by the types of events", async () => {
		const hook = await withEndpoint();
		const tested = await hook.ask("POST", `${hook.at}/test`);
		const { id } = await hook.change();
		await send(service, "DELETE", `/v1/images/${id}`, undefined, as(hook.team.editor, hook.team.appId));
		await service.sendWebhooks();
		const typesOf = async (query: string) => (await hook.deliveries(query)).map(({ type }) => type);
		expect(await typesOf("?types=image.*")).toEqual(["image.deleted", "image.created"]);
		expect(await typesOf("?types=image.created,webhook.test")).toEqual(["image.created", "webhook.test"]);
		for (const { path, body } of hook.got()) {
			const [one] = await hook.deliveries(`?event_id=${JSON.parse(body).id}`);
			const told = await hook.ask("GET", `${hook.at}/deliveries/${one?.id}?include=request`);
			expect(told.request).toEqual({ url: origin.url(path), body });
		}
		expect((await hook.ask("GET", `${hook.at}/deliveries/${tested.id}`)).request).toBeUndefined();
		for (const [query, field] of [
			["?types=image.eaten", "types"],
			["?types=", "types"],
			[`?types=${Array(51).fill("image.created").join()}`, "types"],
			[`/${tested.id}?include=all`, "include"],
		] as const) {
			const path = `${hook.team.path}/webhook_endpoints${hook.at}/deliveries${query}`;
			const { status, fields } = await errorOf(await send(service, "GET", path, undefined, as(hook.team.viewer)));
			expect({ query, status, fields }).toEqual({ query, status: 422, fields: [field] });
		}
	});
});

describe("a receiver that fails", () => {
	test("is tried again by the schedule, under the same webhook-id, until it takes the event", async () => {
		let works = false;
		const hook = await withEndpoint((_, response) => response.writeHead(works ? 204 : 500).end("no"));
		await hook.change();
		for (const wait of [0, 6_000, 6 * MINUTE_MS]) {
			forward(wait);
			await service.sendWebhooks();
		}
		expect(hook.got()).toHaveLength(3);
		// Not before its time.
		forward(MINUTE_MS);
		await service.sendWebhooks();
		expect(hook.got()).toHaveLength(3);
		works = true;
		forward(40 * MINUTE_MS);
		await service.sendWebhooks();
		expect(new Set(hook.got().map(({ headers }) => headers["webhook-id"])).size).toBe(1);
		expect(await hook.deliveries()).toMatchObject([
			{ state: "delivered", attempts: [{ status: 500 }, { status: 500 }, { status: 500 }, { status: 204 }] },
		]);
	});

	test("is disabled with the last try after three days, and its team is told a day after the first and then", async () => {
		const hook = await withEndpoint(status(500));
		await hook.change();
		// Waits are up to a tenth longer, and each of them ends with a round: ten tries take 102 hours at most.
		for (let hours = 0; hours < 110; hours += 2) {
			await service.sendWebhooks();
			forward(2 * HOUR_MS + 7 * MINUTE_MS);
		}
		expect(hook.got()).toHaveLength(10);
		expect(await hook.ask("GET", hook.at)).toMatchObject({ state: "disabled", disabled_reason: "failing" });
		expect(await hook.deliveries("?state=failed")).toHaveLength(1);
		const query = sql`SELECT template FROM emails WHERE recipient = ${hook.team.owner.email} AND template LIKE 'webhook%' ORDER BY created_ms`;
		const mails = await service.database.read(() => service.database.queries.values<[string]>(query));
		expect(mails.flat()).toEqual(["webhook_failing", "webhook_disabled"]);
	});

	test("is gone with a 410 at once; enabled again it gets what is new, and the rest with recover", async () => {
		let code = 410;
		const hook = await withEndpoint((_, response) => response.writeHead(code).end());
		const since = new Date(service.clock.now()).toISOString();
		const first = await hook.change();
		await service.sendWebhooks();
		expect(await hook.ask("GET", hook.at)).toMatchObject({ state: "disabled", disabled_reason: "gone" });
		const missed = await hook.change();
		await service.sendWebhooks();
		expect(hook.got()).toHaveLength(1);
		code = 200;
		await hook.ask("PATCH", hook.at, { state: "enabled" });
		const later = await hook.change();
		await service.sendWebhooks();
		expect(
			hook
				.got()
				.slice(1)
				.map(({ body }) => JSON.parse(body).data.object.id),
		).toEqual([later.id]);
		await hook.ask("POST", `${hook.at}/recover`, { since });
		await service.runJobs();
		await service.sendWebhooks();
		const ids = hook
			.got()
			.slice(2)
			.map(({ body }) => JSON.parse(body).data.object.id);
		expect(ids.sort()).toEqual([first.id, missed.id].sort());
	});

	test("is asked again when it says so, and not followed where it redirects", async () => {
		const busy = await withEndpoint(status(429, { "Retry-After": "3600" }));
		await busy.change();
		const from = service.clock.now();
		await service.sendWebhooks();
		const [waits] = await busy.deliveries();
		expect(Date.parse(waits?.next_attempt_at ?? "") - from).toBeGreaterThanOrEqual(HOUR_MS);
		const moved = await withEndpoint(status(302, { Location: origin.url("/elsewhere") }));
		await moved.change();
		await service.sendWebhooks();
		expect(await moved.deliveries()).toMatchObject([{ state: "pending", attempts: [{ status: 302 }] }]);
		expect(received.some(({ path }) => path === "/elsewhere")).toBe(false);
	});

	test("does not hold up another one, and has ten on their way at the most", async () => {
		const held: ServerResponse[] = [];
		const slow = await withEndpoint((_, response) => void held.push(response));
		const quick = await withEndpoint();
		for (let made = 0; made < 12; made++) await slow.change();
		await quick.change();
		await service.lookForWebhooks();
		while (held.length < 10 || quick.got().length < 1) await Bun.sleep(5);
		await service.lookForWebhooks();
		expect(quick.got()).toHaveLength(1);
		expect(held).toHaveLength(10);
		answers.delete(slow.got()[0]?.path ?? "");
		for (const response of held) response.end();
		await service.sendWebhooks();
		expect(await slow.deliveries("?state=delivered")).toHaveLength(12);
	});
});

test("a delivery is sent again on request, with the id that it had", async () => {
	const hook = await withEndpoint();
	await hook.change();
	await service.sendWebhooks();
	const [delivery] = await hook.deliveries();
	expect(await hook.ask("POST", `${hook.at}/deliveries/${delivery?.id}/redeliver`)).toMatchObject({ state: "pending" });
	await service.sendWebhooks();
	expect(hook.got().map(({ headers }) => headers["webhook-id"])).toEqual([
		delivery?.event_id ?? "",
		delivery?.event_id ?? "",
	]);
	expect(await hook.deliveries()).toMatchObject([{ id: delivery?.id, state: "delivered" }]);
});
