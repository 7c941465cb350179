import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@svc/base/database/open";
import { bundleService } from "@svc/deploy/bundle";
import { sql } from "drizzle-orm";
import { addApp } from "../support/apps.ts";
import { addSession } from "../support/people.ts";
import { plain } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";
import { startChild } from "./child.ts";
import { fill } from "./full-storage.ts";
import type { HeavyCall } from "./health-client.ts";
import { forgetPeak, megabytes, printTable, residentOf, shareBelow, verdict } from "./measure.ts";
import { pictureNote, twelveMegapixels } from "./pictures.ts";
import type { Probe } from "./probe-client.ts";
import { LAUNCH } from "./service.ts";
import { printSlowDisk } from "./slow-disk.ts";

/*
 *   bun test/bench/health.ts [images]
 *
 * What /healthz waits for while the service has much to do, with an App of 100,000 images: the longest turn of the event loop in processor time, which the
 * machine's other work does not change, and beside it what a balancer sees on this machine. The built folder is run, as `npm start` runs it, twice: once
 * with something that looks at the loop's turns, and once without, for the times and the memory. At last what is waited for beside a slow disk (slow-disk.ts).
 */

const IMAGES = Number(process.argv[2] ?? 100_000);
const MOST_MS = 50;
/** Of those uploads alone: what runs afterwards finds the memory that they took. */
const BIG_UPLOADS = "20 uploads of 12 MP";
const MOST_PEAK = 215e6;
/** By then the chores of the start are over. */
const REST_MS = 4_000;

const folder = await mkdtemp(join(tmpdir(), "svc-health-"));
const picture = join(folder, "picture.jpg");
const small = join(folder, "small.jpg");
const stretches = join(folder, "stretch");
const app = { id: "", key: "", owner: "", path: "" };

type Service = Awaited<ReturnType<typeof started>>;
type Load = (service: Service) => readonly HeavyCall[];

const calls = (service: Service, path: string, more: Partial<HeavyCall> = {}): HeavyCall => ({
	...{ url: `${service.baseUrl}${path}`, method: "GET", key: app.key, times: 200, atOnce: 16 },
	...more,
});
const ids = (from: number) =>
	Array.from({ length: 100 }, (_, place) => `img_${String(from + place).padStart(22, "0")}`);

const LOADS: Readonly<Record<string, Load>> = {
	nothing: () => [],
	[BIG_UPLOADS]: (service) => [calls(service, "/v1/images", { method: "POST", file: picture, times: 20, atOnce: 20 })],
	"100 small uploads": (service) => [
		calls(service, "/v1/images", { method: "POST", file: small, times: 400, atOnce: 100 }),
	],
	"lists, an absent label": (service) => [calls(service, "/v1/images?label[!tag]&limit=100", { times: 20 })],
	"lists with their total": (service) => [calls(service, "/v1/images?include=total&limit=100")],
	"reading an image, 250 at once": (service) => [
		calls(service, `/v1/images/${ids(1)[0]}`, { times: 5_000, atOnce: 250 }),
	],
	"labels counted": (service) => [calls(service, "/v1/labels", { times: 20 })],
	"batches of 100 changes": (service) => [
		calls(service, "/v1/images/batch", {
			...{ method: "PATCH", times: 60, atOnce: 8 },
			bodies: [1, 201, 401, 601, 801].map((from) => ({ ids: ids(from), caption: "changed" })),
		}),
	],
	"batches of 100 deletes": (service) => [
		calls(service, "/v1/images/batch", {
			...{ method: "DELETE", times: 8, atOnce: 8 },
			bodies: Array.from({ length: 8 }, (_, turn) => ({ ids: ids(1_001 + turn * 100) })),
		}),
	],
	"the App is deleted": (service) => [
		calls(service, app.path, {
			...{ method: "DELETE", key: app.owner, times: 1, atOnce: 1 },
			bodies: [{ confirm_name: "Another App" }],
			until: { url: `${service.baseUrl}/metrics`, says: 'svc_jobs_total{kind="app.delete",state="done"} 1' },
		}),
	],
};

