import { afterAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { noise } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { until } from "../support/workers.ts";

/* The sizes that the API names are there before anybody asks for them, and a kill does not change that. */

const servers: ServerProcess[] = [];
afterAll(async () => {
	for (const server of servers) {
		server.process.kill("SIGKILL");
		await server.process.exited;
		await removeData(server.dataDir);
	}
});

async function start(env: Record<string, string> = {}): Promise<ServerProcess> {
	const server = await startProcess({ SVC_TUNING: "warm_sizes=on", SVC_CREATE_RATE: "0", SVC_KEY_RATE: "0", ...env });
	servers.push(server);
	await server.ready();
	return server;
}

async function metric({ baseUrl }: ServerProcess, pattern: RegExp): Promise<number> {
	const text = await (await fetch(`${baseUrl}/metrics`)).text();
	return Number(pattern.exec(text)?.[1] ?? 0);
}

const served = (server: ServerProcess, outcome: string) =>
	metric(server, new RegExp(`^svc_cdn_requests_total\\{outcome="${outcome}"\\} (\\d+)$`, "m"));

async function entries(server: ServerProcess, count: number): Promise<void> {
	while ((await metric(server, /^svc_cdn_cache_entries (\d+)$/m)) < count) await Bun.sleep(20);
}

async function upload({ baseUrl }: ServerProcess, key: string, file: Uint8Array<ArrayBuffer>): Promise<Image> {
	const body = new FormData();
	body.append("file", new Blob([file]), "a.jpg");
	const answer = await fetch(`${baseUrl}/v1/images`, {
		method: "POST",
		body,
		headers: { Authorization: `Bearer ${key}` },
	});
	expect(answer.status).toBe(201);
	return (await answer.json()) as Image;
}

const keyOf = ({ stdout }: ServerProcess) => /svc_sk_test_\w{38}/.exec(stdout())?.[0] ?? "";
const SIZES = ["s", "m", "l"];
/** What is served without parameters, two smaller copies, and three sizes. */
const ENTRIES = 6;

test("after the 201 of a large picture s, m and l are made, and the first visitor finds them", async () => {
	const server = await start();
	const { url } = await upload(server, keyOf(server), await noise(2_600, 2_000));
	await entries(server, ENTRIES);
	const sizes = await Promise.all(SIZES.map((size) => fetch(`${url}?size=${size}`)));
	expect(sizes.map(({ status }) => status)).toEqual([200, 200, 200]);
	expect([await served(server, "hit-memory"), await served(server, "rendered")]).toEqual([3, 0]);
});

test("they are made anew after the picture was replaced", async () => {
	const server = await start();
	const key = keyOf(server);
	const { url, id } = await upload(server, key, await noise(2_600, 2_000));
	await entries(server, ENTRIES);
	const files = async () =>
		(await readdir(join(server.dataDir, "cache"), { recursive: true })).filter((name) =>
			/^(?:small.)?[0-9a-f]{2}.[0-9a-f]{64}-/.test(name),
		);
	const before = new Set(await files());
	const body = new FormData();
	body.append("file", new Blob([await noise(2_400, 1_900)]), "b.jpg");
	const headers = { Authorization: `Bearer ${key}` };
	const replaced = await fetch(`${server.baseUrl}/v1/images/${id}/replace`, { method: "POST", body, headers });
	expect(replaced.status).toBe(200);
	await until(async () => (await files()).filter((name) => !before.has(name)).length >= ENTRIES);
	const sizes = await Promise.all(SIZES.map((size) => fetch(`${url}?size=${size}`)));
	expect(sizes.map(({ status }) => status)).toEqual([200, 200, 200]);
	expect(await served(server, "rendered")).toBe(0);
});

test("the smallest size of a picture of up to a megapixel is there with its 201, and after a kill -9 as well", async () => {
	const server = await start();
	const { url } = await upload(server, keyOf(server), await noise(600, 400));
	server.process.kill("SIGKILL");
	await server.process.exited;
	const again = await start({ SVC_DATA_DIR: server.dataDir, SVC_TUNING: "warm_sizes=off" });
	const answer = await fetch(`${url.replace(server.cdnUrl, again.cdnUrl)}?size=s`);
	expect([answer.status, await served(again, "hit-disk"), await served(again, "rendered")]).toEqual([200, 1, 0]);
});

test("off makes none", async () => {
	const server = await start({ SVC_TUNING: "warm_sizes=off" });
	const { url } = await upload(server, keyOf(server), await noise(2_600, 2_000));
	await entries(server, 3);
	expect((await fetch(`${url}?size=s`)).status).toBe(200);
	expect(await served(server, "rendered")).toBe(1);
});

test("what was due at a kill -9 is made by the next start", async () => {
	const server = await start();
	const key = keyOf(server);
	const file = await noise(1_900, 1_900);
	const urls = [];
	for (let count = 0; count < 12; count++) urls.push((await upload(server, key, file)).url);
	server.process.kill("SIGKILL");
	await server.process.exited;
	const again = await start({ SVC_DATA_DIR: server.dataDir });
	// What is served without parameters, and one smaller copy, of each.
	await entries(again, 12 * (SIZES.length + 2));
	for (const url of urls) {
		const address = url.replace(server.cdnUrl, again.cdnUrl);
		expect((await fetch(`${address}?size=m`)).status).toBe(200);
	}
	expect(await served(again, "rendered")).toBe(0);
});
