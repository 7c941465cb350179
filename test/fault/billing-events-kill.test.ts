import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { countOf } from "../support/apps.ts";
import { limitMs } from "../support/limits.ts";
import { addPerson } from "../support/people.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { type Caller, send } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import {
	addCustomer,
	type Customer,
	DAY_MS,
	lastingSession,
	openShop,
	type Shop,
	type Status,
	statusOf,
	subscribe,
	subscriptionOf,
} from "../support/subscribers.ts";
import { found } from "./scoreboard.ts";
import { Dice, seed } from "./seed.ts";

/* kill -9 while subscriptions renew, fail, end and are given: the App's feed tells each change once, and ends where each user stands. */

const KILLS = Number(process.env.SVC_TEST_BILLING_KILLS ?? 4);
const PAYING = 4;
const GIVEN = 3;
const KEPT_MS = 30 * DAY_MS;
/** The longest. */
const MONTH_MS = 31 * DAY_MS;

interface Told {
	readonly type: string;
	readonly data: { readonly object: Status };
}

interface World {
	readonly shop: Shop;
	readonly operator: Caller;
	readonly paying: readonly (Customer & { readonly subscription: string })[];
	readonly given: readonly Customer[];
}

async function prepare(service: OpenService): Promise<World> {
	const person = await addPerson(service.database, { operator: true });
	const shop = await openShop(service);
	const paying: (Customer & { readonly subscription: string })[] = [];
	for (let count = 0; count < PAYING; count++) {
		const customer = await addCustomer(service, shop);
		await subscribe(customer, count % 2 ? shop.gold : shop.silver);
		paying.push({ ...customer, subscription: (await subscriptionOf(service, customer)).id });
	}
	const given: Customer[] = [];
	for (let count = 0; count < GIVEN; count++) given.push(await addCustomer(service, shop));
	return { shop, operator: { key: await lastingSession(service, person.id, "console") }, paying, given };
}

test(
	`${KILLS} kills while subscriptions change: the feed tells each change once, and where each user stands (SVC_TEST_SEED=${seed})`,
	async () => {
		const dice = new Dice(seed);
		const dataDir = await mkdtemp(join(tmpdir(), "svc-billing-events-kill-"));
		const env = { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_LOG: "error", SVC_VARIANT: "current" };
		const before = await openService(env);
		const world = await prepare(before);
		let nowMs = before.rooms.clock.now();
		await before.close();

		let server = await startProcess(env);
		for (let kill = 0; kill < KILLS; kill++) {
			await server.ready();
			const changes = changesOf(server, world, dice, nowMs);
			nowMs += 11 * DAY_MS;
			const asked = changes.map((change) => change().catch(() => undefined));
			await Bun.sleep(dice.below(200));
			server.process.kill("SIGKILL");
			await Promise.all([server.process.exited, ...asked]);
			server = await startProcess(env);
		}
		await server.ready();
		expect(await server.stop()).toBe(0);

		const after = await openService(env);
		try {
			await after.catchUpBilling();
			await after.catchUpBilling();
			let events = 0;
			for (const customer of [...world.paying, ...world.given]) events += await compare(after, world.shop, customer);
			// What was given is told with the moment until which it was given, and nothing else is.
			const keptMs = after.rooms.clock.now() - KEPT_MS;
			const rows = await after.database.rows(
				"SELECT until_ms FROM plan_grants WHERE created_ms > ? ORDER BY until_ms",
				[keptMs],
			);
			const untils = new Set<number>();
			for (const customer of world.given)
				for (const { data } of await toldOf(after, world.shop, customer))
					if (data.object.access.expires_at !== null) untils.add(Date.parse(data.object.access.expires_at));
			expect([...untils].sort((one, other) => one - other)).toEqual(rows.map(([until]) => Number(until)));
			found("subscription events: kill -9", { events, given: rows.length });
		} finally {
			await after.close();
			await removeData(dataDir);
		}
	},
	limitMs(KILLS, 30_000),
);

