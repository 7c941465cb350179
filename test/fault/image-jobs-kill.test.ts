import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Job } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { firstApp } from "../support/apps.ts";
import { limitMs } from "../support/limits.ts";
import { plain } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";
import { uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { Dice, seed } from "./seed.ts";

/* kill -9 while one job changes many images: each is changed once, and the job's figures say so. */

const KILLS = Number(process.env.SVC_TEST_JOB_KILLS ?? 3);
const IMAGES = 3_000;

test(
	`${KILLS} kills while ${IMAGES} images are labelled by one job: each is changed once, and the figures are exact (SVC_TEST_SEED=${seed})`,
	async () => {
		const dice = new Dice(seed);
		const dataDir = await mkdtemp(join(tmpdir(), "svc-image-jobs-kill-"));
		const env = { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" };
		const before = await openService(env);
		await fill(before);
		const { token } = before;
		const { id: app } = await firstApp(before.database);
		await before.close();

		let server = await startProcess(env);
		await server.ready();
		const ask = async (path: string, init: RequestInit = {}) => {
			const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
			return (await (await fetch(`${server.baseUrl}/v1${path}`, { ...init, headers })).json()) as Job;
		};
		const body = JSON.stringify({ filter: {}, act: { labels: { seen: "yes" } } });
		let job = await ask(`/apps/${app}/image_jobs`, { method: "POST", body });
		let interrupted = 0;
		for (let kill = 0; kill < KILLS; kill++) {
			const { done } = job;
			while (job.state !== "done" && job.done === done) job = await ask(`/jobs/${job.id}`);
			await Bun.sleep(dice.below(15));
			if (job.state !== "done") interrupted++;
			server.process.kill("SIGKILL");
			await server.process.exited;
			server = await startProcess(env);
			await server.ready();
		}
		while (job.state !== "done") job = await ask(`/jobs/${job.id}`);
		expect(await server.stop()).toBe(0);
		expect(interrupted).toBeGreaterThan(1);
		expect(job).toMatchObject({ total: IMAGES, done: IMAGES, result: { changed: IMAGES, skipped: {} } });

		const after = await openService(env);
		const [row] = await after.database.rows(
			`SELECT count(*), min(revision), max(revision), (SELECT count(*) FROM events WHERE type = 'image.updated'),
				(SELECT count(*) FROM image_job_items) FROM images WHERE labels ->> 'seen' = 'yes'`,
			[],
		);
		expect(row).toEqual([IMAGES, 2, 2, IMAGES, 0]);
		await after.close();
		await removeData(dataDir);
	},
	limitMs(KILLS, 20_000),
);

/** One image that was uploaded, and copies of its row. */
async function fill(service: OpenService): Promise<void> {
	const { id } = await uploaded(service, await plain(8, 6), "a.png", {}, { key: service.apiKey });
	const numbers = Array.from({ length: IMAGES - 1 }, (_, n) => n);
	const columns = sql.raw("app_pk, storage_pk, status, filename, format, width, height, bytes, sha256");
	const copies = sql`INSERT INTO images (id, blob_key, published_ms, created_ms, ${columns})
		SELECT 'img_' || substr(hex(randomblob(11)), 1, 22), 'copy_' || n.value || blob_key, published_ms, created_ms, ${columns}
		FROM images, json_each(${JSON.stringify(numbers)}) AS n WHERE images.id = ${id}`;
	const counted = sql`UPDATE storages SET images = ${IMAGES} WHERE pk = (SELECT storage_pk FROM images WHERE id = ${id})`;
	await service.database.write([{ run: copies }, { run: counted }]);
}
