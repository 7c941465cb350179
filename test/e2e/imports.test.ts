import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image, ImportItem, Job } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { type Origin, startOrigin } from "../support/origin.ts";
import { plain } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";

/* A process that is killed again and again while it works through a long list. */

const ITEMS = 60;
const KILLS = 4;

let origin: Origin;
let dataDir = "";

beforeAll(async () => {
	const picture = await plain(8, 6);
	dataDir = await mkdtemp(join(tmpdir(), "svc-imports-"));
	origin = await startOrigin((request, response) => {
		if (request.url?.includes("bad")) response.writeHead(404).end();
		else setTimeout(() => response.end(picture), 20);
	});
});
afterAll(async () => {
	origin.stop();
	await removeData(dataDir);
});

test("each address of an import is made once, however often its process is killed", async () => {
	const env = { SVC_DATA_DIR: dataDir, SVC_IMPORT_ALLOW: origin.host, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0" };
	let server = await startProcess(env);
	await server.ready();
	const headers = { Authorization: `Bearer ${/svc_sk_test_\w{38}/.exec(server.stdout())?.[0]}` };
	const get = async <T>(path: string) => (await (await fetch(`${server.baseUrl}/v1${path}`, { headers })).json()) as T;
	const items = Array.from({ length: ITEMS }, (_, n) => ({
		url: origin.url(n % 10 === 9 ? `/bad-${n}.png` : `/${n}.png`),
		caption: String(n),
	}));
	const begun = await fetch(`${server.baseUrl}/v1/imports`, {
		method: "POST",
		headers: { ...headers, "Content-Type": "application/json" },
		body: JSON.stringify({ items }),
	});
	const { id } = (await begun.json()) as Job;
	for (let kills = 1; kills <= KILLS; kills++) {
		const wanted = (ITEMS / (KILLS + 1)) * kills;
		while ((await get<Job>(`/imports/${id}`)).done < wanted) await Bun.sleep(5);
		server.process.kill("SIGKILL");
		await server.process.exited;
		server = await startProcess(env);
		await server.ready();
	}
	let job = await get<Job>(`/imports/${id}`);
	while (job.state !== "done") {
		await Bun.sleep(50);
		job = await get<Job>(`/imports/${id}`);
	}
	expect(job).toMatchObject({ done: ITEMS, result: { created: ITEMS - ITEMS / 10, failed: ITEMS / 10 } });
	const { data: seen } = await get<List<ImportItem>>(`/imports/${id}/items?limit=100`);
	const { data: images } = await get<List<Image>>("/images?limit=100");
	const captions = images.map(({ caption }) => Number(caption)).sort((a, b) => a - b);
	expect(captions).toEqual(items.flatMap((_, n) => (n % 10 === 9 ? [] : [n])));
	expect(seen.flatMap(({ image_id }) => image_id ?? []).sort()).toEqual(images.map((image) => image.id).sort());
	server.process.kill("SIGKILL");
	await server.process.exited;
}, 240_000);
