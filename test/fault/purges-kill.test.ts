import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { limitMs } from "../support/limits.ts";
import { plain } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";
import { openPurgeReceiver } from "../support/purges.ts";
import { form, send, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { found } from "./scoreboard.ts";
import { Dice, seed } from "./seed.ts";

/* What the caches in front are told while the processes that tell them are killed, and while several do it. */

const KILLS = Number(process.env.SVC_TEST_PURGE_KILLS ?? 4);
const EACH = 30;
const SERVICES = 3;

async function within(ms: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
	for (const end = performance.now() + ms; performance.now() < end; await Bun.sleep(20)) if (await holds()) return true;
	return false;
}

test(
	`${KILLS} kills while images are deleted: the cache in front is told of each, though it fails half of the time (SVC_TEST_SEED=${seed})`,
	async () => {
		const dice = new Dice(seed);
		await using receiver = await openPurgeReceiver();
		receiver.answer = () => [{ status: 200 }, { status: 503 }, { status: 0 }, { status: 200 }][dice.below(4)];
		const dataDir = await mkdtemp(join(tmpdir(), "svc-purges-kill-"));
		const env = {
			...{ SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" },
			...{ SVC_PURGE: `purge+${receiver.origin.url("/{tag}")}` },
		};
		const before = await openService(env);
		const headers = { Authorization: `Bearer ${before.apiKey}` };
		await before.close();
		const file = await plain(7, 5);
		const gone = new Set<string>();

		let server = await startProcess(env);
		await server.ready();
		const create = async (): Promise<string> => {
			const made = await fetch(`${server.baseUrl}/v1/images`, { method: "POST", headers, body: form(file, "a.png") });
			return ((await made.json()) as Image).id;
		};
		const remove = async (id: string): Promise<void> => {
			const answer = await fetch(`${server.baseUrl}/v1/images/${id}`, { method: "DELETE", headers }).catch(
				() => undefined,
			);
			if (answer?.status === 200) gone.add(id);
		};
		for (let kill = 0; kill < KILLS; kill++) {
			const ids = await Promise.all(Array.from({ length: EACH }, create));
			const told = receiver.calls.length;
			const burst = ids.map(remove);
			// Half of the kills while nothing was told yet, half while it is told.
			if (kill % 2 === 1) await within(5_000, () => receiver.calls.length > told);
			await Bun.sleep(dice.below(100));
			server.process.kill("SIGKILL");
			await Promise.all([server.process.exited, ...burst]);
			server = await startProcess(env);
			await server.ready();
		}
		receiver.answer = () => ({ status: 200 });
		expect(gone.size).toBeGreaterThan(KILLS);
		await within(90_000, () => [...gone].every((id) => receiver.taken().includes(id)));
		const taken = new Set(receiver.taken());
		expect([...gone].filter((id) => !taken.has(id))).toEqual([]);
		// A service that stops leaves nothing that it could have told.
		const last = await create();
		await remove(last);
		expect(await server.stop()).toBe(0);
		expect(receiver.taken()).toContain(last);
		const calls = receiver.calls.length;
		found("purges: kill -9", { told: taken.size, calls });
		await removeData(dataDir);
	},
	limitMs(KILLS, 60_000),
);

test.skipIf(withoutLibsql)(
	`${SERVICES} services on one database tell the cache in front of each change once${libsqlNote}`,
	async () => {
		await using server = await startLibsql();
		await using receiver = await openPurgeReceiver();
		const env = { SVC_DATABASE_URL: server.url, SVC_PURGE_TOKEN: "hush" };
		const services: OpenService[] = [];
		for (let made = 0; made < SERVICES; made++) {
			services.push(await openService({ ...env, SVC_PURGE: `cloudflare+${receiver.origin.url("/purge_cache")}` }));
		}
		try {
			const [first] = services as [OpenService];
			const file = await plain(8, 8);
			const ids = await Promise.all(Array.from({ length: 30 }, async () => (await uploaded(first, file, "a.png")).id));
			const lookAll = () => Promise.all(services.map((service) => service.sendPurges()));
			const deletedMs = new Map<string, number>();
			let isDone = false;
			const looking = (async () => {
				while (!isDone) {
					await lookAll();
					await Bun.sleep(700);
				}
			})();
			await Promise.all(
				ids.map(async (id, place) => {
					const service = services[place % SERVICES] as OpenService;
					expect((await send(service, "DELETE", `/v1/images/${id}`, undefined, { key: first.apiKey })).status).toBe(
						200,
					);
					deletedMs.set(id, Date.now());
				}),
			);
			await within(10_000, () => receiver.taken().length === ids.length);
			isDone = true;
			await looking;
			const told = receiver.calls.flatMap(({ tags }) => tags);
			expect([...told].sort()).toEqual([...ids].sort());
			const waits = receiver.calls.flatMap(({ tags, atMs }) => tags.map((tag) => atMs - (deletedMs.get(tag) ?? 0)));
			found("purges: several services", { "slowest, in ms": Math.max(...waits) });
		} finally {
			for (const service of services) await service.close();
		}
	},
	limitMs(1, 60_000),
);
