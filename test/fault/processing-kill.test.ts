import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { countOf } from "../support/apps.ts";
import { censusOf } from "../support/census.ts";
import { corpus, corpusDir } from "../support/corpus.ts";
import { bmp, ico, svg } from "../support/kept-as-is.ts";
import { limitMs } from "../support/limits.ts";
import { noise, plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { form } from "../support/requests.ts";
import { openService } from "../support/service.ts";
import { Dice, seed } from "./seed.ts";

/* kill -9 between the answer `processing` and its end: after each restart the work goes on, and in the end every image is ready. */

/** One less than there are tries: a file that is looked at whenever the process ends would be taken for the cause. */
const KILLS = 2;
const DAY_MS = 86_400_000;

test(
	`${KILLS} kills while images are processed: each ends ready, counted once, with one blob (SVC_TEST_SEED=${seed})`,
	async () => {
		const dice = new Dice(seed);
		const dataDir = await mkdtemp(join(tmpdir(), "svc-processing-kill-"));
		const env = {
			SVC_DATA_DIR: dataDir,
			SVC_VARIANT: "legacy",
			SVC_KEY_RATE: "0",
			SVC_CREATE_RATE: "0",
			SVC_LOG: "error",
		};
		const prepared = await openService(env);
		const key = prepared.apiKey;
		await prepared.close();

		const files = [await noise(200, 150, "avif"), await plain(30, 20, "avif"), svg(), bmp(400, 300), await ico(256)];
		if (corpusDir) files.push(await corpus("alpha.heic"), await corpus("alpha.heic"));
		const answered: Image[] = [];
		let server = await startProcess(env);
		for (let kill = 0; kill < KILLS; kill++) {
			await server.ready();
			const creating = files.map(async (file) => {
				const image = await create(server, key, file);
				if (image) answered.push(image);
			});
			// Some are answered for certain, and others may not have come that far.
			await Promise.race(creating);
			await Bun.sleep(dice.below(400));
			server.process.kill("SIGKILL");
			await server.process.exited;
			await Promise.all(creating);
			server = await startProcess(env);
		}
		await server.ready();
		await settled(server, key);
		for (const image of answered) expect(await statusOf(server, key, image)).toBe("ready");
		expect(await server.stop()).toBe(0);
		expect(server.stderr()).toBe("");

		const service = { ...(await openService(env)), dataDir };
		expect(answered.length).toBeGreaterThan(0);
		expect(await countOf(service.database, sql`SELECT count(*) FROM images WHERE status <> 'ready'`)).toBe(0);
		expect(await countOf(service.database, sql`SELECT count(*) FROM jobs WHERE state <> 'done'`)).toBe(0);
		service.clock.advance(2 * DAY_MS);
		while ((await service.sweep()).blobs > 0);
		const census = await censusOf(service);
		expect(census.usage).toEqual(census.counted);
		expect(census.uploads).toBe(census.images.length);
		expect([census.blobs.pending, census.blobs.dead, census.incoming]).toEqual([[], [], []]);
		expect(census.files).toEqual([...census.blobs.live].sort());
		expect(census.files).toHaveLength(census.images.length);
		await service.close();
		await removeData(dataDir);
	},
	limitMs(KILLS, 30_000),
);

/** Undefined where the process was gone before it answered. */
async function create(server: ServerProcess, key: string, file: BlobPart): Promise<Image | undefined> {
	const answer = await fetch(`${server.baseUrl}/v1/images`, {
		method: "POST",
		headers: { Authorization: `Bearer ${key}` },
		body: form(file, "picture"),
	}).catch(() => undefined);
	return (await answer?.json().catch(() => undefined)) as Image | undefined;
}

async function settled(server: ServerProcess, key: string): Promise<void> {
	for (let tries = 0; tries < 4_000; tries++) {
		const answer = await fetch(`${server.baseUrl}/v1/images?limit=100`, {
			headers: { Authorization: `Bearer ${key}` },
		});
		const { data } = (await answer.json()) as { data: Image[] };
		if (data.every(({ status }) => status === "ready")) return;
		await Bun.sleep(50);
	}
	throw new Error("images are still being processed");
}

async function statusOf(server: ServerProcess, key: string, { id }: Image): Promise<string> {
	const answer = await fetch(`${server.baseUrl}/v1/images/${id}`, { headers: { Authorization: `Bearer ${key}` } });
	return ((await answer.json()) as Image).status;
}