/** Makes the folder that the service is started with: an App, its owner's session, and its images. */
async function prepare(dataDir: string): Promise<void> {
	const first = await started(dataDir);
	await first.stop();
	const database = await openDatabase({ url: `file:${join(dataDir, "svc.db")}` });
	const made = await addApp(database);
	const [[appPk, storagePk] = [0, 0]] = await database.read(() =>
		database.queries.values<[number, number]>(sql`SELECT app_pk, pk FROM storages WHERE id = ${made.storageId}`),
	);
	await fill({ database }, IMAGES, { appPk, storagePk, publishedInOrder: true });
	const counted = sql`images = ${IMAGES}, bytes = ${IMAGES} * 100000`;
	await database.write([
		{ run: sql`INSERT INTO blobs (blob_key, state, since_ms) SELECT blob_key, 'live', 1 FROM images` },
		{ run: sql`UPDATE storages SET ${counted} WHERE pk = ${storagePk}` },
		{ run: sql`UPDATE apps SET plan = 'unlimited' WHERE pk = ${appPk}` },
		{ run: sql`UPDATE app_usage SET ${counted} WHERE app_pk = ${appPk}` },
	]);
	const owner = await addSession(database, made.ownerId);
	await database.close();
	Object.assign(app, { id: made.id, key: made.key, owner, path: `/v1/apps/${made.id}` });
}

async function started(dataDir: string, preload: readonly string[] = []) {
	const env = {
		...LAUNCH,
		...{ SVC_DATA_DIR: dataDir, STRETCHES_FILE: stretches, SVC_LOG: "error" },
		...{ SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_TUNING: "scrub_days=0" },
	};
	const program = [process.execPath, ...preload, join(folder, "server", "main.js")];
	const server = await startProcess(env, { program });
	await server.ready();
	await Bun.sleep(REST_MS);
	return server;
}

/** Since it was last asked, in milliseconds. */
async function longestTurn({ process: { pid } }: Service): Promise<number> {
	await rm(stretches, { force: true });
	process.kill(pid, "SIGUSR2");
	while (!(await Bun.file(stretches).exists())) await Bun.sleep(10);
	return Number(await Bun.file(stretches).text());
}

interface Seen {
	readonly turnMs: number;
	readonly p99Ms: number;
	readonly peak: number;
}

/** Runs all loads one after the other on a service of their own. */
async function measured(dataDir: string, looking: boolean): Promise<Map<string, Seen>> {
	const preload = looking ? ["--preload", new URL("./stretch-probe.ts", import.meta.url).pathname] : [];
	const service = await started(dataDir, preload);
	await using client = startChild("./health-client.ts");
	await using prober = startChild("./probe-client.ts");
	const seen = new Map<string, Seen>();
	for (const [name, load] of Object.entries(LOADS)) {
		const { pid } = service.process;
		await forgetPeak(pid);
		if (looking) await longestTurn(service);
		const probe: Probe = { url: `${service.baseUrl}/healthz`, headers: {}, seconds: 2 };
		const times: number[] = [];
		let isOver = false;
		const probing = (async () => {
			do times.push(...((await prober.ask(probe)) as readonly number[]));
			while (!isOver);
		})();
		await client.ask(load(service));
		isOver = true;
		await probing;
		const turnMs = looking ? await longestTurn(service) : Number.NaN;
		seen.set(name, { turnMs, p99Ms: shareBelow(times, 0.99), peak: (await residentOf(pid)).peak });
	}
	await service.stop();
	return seen;
}

try {
	await Bun.write(picture, await twelveMegapixels());
	await Bun.write(small, await plain(600, 400, "jpeg"));
	await bundleService(join(folder, "server"), { target: "bun" });
	const dataDir = join(folder, "data");
	await prepare(dataDir);
	await Bun.$`cp -a ${dataDir} ${dataDir}-again`.quiet();
	const turns = await measured(dataDir, true);
	const seen = await measured(`${dataDir}-again`, false);
	console.log(pictureNote);
	const rows = [...seen].map(([name, { p99Ms, peak }]) => {
		const turnMs = turns.get(name)?.turnMs ?? Number.NaN;
		const met = verdict(turnMs < MOST_MS && p99Ms < MOST_MS && (name !== BIG_UPLOADS || peak < MOST_PEAK));
		return [name, turnMs.toFixed(1), p99Ms.toFixed(1), megabytes(peak), met];
	});
	printTable(
		`/healthz beside other work, an App of ${IMAGES.toLocaleString("en")} images`,
		["", "longest turn, ms", "p99 here, ms", "peak", `${MOST_MS} ms, ${megabytes(MOST_PEAK)}`],
		rows,
	);
	await printSlowDisk(join(folder, "server"));
} finally {
	await removeData(folder);
}
