import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { limitMs } from "../support/limits.ts";
import { plain } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";
import { form, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { ask, makeKey, makeTeam } from "../support/teams.ts";
import { openReceiver } from "../support/webhooks.ts";
import { found } from "./scoreboard.ts";
import { Dice, seed } from "./seed.ts";

/* What an App is sent while the processes that send it are killed, and while several send at once. */

const KILLS = Number(process.env.SVC_TEST_WEBHOOK_KILLS ?? 3);
const EACH = 20;
const SERVICES = 3;
const SHARED = 45;
const IN_FLIGHT_MAX = 10;
const HOOK = "/hooks";

interface Made {
	readonly key: string;
	readonly secret: string;
	readonly deliveries: (service: OpenService, state: string) => Promise<number>;
}

/** An App with an endpoint at the receiver. */
async function makeEndpoint(service: OpenService, url: string): Promise<Made> {
	const team = await makeTeam(service);
	const path = `${team.path}/webhook_endpoints`;
	const { body } = await ask(service, team.admin, "POST", path, { url, types: ["image.created"] });
	const deliveries = async (at: OpenService, state: string) => {
		const listed = await ask(at, team.admin, "GET", `${path}/${body.id}/deliveries?limit=100&state=${state}`);
		return (listed.body.data as readonly unknown[]).length;
	};
	return { key: (await makeKey(service, team.owner, team.path)).secret, secret: String(body.secret), deliveries };
}

/** The id of each event, and of the image that it is about. */
async function eventsOf({ database }: OpenService): Promise<ReadonlyMap<string, string>> {
	const query = "SELECT id, subject FROM events WHERE type = 'image.created'";
	return new Map((await database.rows(query, [])).map(([id, subject]) => [String(id), String(subject)]));
}

test(
	`${KILLS} kills while webhooks are sent: each event arrives, always under its own id and signed (SVC_TEST_SEED=${seed})`,
	async () => {
		const dice = new Dice(seed);
		const { origin, received, answers } = await openReceiver();
		const dataDir = await mkdtemp(join(tmpdir(), "svc-webhooks-kill-"));
		const env = {
			...{ SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" },
			SVC_IMPORT_ALLOW: origin.host,
		};
		answers.set(HOOK, (_, response) => void setTimeout(() => response.end(), dice.below(200)));
		const before = await openService(env);
		const { key, secret } = await makeEndpoint(before, origin.url(HOOK));
		await before.close();
		const file = await plain(7, 5);
		const headers = { Authorization: `Bearer ${key}` };

		let server = await startProcess(env);
		await server.ready();
		for (let kill = 0; kill < KILLS; kill++) {
			const sentBefore = received.length;
			const burst = Array.from({ length: EACH }, async () =>
				fetch(`${server.baseUrl}/v1/images`, { method: "POST", headers, body: form(file, "a.png") }).catch(
					() => undefined,
				),
			);
			// Some are on their way, others wait for their place.
			while (received.length === sentBefore) await Bun.sleep(5);
			await Bun.sleep(dice.below(150));
			server.process.kill("SIGKILL");
			await Promise.all([server.process.exited, ...burst]);
			server = await startProcess(env);
			await server.ready();
		}
		const ids = () => new Set(received.map((one) => one.headers["webhook-id"] ?? ""));
		const after = async () => {
			const left = await fetch(`${server.baseUrl}/v1/events?types=image.created&limit=100`, { headers });
			return ((await left.json()) as { readonly data: readonly { readonly id: string }[] }).data;
		};
		const told = await after();
		expect(told.length).toBeGreaterThanOrEqual(KILLS);
		while (!told.every(({ id }) => ids().has(id))) await Bun.sleep(20);
		expect(await server.stop()).toBe(0);

		const last = await openService(env);
		try {
			const events = await eventsOf(last);
			for (const { headers: sent, body } of received) {
				const event = new Webhook(secret).verify(body, { ...sent }) as {
					readonly id: string;
					readonly data: { readonly object: { readonly id: string } };
				};
				expect(event.id).toBe(sent["webhook-id"] ?? "");
				expect(event.data.object.id).toBe(events.get(event.id) ?? "");
			}
			expect([...ids()].sort()).toEqual([...events.keys()].sort());
			const count = async (query: string) => Number((await last.database.rows(query, []))[0]?.[0]);
			expect(await count("SELECT count(*) FROM images")).toBe(events.size);
			expect(await count("SELECT count(*) FROM webhook_deliveries")).toBe(events.size);
			expect(await count("SELECT count(*) FROM webhook_deliveries WHERE state <> 'delivered'")).toBe(0);
			found("webhooks: kill -9", { events: events.size, "sent again": received.length - events.size });
		} finally {
			await last.close();
			origin.stop();
			await removeData(dataDir);
		}
	},
	limitMs(KILLS, 60_000),
);

test.skipIf(withoutLibsql)(
	`${SERVICES} services send one App's events: each once, and no more than ten at a time together${libsqlNote}`,
	async () => {
		await using server = await startLibsql();
		const { origin, received, answers } = await openReceiver();
		const services: OpenService[] = [];
		const env = { SVC_DATABASE_URL: server.url, SVC_IMPORT_ALLOW: origin.host };
		for (let made = 0; made < SERVICES; made++) services.push(await openService(env));
		try {
			const [first] = services;
			if (first === undefined) throw new Error("there is no service");
			const { key, deliveries } = await makeEndpoint(first, origin.url(HOOK));
			const held: ServerResponse[] = [];
			let isHolding = true;
			answers.set(HOOK, (_, response) => void (isHolding ? held.push(response) : response.end()));
			const file = await plain(8, 8);
			await Promise.all(
				services.map(async (service) => {
					for (let count = 0; count < SHARED / SERVICES; count++) await uploaded(service, file, "a.png", {}, { key });
				}),
			);
			const lookAll = () => Promise.all(services.map((service) => service.lookForWebhooks()));
			do {
				await lookAll();
				await Bun.sleep(5);
			} while (held.length < IN_FLIGHT_MAX);
			await lookAll();
			expect(await deliveries(first, "pending")).toBe(SHARED);
			expect(held).toHaveLength(IN_FLIGHT_MAX);
			isHolding = false;
			for (const response of held) response.end();
			do await Promise.all(services.map((service) => service.sendWebhooks()));
			while ((await deliveries(first, "delivered")) < SHARED);
			const ids = received.map((one) => one.headers["webhook-id"] ?? "").sort();
			expect(ids).toEqual([...(await eventsOf(first)).keys()].sort());
			found("webhooks: several services", { events: ids.length, services: SERVICES });
		} finally {
			for (const service of services) await service.close();
			origin.stop();
		}
	},
	limitMs(SHARED, 1_000),
);

test.skipIf(withoutLibsql)(
	`what a service had begun to send when it was taken for dead is sent by another one at once${libsqlNote}`,
	async () => {
		await using server = await startLibsql();
		const { origin, received, answers } = await openReceiver();
		const env = { SVC_DATABASE_URL: server.url, SVC_IMPORT_ALLOW: origin.host };
		const [dead, living] = [await openService(env), await openService(env)];
		try {
			const { key, deliveries } = await makeEndpoint(dead, origin.url(HOOK));
			answers.set(HOOK, () => undefined);
			await uploaded(dead, await plain(8, 8), "a.png", {}, { key });
			await dead.lookForWebhooks();
			while (received.length < 1) await Bun.sleep(5);
			await living.sendWebhooks();
			expect(received).toHaveLength(1);
			answers.delete(HOOK);
			// As any process does once this one has been silent for long enough.
			const { process } = dead.rooms.webhooks;
			await living.database.write([{ run: sql`DELETE FROM processes WHERE id = ${process}` }]);
			await living.sendWebhooks();
			expect(received.map((one) => one.headers["webhook-id"])).toEqual(
				[...(await eventsOf(living)).keys()].flatMap((id) => [id, id]),
			);
			expect(await deliveries(living, "delivered")).toBe(1);
		} finally {
			origin.stop();
			for (const service of [dead, living]) await service.close();
		}
	},
	limitMs(2, 60_000),
);
