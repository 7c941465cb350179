import { beforeAll, expect, test } from "bun:test";
import { keptKey } from "@svc/base/database/secrets/deployment-secret-store";
import { catchUp } from "@svc/billing/catch-up";
import type { Processor } from "@svc/billing/ports";
import { receiveEvent, workOffLeft } from "@svc/billing/processor/deliveries";
import { rounds } from "@svc/billing/processor/rounds";
import { sharedRuns } from "@svc/billing/processor/shared-runs";
import type { Billing } from "@svc/billing/room";
import { SIGNATURE_HEADER, sign, signingKey } from "@svc/billing/simulated/events";
import { syncSubscription } from "@svc/billing/subscriptions/subscription-readings";
import { sql } from "drizzle-orm";
import { addApp, countOf } from "../../support/apps.ts";
import { payAndReturn } from "../../support/billing.ts";
import { addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();
let operator: TestPerson;
let key: CryptoKey;
beforeAll(async () => {
	operator = await addPerson(service.database, { operator: true });
	key = await signingKey(await keptKey(service.database, service.rooms.billing.keyring, "simulated-events"));
});

const now = () => service.rooms.clock.now();
const deliver = (raw: string, signature: string) =>
	service.api("/v1/processor/events", { method: "POST", body: raw, headers: { [SIGNATURE_HEADER]: signature } });
const events = (id: string) =>
	countOf(service.database, sql`SELECT count(*) FROM processor_events WHERE id = ${id} AND done_ms IS NOT NULL`);

/** Billing of another process on the same database, with its own connection to the processor. */
const otherProcess = (processor: Processor): Billing => ({
	...service.rooms.billing,
	readings: sharedRuns(),
	rounds: rounds(),
	processor,
});

async function subscribedRef(): Promise<{ readonly ref: string; readonly revision: () => Promise<number> }> {
	const app = await addApp(service.database);
	const owner = as({ secret: await addSession(service.database, app.ownerId) });
	const path = `/v1/apps/${app.id}/billing/checkout`;
	const { url } = await made<{ url: string }>(send(service, "POST", path, { plan: "pro" }, owner));
	await payAndReturn(service, url);
	const ofApp = sql`app_pk = (SELECT pk FROM apps WHERE id = ${app.id})`;
	const [row] = await service.database.read(() =>
		service.database.queries.values<[string]>(sql`SELECT ref FROM subscriptions WHERE ${ofApp}`),
	);
	const revision = () => countOf(service.database, sql`SELECT revision FROM subscriptions WHERE ${ofApp}`);
	return { ref: row?.[0] ?? "", revision };
}

test("[C] a signed delivery is taken once, however often it comes", async () => {
	const { ref, revision } = await subscribedRef();
	const raw = JSON.stringify({ id: "evt_once", type: "subscription.updated", subscription: ref });
	const before = await revision();
	const signature = await sign(key, raw, now());
	const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(raw, signature)));
	expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
	expect(await revision()).toBe(before + 1);
	expect(await events("evt_once")).toBe(1);
});

test("[C] what a delivery says is not believed: it is asked for", async () => {
	const { ref } = await subscribedRef();
	const raw = JSON.stringify({ id: "evt_lie", type: "subscription.ended", subscription: ref, status: "canceled" });
	expect((await deliver(raw, await sign(key, raw, now()))).status).toBe(200);
	const live = sql`SELECT count(*) FROM subscriptions WHERE ref = ${ref} AND status = 'active' AND ended_ms IS NULL`;
	expect(await countOf(service.database, live)).toBe(1);
});

test("[C] an answer of the processor that comes late does not undo what was read after it was given", async () => {
	const { ref } = await subscribedRef();
	const { processor } = service.rooms.billing;
	const { subscriptions } = service.rooms.billing;
	const { promise: released, resolve: release } = Promise.withResolvers<void>();
	let answers = 0;
	const slow: Processor = {
		...processor,
		async retrieve(subscription) {
			const snapshot = await processor.retrieve(subscription);
			answers += 1;
			if (answers === 1) await released;
			return snapshot;
		},
	};
	const late = syncSubscription(otherProcess(slow), ref);
	while (answers === 0) await Bun.sleep(1);
	await processor.cancel(ref, "now");
	await syncSubscription(service.rooms.billing, ref);
	release();
	expect(await late).toMatchObject({ status: "canceled" });
	expect(await subscriptions.findByRef(processor.name, ref)).toMatchObject({ status: "canceled" });
	expect(answers).toBe(2);
});

