import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { sharp } from "@svc/imaging/sharp-settings";
import type { Image } from "@svc/sdk/shapes";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { processAlive, until, workersOf } from "../support/workers.ts";

/*
 * Workers are killed while a real service is busy with them. The bar is a minute: `SVC_TEST_WORKER_KILL_SECONDS=60 bun test test/fault/worker-kill.test.ts`.
 */

const SECONDS = Number(process.env.SVC_TEST_WORKER_KILL_SECONDS ?? "6");
const VISITORS = 6;

let server: ServerProcess;
let headers: Record<string, string>;

beforeAll(async () => {
	server = await startProcess({ SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_RENDER_CONCURRENCY: "2" });
	await server.ready();
	await until(() => /svc_sk_test_\w+/.test(server.stdout()));
	headers = { Authorization: `Bearer ${/svc_sk_test_[0-9A-Za-z]{38}/.exec(server.stdout())?.[0]}` };
});
afterAll(async () => {
	await server.stop();
	await removeData(server.dataDir);
});

const workers = () => workersOf(server.process.pid);

/** Ticks of processor time. */
function cpuOf(pid: number): number {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return Number(fields[11]) + Number(fields[12]);
	} catch {
		return 0;
	}
}

async function picture(width: number, seed: number): Promise<Blob> {
	const pixels = Uint8Array.from({ length: 64 * 64 * 3 }, (_, at) => (at * at * (seed + 7)) % 251);
	const raw = { width: 64, height: 64, channels: 3 } as const;
	const jpeg = await sharp(pixels, { raw }).resize(width, width, { kernel: "cubic" }).jpeg().toBuffer();
	return new Blob([new Uint8Array(jpeg)]);
}

/** One of each format whose address leaves something of the file out, with more in it than is shown to strangers. */
async function pictures(): Promise<readonly Blob[]> {
	const plain = sharp(await (await picture(300, 2_000)).arrayBuffer());
	const told = plain.clone().withExif({ IFD0: { Artist: "Ada" }, IFD3: { GPSLatitude: "51/1 30/1 0/1" } });
	const made = [
		told.clone().jpeg(),
		plain.clone().jpeg(),
		told.png(),
		told.clone().webp(),
		told.clone().avif(),
		plain.gif(),
	];
	return await Promise.all(made.map(async (one) => new Blob([new Uint8Array(await one.toBuffer())])));
}

async function send(file: Blob): Promise<Response> {
	const body = new FormData();
	body.append("file", file, "picture.jpg");
	return await fetch(`${server.baseUrl}/v1/images`, { method: "POST", body, headers });
}

async function sent(file: Blob): Promise<Image> {
	const answer = await send(file);
	expect(answer.status).toBe(201);
	return (await answer.json()) as Image;
}

test("one that is killed while twenty requests wait costs none of them its answer, and a new one stands soon", async () => {
	const image = await sent(await picture(1_500, 1));
	const answers = Array.from({ length: 20 }, (_, at) => fetch(`${image.url}?w=${600 + at}&blur=3`));
	await until(() => workers().length === 2);
	const [victim = 0] = workers().sort((one, other) => cpuOf(other) - cpuOf(one));
	process.kill(victim, "SIGKILL");
	expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
	await until(() => workers().length === 2 && !workers().includes(victim));
}, 120_000);

test(
	"the busiest one killed once a second: no request fails but those in it, no upload is lost, the API goes on",
	async () => {
		const image = await sent(await picture(1_200, 2));
		const endMs = performance.now() + SECONDS * 1_000;
		const statuses = new Map<number, number>();
		const stored: Image[] = [];
		let [killed, fresh, _health] = [0, 0, 0];

		async function visit(): Promise<void> {
			while (performance.now() < endMs) {
				const { status } = await fetch(`${image.url}?w=${50 + fresh++}`);
				statuses.set(status, (statuses.get(status) ?? 0) + 1);
			}
		}
		async function upload(): Promise<void> {
			for (let seed = 3; performance.now() < endMs; seed++) {
				const answer = await send(await picture(400, seed));
				if (answer.status === 201) stored.push((await answer.json()) as Image);
				else statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
			}
		}
		async function watch(): Promise<void> {
			for (; performance.now() < endMs; _health++) {
				expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
				await Bun.sleep(50);
			}
		}
		async function kill(): Promise<void> {
			let before = new Map<number, number>();
			while (performance.now() < endMs) {
				await Bun.sleep(1_000);
				const used = workers().map((pid) => [pid, cpuOf(pid) - (before.get(pid) ?? 0)] as const);
				const [busiest] = used.sort(([, one], [, other]) => other - one);
				if (busiest) process.kill(busiest[0], "SIGKILL");
				killed++;
				before = new Map(workers().map((pid) => [pid, cpuOf(pid)]));
			}
		}
		await Promise.all([...Array.from({ length: VISITORS }, visit), upload(), watch(), kill()]);
		expect(killed).toBeGreaterThan(SECONDS / 2);
		// A worker is killed with one request in it at most, and that one only fails when it meets a second kill.
		const failed = [...statuses].filter(([status]) => status !== 200).reduce((sum, [, count]) => sum + count, 0);
		expect(failed).toBeLessThanOrEqual(killed / 2);
		for (const status of statuses.keys()) expect([200, 500, 503]).toContain(status);
		expect(statuses.get(200)).toBeGreaterThan(killed);
		for (const { url } of stored) expect((await fetch(url)).status).toBe(200);
	},
	SECONDS * 1_000 + 120_000,
);

test("all stopped: what needs none goes on, and what does is answered once others stand in their place", async () => {
	const image = await sent(await picture(900, 1_000));
	const hit = `${image.url}?w=77`;
	expect((await fetch(hit)).status).toBe(200);
	const unseen = await Promise.all((await pictures()).map(sent));
	await until(() => workers().length === 2);
	const stopped = workers();
	for (const pid of stopped) process.kill(pid, "SIGSTOP");
	const cold = [fetch(`${image.url}?w=78`), fetch(`${image.url}?w=79`)];
	const own = [image, ...unseen].map(({ url }) => url);
	for (const url of [`${server.baseUrl}/healthz`, hit, ...own])
		expect([url, (await fetch(url)).status]).toEqual([url, 200]);
	for (const url of own)
		expect((await sharp(await (await fetch(url)).bytes()).metadata()).exif?.includes("GPS")).not.toBe(true);
	expect((await fetch(`${server.baseUrl}/v1/images/${image.id}`, { headers })).status).toBe(200);
	for (const answer of await Promise.all(cold)) expect([200, 503]).toContain(answer.status);
	expect((await fetch(`${image.url}?w=80`)).status).toBe(200);
	await until(() => !stopped.some(processAlive));
}, 120_000);

test("the service itself has no decoder in it", async () => {
	const maps = readFileSync(`/proc/${server.process.pid}/maps`, "latin1");
	expect(maps).not.toContain("libvips");
	await until(() => workers().length > 0);
	const [worker = 0] = workers();
	expect(readFileSync(`/proc/${worker}/maps`, "latin1")).toContain("libvips");
	expect(readFileSync(`/proc/${worker}/environ`, "latin1")).not.toContain("SVC_");
});
