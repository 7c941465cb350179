import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { noise, plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { Dice, seed } from "./seed.ts";

/* Many times as much work at once as the started program can take, by clients that often do not wait for it. Counted, not timed. */

const RENDERS = 400;
const UPLOADS = 120;
/** Of all clients. */
const ABORTED = 0.3;
const LOOKS = 30;
const dice = new Dice(seed);

let server: ServerProcess;
let headers: { Authorization: string };
beforeAll(async () => {
	// One at a time and eight in the line; ten uploads at once, and then one a second.
	server = await startProcess({
		SVC_RENDER_CONCURRENCY: "1",
		SVC_TUNING: "render_queue=8,create_burst=10",
		SVC_CREATE_RATE: "1",
		SVC_KEY_RATE: "0",
		SVC_LOG: "error",
	});
	await server.ready();
	headers = { Authorization: `Bearer ${/svc_sk_test_\w{38}/.exec(server.stdout())?.[0]}` };
});
afterAll(async () => {
	await server.stop();
	await removeData(server.dataDir);
});

/** `aborted`, or the status with what tells when to come back. */
async function outcomeOf(request: (signal: AbortSignal) => Promise<Response>): Promise<string> {
	const leaving = new AbortController();
	if (dice.chance(ABORTED)) setTimeout(() => leaving.abort(), dice.below(300));
	try {
		const answer = await request(leaving.signal);
		await answer.arrayBuffer();
		return `${answer.status}${Number(answer.headers.get("retry-after")) > 0 ? " come back" : ""}`;
	} catch (cause) {
		if (leaving.signal.aborted) return "aborted";
		throw cause;
	}
}

function upload(file: Buffer<ArrayBuffer>, signal?: AbortSignal): Promise<Response> {
	const body = new FormData();
	body.append("file", new Blob([file]), "a.png");
	return fetch(`${server.baseUrl}/v1/images`, { method: "POST", body, headers, ...(signal && { signal }) });
}

async function metric(name: string): Promise<number> {
	const text = await (await fetch(`${server.baseUrl}/metrics`)).text();
	return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? Number.NaN);
}

/** Asks for what has to be there whatever happens. */
async function look(): Promise<number[]> {
	const health = await fetch(`${server.baseUrl}/healthz`);
	const list = await fetch(`${server.baseUrl}/v1/images?limit=1`, { headers });
	return [health.status, list.status];
}

test(`${RENDERS} renditions and ${UPLOADS} uploads at once, of which ${ABORTED * 100} % are aborted: what is refused is told when to come again, and nothing is left of it (SVC_TEST_SEED=${seed})`, async () => {
	const { url } = (await (await upload(await noise(900, 700))).json()) as Image;
	const small = await plain(5, 5);

	const renders = Array.from({ length: RENDERS }, (_, n) =>
		outcomeOf((signal) => fetch(`${url}?w=${100 + n}&format=png`, { signal })),
	);
	const uploads = Array.from({ length: UPLOADS }, () => outcomeOf((signal) => upload(small, signal)));
	for (let looks = 0; looks < LOOKS; looks++) expect(await look()).toEqual([200, 200]);
	const rendered = new Set(await Promise.all(renders));
	const uploaded = new Set(await Promise.all(uploads));

	expect([...rendered].filter((one) => !["200", "503 come back", "aborted"].includes(one))).toEqual([]);
	expect([...uploaded].filter((one) => !["201", "429 come back", "503 come back", "aborted"].includes(one))).toEqual(
		[],
	);
	for (const seen of ["200", "503 come back", "aborted"]) expect(rendered).toContain(seen);
	expect(uploaded).toContain("429 come back");

	// Those who left had a place in the line only for as long as they were there.
	while ((await metric("svc_cdn_gate_waiting")) > 0 || (await metric("svc_cdn_gate_running")) > 0) await Bun.sleep(20);
	expect((await fetch(`${url}?w=99&format=png`)).status).toBe(200);
	expect(server.process.exitCode).toBeNull();
	expect(server.stderr()).toBe("");
	const incoming = join(server.dataDir, "images", "incoming");
	for (let tries = 0; tries < 4_000 && (await readdir(incoming)).length > 0; tries++) await Bun.sleep(20);
	expect(await readdir(incoming)).toEqual([]);
});