test("[C] a delivery that was interrupted is worked off later", async () => {
	const { ref } = await subscribedRef();
	const { processor } = service.rooms.billing;
	const { received } = service.rooms.billing;
	const broken: Processor = { ...processor, retrieve: () => Promise.reject(new Error("down")) };
	await receiveEvent(otherProcess(broken), { id: "evt_late", type: "x", subscription: ref });
	expect(await events("evt_late")).toBe(0);
	service.clock.advance(31_000);
	await service.catchUpBilling();
	expect(await events("evt_late")).toBe(1);
	expect(await received.listLeft(processor.name, { fromMs: 0, beforeMs: now(), nowMs: now() }, 10)).toEqual([]);
});

test("a delivery about a subscription that none of our checkouts began changes nothing, and one about none is taken", async () => {
	for (const [id, subscription] of [
		["evt_none", null],
		["evt_unknown", "sims_unknown"],
	] as const) {
		const raw = JSON.stringify({ id, type: "other", subscription });
		expect((await deliver(raw, await sign(key, raw, now()))).status).toBe(200);
	}
	expect(await events("evt_none")).toBe(1);
});

test("200 for what is signed and is no event: counted, logged once by its type, kept nowhere", async () => {
	const logged = () => service.log.lines.filter(({ message }) => message.includes("concerns no subscription")).length;
	const before = logged();
	const kept = await countOf(service.database, sql`SELECT count(*) FROM processor_events`);
	for (const raw of [
		"{}",
		"null",
		"[]",
		"17",
		"not json",
		`{"id":"evt_1"}`,
		`{"id":7,"type":"x","subscription":null}`,
	]) {
		for (let time = 0; time < 2; time++) {
			expect((await deliver(raw, await sign(key, raw, now()))).status).toBe(200);
		}
	}
	expect(await countOf(service.database, sql`SELECT count(*) FROM processor_events`)).toBe(kept);
	expect(logged() - before).toBeLessThanOrEqual(1);
	for (const id of ["evt_kind_1", "evt_kind_2"]) {
		const raw = JSON.stringify({ id, type: "invoice.of_another_kind", subscription: null });
		expect((await deliver(raw, await sign(key, raw, now()))).status).toBe(200);
	}
	const kinds = service.log.lines.filter(({ facts }) => JSON.stringify(facts).includes("invoice.of_another_kind"));
	expect(kinds).toHaveLength(1);
	const metrics = await (await service.open("http://localhost:3000/metrics")).text();
	expect(metrics).toMatch(/svc_billing_deliveries_total\{outcome="ignored"\} \d+/);
});

test("a subscription that the processor does not know is asked for five times in an hour, and then not any more", async () => {
	const { processor } = service.rooms.billing;
	const asked: number[] = [];
	const began = now();
	const room = otherProcess({
		...processor,
		retrieve(subscription) {
			if (subscription === "sims_strange") asked.push(Math.round((now() - began) / 60_000));
			return processor.retrieve(subscription);
		},
	});
	await receiveEvent(room, { id: "evt_strange", type: "x", subscription: "sims_strange" });
	for (let minute = 0; minute < 180; minute++) {
		service.clock.advance(60_000);
		await workOffLeft(room);
	}
	expect(asked).toHaveLength(5);
	expect(asked.at(-1)).toBeLessThanOrEqual(65);
	expect(await events("evt_strange")).toBe(1);
});

test("401 for a delivery that is unsigned, altered, signed by another key, or old; nothing of it is kept", async () => {
	const raw = JSON.stringify({ id: "evt_bad", type: "x", subscription: null });
	const other = await signingKey(new Uint8Array(32));
	const signedMs = now();
	const good = await sign(key, raw, signedMs);
	const tries: [string, string][] = [
		[raw, ""],
		[raw, "t=1,v1=00"],
		[`${raw} `, good],
		[raw, good.replace(`t=${signedMs}`, `t=${signedMs - 1}`)],
		[raw, await sign(other, raw, now())],
		[raw, await sign(key, raw, now() - 301_000)],
		[raw, await sign(key, raw, now() + 301_000)],
	];
	for (const [body, signature] of tries) {
		expect(await errorOf(await deliver(body, signature))).toMatchObject({ status: 401, code: "unauthorized" });
	}
	expect(await countOf(service.database, sql`SELECT count(*) FROM processor_events WHERE id = 'evt_bad'`)).toBe(0);
	expect((await deliver("x".repeat(1_100_000), good)).status).toBe(400);
});

