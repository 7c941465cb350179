import { afterAll, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { newId } from "@svc/base/ids";
import { webhookDispatcher } from "@svc/webhooks/dispatcher";
import { sql } from "drizzle-orm";
import { type Delivery, openHooks, status } from "../../support/webhooks.ts";

/* Receivers that are away, hang or lead elsewhere, and processes that end while they send. */

const HOUR_MS = 3_600_000;
const TRY_MS = 15_000;

const hooks = await openHooks();
const { service, answers, withEndpoint, forward } = hooks;
afterAll(() => hooks.close());

const attemptsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ attempts }) => attempts.length);

/** Events of an App, straight into the feed. */
async function addEvents(appId: string, count: number): Promise<readonly string[]> {
	const ids = Array.from({ length: count }, () => newId("evt"));
	await service.database.write([
		{
			run: sql`INSERT INTO events (id, app_pk, type, subject, data, created_ms)
				SELECT event.value, pk, 'image.deleted', 'img_1', NULL, ${service.clock.now()}
				FROM apps, json_each(${JSON.stringify(ids)}) AS event WHERE apps.id = ${appId} ORDER BY event.key`,
		},
	]);
	return ids;
}

async function change(set: ReturnType<typeof sql>, id: string): Promise<void> {
	await service.database.write([{ run: sql`UPDATE webhook_endpoints SET ${set} WHERE id = ${id}` }]);
}

test("a receiver that is away for a day gets all of it once it is there again, and its team is told once", async () => {
	let isAway = true;
	const hook = await withEndpoint((_, response) => (isAway ? response.destroy() : response.end()));
	const made: string[] = [];
	for (let hours = 0; hours < 26; hours += 2) {
		if (hours % 6 === 0) made.push((await hook.change()).id);
		await service.sendWebhooks();
		forward(2 * HOUR_MS);
	}
	expect(await hook.ask("GET", hook.at)).toMatchObject({ state: "enabled", last_delivered_at: null });
	const waiting = await hook.deliveries();
	expect(waiting.map(({ state }) => state)).toEqual(made.map(() => "pending"));
	for (const { attempts } of waiting)
		for (const attempt of attempts)
			expect(attempt).toMatchObject({ status: null, error: "connection_failed", response: null });
	isAway = false;
	const failed = hook.got().length;
	forward(15 * HOUR_MS);
	await service.sendWebhooks();
	const delivered = hook.got().slice(failed);
	expect(delivered.map(({ body }) => JSON.parse(body).data.object.id).sort()).toEqual([...made].sort());
	expect((await hook.deliveries("?state=delivered")).map(({ event_id }) => event_id).sort()).toEqual(
		delivered.map(({ headers }) => headers["webhook-id"] ?? "").sort(),
	);
	const query = sql`SELECT template FROM emails WHERE recipient = ${hook.team.owner.email} AND template LIKE 'webhook%'`;
	const mails = await service.database.read(() => service.database.queries.values<[string]>(query));
	expect(mails.flat()).toEqual(["webhook_failing"]);
	// What was wrong is over: a later failure is the first one again.
	isAway = true;
	await hook.change();
	await service.sendWebhooks();
	forward(HOUR_MS);
	await service.sendWebhooks();
	const again = await service.database.read(() => service.database.queries.values<[string]>(query));
	expect(again.flat()).toEqual(["webhook_failing"]);
});

test("a receiver that hangs has fifteen seconds, in which one beside it gets everything", async () => {
	const hung = Promise.withResolvers<void>();
	const slow = await withEndpoint((_, response) => void response.once("close", hung.resolve));
	const quick = await withEndpoint();
	await slow.change();
	await quick.change();
	const beganMs = performance.now();
	await service.lookForWebhooks();
	while (slow.got().length === 0 || (await quick.deliveries("?state=delivered")).length === 0) {
		await Bun.sleep(5);
		await service.lookForWebhooks();
	}
	await quick.change();
	while ((await quick.deliveries("?state=delivered")).length < 2) {
		await service.lookForWebhooks();
		await Bun.sleep(5);
	}
	// While the other one is waited for: it has no attempt yet.
	expect(attemptsOf(await slow.deliveries())).toEqual([0]);
	await service.sendWebhooks();
	await hung.promise;
	expect(performance.now() - beganMs).toBeGreaterThanOrEqual(TRY_MS - 50);
	expect(await slow.deliveries()).toMatchObject([
		{ state: "pending", attempts: [{ status: null, error: "timeout", response: null }] },
	]);
	answers.delete(slow.got()[0]?.path ?? "");
	forward(10_000);
	await service.sendWebhooks();
	expect(await slow.deliveries("?state=delivered")).toHaveLength(1);
}, 120_000);

test("an endpoint whose address is not allowed any more is not called, and the attempt says so and nothing else", async () => {
	const hook = await withEndpoint();
	for (const url of [
		"https://10.0.0.1/hooks",
		"http://127.0.0.1:9/hooks",
		"https://localhost/",
		"file:///etc/passwd",
	]) {
		await change(sql`url = ${url}`, hook.endpoint.id);
		await hook.change();
		await service.sendWebhooks();
		const [{ attempts = [] } = {}] = await hook.deliveries();
		expect(attempts).toMatchObject([{ status: null, error: "address_not_allowed", response: null }]);
	}
	expect(hook.got()).toEqual([]);
});

test("what fails while its endpoint is disabled has failed, and is not sent when that is enabled again", async () => {
	const held: ServerResponse[] = [];
	const hook = await withEndpoint((_, response) => void held.push(response));
	await hook.change();
	await service.lookForWebhooks();
	while (held.length < 1) await Bun.sleep(5);
	await hook.ask("PATCH", hook.at, { state: "disabled" });
	for (const response of held) response.writeHead(500).end();
	await service.sendWebhooks();
	expect(await hook.deliveries()).toMatchObject([
		{ state: "failed", next_attempt_at: null, attempts: [{ status: 500 }] },
	]);
	await hook.ask("PATCH", hook.at, { state: "enabled" });
	forward(HOUR_MS);
	await service.sendWebhooks();
	expect(hook.got()).toHaveLength(1);
});

test("deliveries that another process had begun to make, and that ended there, are made by this one", async () => {
	const hook = await withEndpoint(status(200), ["image.deleted"]);
	const ids = await addEvents(hook.team.appId, 250);
	const room = service.rooms.webhooks;
	let isOther = true;
	const dispatcher = webhookDispatcher({
		...room,
		deliveries: {
			...room.deliveries,
			// The other process is faster with the first page, and is gone after it.
			async fanOut(receiver, pks, nowMs) {
				if (isOther) await room.deliveries.fanOut(receiver, pks, nowMs);
				isOther = false;
				return await room.deliveries.fanOut(receiver, pks, nowMs);
			},
		},
	});
	await dispatcher.drain();
	await dispatcher.stop();
	const got = hook.got().map(({ headers }) => headers["webhook-id"] ?? "");
	expect(got.sort()).toEqual([...ids].sort());
});
