import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { addApp, countOf } from "../support/apps.ts";
import { addImages } from "../support/bulk-images.ts";
import { censusOf } from "../support/census.ts";
import { limitMs } from "../support/limits.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { type OpenService, openService } from "../support/service.ts";
import { addUser, type SignedInUser } from "../support/users.ts";
import { Dice, seed } from "./seed.ts";

/* kill -9 while storages are being emptied and accounts deleted: after each restart the work goes on, and in the end all is gone. */

const KILLS = Number(process.env.SVC_TEST_JOB_KILLS ?? 5);
/** More than one commit takes, for one of them. */
const IMAGES = [550, 40, 40, 40, 40, 40];
const DAY_MS = 86_400_000;

interface Doomed {
	readonly user: SignedInUser;
	readonly path: string;
}

test(
	`${KILLS} kills during disconnects and account deletions: every job ends, counters are exact, no blob is left (SVC_TEST_SEED=${seed})`,
	async () => {
		const dice = new Dice(seed);
		const dataDir = await mkdtemp(join(tmpdir(), "svc-jobs-kill-"));
		const env = { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_LOG: "error" };
		const { doomed, kept } = await prepare(env);

		const waiting = [...doomed];
		let server = await startProcess(env);
		for (let kill = 0; kill < KILLS; kill++) {
			// Some die before they answer anybody, and with them the job that they had gone on with.
			const answers = dice.chance(0.7);
			if (answers) {
				await server.ready();
				for (const one of waiting.splice(0, dice.below(2) + 1)) void ask(server, one);
			}
			await Bun.sleep(answers ? dice.below(60) : 200 + dice.below(400));
			server.process.kill("SIGKILL");
			await server.process.exited;
			server = await startProcess(env);
		}
		await server.ready();
		for (const one of doomed) await asked(server, one);
		expect(await server.stop()).toBe(0);
		expect(server.stderr()).toBe("");

		await inspect(env, kept);
		await removeData(dataDir);
	},
	limitMs(KILLS, 20_000),
);

async function prepare(env: Record<string, string>): Promise<{ doomed: Doomed[]; kept: SignedInUser }> {
	const service = await openService(env);
	const file = Uint8Array.from(await plain(6, 6));
	const app = await addApp(service.database);
	const doomed: Doomed[] = [];
	for (const [place, count] of IMAGES.entries()) {
		const user = await addUser(service.database, app);
		await addImages(service, user.storageId, count, file);
		doomed.push({ user, path: place % 2 === 0 ? `/v1/me/connections/${app.id}` : "/v1/me" });
	}
	const kept = await addUser(service.database, app);
	await addImages(service, kept.storageId, 10, file);
	await service.close();
	return { doomed, kept };
}

function ask(server: ServerProcess, { user, path }: Doomed): Promise<Response | undefined> {
	return fetch(`${server.baseUrl}${path}`, {
		method: "DELETE",
		headers: { Authorization: `Bearer ${user.secret}` },
	}).catch(() => undefined);
}

/** Until there is nothing left to ask for: 404 without a connection, 401 without an account. */
async function asked(server: ServerProcess, one: Doomed): Promise<void> {
	for (;;) {
		const answer = await ask(server, one);
		if (answer?.status === 404 || answer?.status === 401) return;
		await Bun.sleep(20);
	}
}

async function inspect(env: Record<string, string>, kept: SignedInUser): Promise<void> {
	// The function names a folder of its own; this one has the blobs of the processes.
	const service = { ...(await openService(env)), dataDir: env.SVC_DATA_DIR ?? "" };
	// An account that is being deleted answers nobody any more: what its job had left to do when the process ended is done now.
	await service.runJobs();
	const count = (query: ReturnType<typeof sql>) => countOf(service.database, query);
	expect(await count(sql`SELECT count(*) FROM jobs WHERE state <> 'done'`)).toBe(0);
	expect(await count(sql`SELECT count(*) FROM jobs WHERE done IS NOT total`)).toBe(0);
	expect(await count(sql`SELECT count(*) FROM storages WHERE state = 'deleting'`)).toBe(0);
	expect(await count(sql`SELECT count(*) FROM connections WHERE state <> 'gone'`)).toBe(1);
	expect(await count(sql`SELECT count(*) FROM accounts WHERE deleted_ms IS NOT NULL AND email = id`)).toBe(3);
	expect(await count(sql`SELECT count(*) FROM images`)).toBe(10);
	expect(await count(sql`SELECT images FROM storages WHERE id = ${kept.storageId}`)).toBe(10);
	// Each image was deleted once, by whichever process.
	expect(await count(sql`SELECT count(*) FROM audit WHERE event = 'image.deleted'`)).toBe(deletedInAll());
	expect(await count(sql`SELECT count(*) - count(DISTINCT target) FROM audit WHERE event = 'image.deleted'`)).toBe(0);
	const census = await censusOf(service);
	expect(census.usage).toEqual(census.counted);
	expect(await service.recount()).toEqual([]);
	await sweepAll(service);
	await service.close();
}

function deletedInAll(): number {
	return IMAGES.reduce((sum, images) => sum + images, 0);
}

/** Two days later the trash is past its grace: a file is there for every row, and no other one. */
async function sweepAll(service: OpenService): Promise<void> {
	service.clock.advance(2 * DAY_MS);
	while ((await service.sweep()).blobs > 0);
	const { blobs, files, images } = await censusOf(service);
	expect([blobs.pending, blobs.dead]).toEqual([[], []]);
	expect(files).toEqual([...blobs.live].sort());
	expect(files).toHaveLength(images.length);
}