test("the clock moves forwards for the whole service and never backwards; only operators move it", async () => {
	const advance = (to: unknown, caller = as(operator)) =>
		send(service, "POST", "/v1/operator/clock/advance", { to }, caller);
	const to = now() + 3_600_000;
	const moved = await made<{ object: string; now: string }>(advance(new Date(to).toISOString()));
	expect(moved.object).toBe("clock");
	expect(Date.parse(moved.now)).toBeGreaterThanOrEqual(to);
	expect(now()).toBeGreaterThanOrEqual(to);
	for (const bad of [new Date(to - 60_000).toISOString(), "soon", 17, null, "9999-01-01T00:00:00Z"]) {
		const answer = await errorOf(await advance(bad));
		expect([answer.status, answer.fields]).toEqual([422, ["to"]]);
	}
	const person = await addPerson(service.database);
	expect((await advance(new Date(to + 1e6).toISOString(), as(person))).status).toBe(403);
	const image = await service.api("/v1/images", {
		method: "GET",
		headers: { Authorization: `Bearer ${service.apiKey}` },
	});
	expect(image.status).toBe(200);
});

test("404 for simulating what is no subscription; 422 for an outcome that there is not", async () => {
	const simulate = (body: object) => send(service, "POST", "/v1/operator/billing/simulate", body, as(operator));
	expect((await simulate({ subscription: `sub_${"0".repeat(22)}`, outcome: "pay" })).status).toBe(404);
	expect((await simulate({ subscription: "x", outcome: "pay" })).status).toBe(404);
	const answer = await errorOf(await simulate({ subscription: "x", outcome: "rob" }));
	expect([answer.status, answer.fields]).toEqual([422, ["outcome"]]);
});

test("[C] simulating and moving the clock are audited, with who did it and in which request", async () => {
	const { ref } = await subscribedRef();
	const [row] = await service.database.read(() =>
		service.database.queries.values<[string]>(sql`SELECT id FROM subscriptions WHERE ref = ${ref}`),
	);
	const subscription = row?.[0] ?? "";
	for (const outcome of ["pay", "decline"]) {
		await made(send(service, "POST", "/v1/operator/billing/simulate", { subscription, outcome }, as(operator)));
	}
	await made(
		send(service, "POST", "/v1/operator/clock/advance", { to: new Date(now() + 9_000).toISOString() }, as(operator)),
	);
	const entries = await service.database.read(() =>
		service.database.queries.values<[string, string | null, string]>(
			sql`SELECT actor, request_id, changes FROM audit WHERE target = ${subscription} AND event = 'operator.billing_simulated' ORDER BY pk`,
		),
	);
	expect(entries.map(([actor, request, changes]) => [actor, request !== null, changes])).toEqual([
		[operator.id, true, `{"outcome":"pay"}`],
		[operator.id, true, `{"outcome":"decline"}`],
	]);
	const moved = sql`SELECT count(*) FROM audit WHERE event = 'operator.clock_advanced' AND actor = ${operator.id}
		AND request_id IS NOT NULL`;
	expect(await countOf(service.database, moved)).toBeGreaterThan(0);
});

// The last one: nobody is signed in any more a month later.
test("[C] deliveries that can never be worked off keep no newer one waiting, and are left alone after a month", async () => {
	const { ref } = await subscribedRef();
	const { processor } = service.rooms.billing;
	const broken: Processor = { ...processor, retrieve: () => Promise.reject(new Error("no such subscription")) };
	for (let made = 0; made < 120; made++) {
		await receiveEvent(otherProcess(broken), { id: `evt_lost_${made}`, type: "x", subscription: "sims_lost" });
	}
	service.clock.advance(1_000);
	await receiveEvent(otherProcess(broken), { id: "evt_newer", type: "x", subscription: ref });
	service.clock.advance(31_000);
	const tried: string[] = [];
	const watched: Processor = {
		...processor,
		retrieve(subscription) {
			tried.push(subscription);
			return subscription === ref ? processor.retrieve(ref) : broken.retrieve(subscription);
		},
	};
	await catchUp(otherProcess(watched));
	expect([await events("evt_newer"), await events("evt_lost_0")]).toEqual([1, 0]);
	expect(tried).toContain("sims_lost");
	service.clock.advance(31 * 24 * 3_600_000);
	tried.length = 0;
	await catchUp(otherProcess(watched));
	expect(tried).not.toContain("sims_lost");
});