test("a plan that was given longer ago than events are kept holds without an event", async () => {
	const service = await openService({ SVC_VARIANT: "current" });
	try {
		const { shop, given } = await prepare(service);
		const [customer] = given as readonly [Customer];
		const nowMs = service.clock.now();
		const body = { plan_key: "gold", until: new Date(nowMs + 2 * KEPT_MS).toISOString(), reason: "Thanks" };
		const path = `/v1/apps/${shop.app.id}/users/${customer.user.id}/grant`;
		expect((await send(service, "PUT", path, body, shop.owner)).status).toBe(200);
		expect(await compare(service, shop, customer)).toBe(1);
		service.clock.set(nowMs + KEPT_MS + DAY_MS);
		expect((await statusOf(service, customer)).access.status).not.toBe("inactive");
		expect(await compare(service, shop, customer)).toBe(0);
	} finally {
		await service.close();
	}
});

/** Changes of every kind, all at once. */
function changesOf(server: ServerProcess, { shop, operator, paying, given }: World, dice: Dice, nowMs: number) {
	const call = async (method: string, path: string, body: object | undefined, { key, headers }: Caller) =>
		await fetch(`${server.baseUrl}${path}`, {
			method,
			headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
			...(body && { body: JSON.stringify(body) }),
		});
	const any = <One>(list: readonly One[]): One => list[dice.below(list.length)] as One;
	const grantOf = ({ user }: Customer) => `/v1/apps/${shop.app.id}/users/${user.id}/grant`;
	// Each in a millisecond of its own, by which it is known again.
	const until = (place: number) => new Date(nowMs + (12 + dice.below(20)) * DAY_MS + place).toISOString();
	const give = (customer: Customer, place: number) => {
		const body = { plan_key: dice.chance(0.5) ? "gold" : "silver", until: until(place), reason: "Thanks" };
		return () => call("PUT", grantOf(customer), body, shop.owner);
	};
	const { subscription } = any(paying);
	const outcome = any(["decline", "pay", "decline"]);
	const [first, second] = [any(given), any(given)];
	return [
		() => call("POST", "/v1/operator/billing/simulate", { subscription, outcome }, operator),
		give(first, 1),
		give(second, 2),
		() => call("DELETE", grantOf(any(given)), undefined, shop.owner),
		() => call("POST", "/v1/operator/clock/advance", { to: new Date(nowMs + 11 * DAY_MS).toISOString() }, operator),
	];
}

async function toldOf(service: OpenService, shop: Shop, { user }: Customer): Promise<readonly Told[]> {
	const caller = { key: shop.app.key, headers: { "X-Svc-User": user.id } };
	const answer = await send(service, "GET", "/v1/events?limit=100&types=subscription.*", undefined, caller);
	if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
	return ((await answer.json()) as { readonly data: readonly Told[] }).data;
}

/** Each event shows another state than the one before it, is named after what changed, and the last shows what is so now. */
async function compare(service: OpenService, shop: Shop, customer: Customer): Promise<number> {
	const told = await toldOf(service, shop, customer);
	const shown = told.map(({ data }) => JSON.stringify([data.object.access, data.object.subscription]));
	expect(shown.filter((one, place) => one === shown[place - 1])).toEqual([]);
	const named = told.map(({ data }, place) => typeOf(told[place - 1]?.data.object, data.object));
	// What was before the oldest that is kept is not known any more.
	expect(told.slice(1).map(({ type }) => type)).toEqual(named.slice(1));
	const now = await statusOf(service, customer);
	if (told.length > 0) expect(told.at(-1)?.data.object).toEqual(now);
	else if (now.access.status !== "inactive")
		expect(await beganMs(service, now)).toBeLessThanOrEqual(service.rooms.clock.now() - KEPT_MS);
	return told.length;
}

/** When what holds now began: a clock that was moved far may have left its event behind the oldest that is kept. */
async function beganMs(service: OpenService, { access, subscription }: Status): Promise<number> {
	if (subscription !== null) return Date.parse(subscription.current_period_end) - MONTH_MS;
	const untilMs = Date.parse(access.expires_at ?? "");
	return await countOf(service.database, sql`SELECT max(created_ms) FROM plan_grants WHERE until_ms = ${untilMs}`);
}

function typeOf(before: Status | undefined, now: Status): string {
	const held = before !== undefined && before.access.status !== "inactive";
	if (held && now.access.status === "inactive") return "subscription.ended";
	const isNew = now.subscription !== null && now.subscription.id !== before?.subscription?.id;
	return isNew && now.subscription?.status !== "canceled" ? "subscription.created" : "subscription.updated";
}
