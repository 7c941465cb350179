import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@svc/base/database/client";
import { openDatabase } from "@svc/base/database/open";
import { newJob } from "@svc/jobs/jobs";
import { jobStore } from "@svc/jobs/jobs-store";
import type { Image } from "@svc/sdk/shapes";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { fakeS3 } from "../support/s3.ts";

/* Three machines: processes with a folder each, on one libSQL server and one bucket. */

const PATIENCE_MS = 45_000;

let database: LibsqlServer;
let s3: Awaited<ReturnType<typeof fakeS3>>;
let folder = "";
let rows: Database;
const machines: ServerProcess[] = [];
let headers: Readonly<Record<string, string>> = {};

async function startMachine(): Promise<ServerProcess> {
	const machine = await startProcess({
		...s3.env,
		SVC_DATABASE_URL: database.url,
		SVC_DATA_DIR: await mkdtemp(join(folder, "machine-")),
		SVC_KEY_RATE: "0",
		SVC_CREATE_RATE: "0",
		SVC_DRAIN_SECONDS: "5",
	});
	machines.push(machine);
	await machine.ready();
	return machine;
}

beforeAll(async () => {
	if (withoutLibsql) return;
	database = await startLibsql();
	rows = await openDatabase({ url: database.url });
	s3 = await fakeS3();
	folder = await mkdtemp(join(tmpdir(), "svc-fleet-"));
	for (let number = 0; number < 3; number++) await startMachine();
	headers = { Authorization: `Bearer ${/svc_sk_test_\w{38}/.exec(machine(0).stdout())?.[0]}` };
});
afterAll(async () => {
	if (withoutLibsql) return;
	for (const { process } of machines) {
		process.kill("SIGKILL");
		await process.exited;
	}
	await s3.close();
	await rows.close();
	await database[Symbol.asyncDispose]();
	await removeData(folder);
});

function machine(number: number): ServerProcess {
	const found = machines[number];
	if (!found) throw new Error("it was not started");
	return found;
}

async function upload({ baseUrl }: ServerProcess, key?: string): Promise<Response> {
	const body = new FormData();
	body.append("file", new Blob([await plain(200, 100)]), "a.png");
	const keyed = key === undefined ? headers : { ...headers, "Idempotency-Key": key };
	return await fetch(`${baseUrl}/v1/images`, { method: "POST", body, headers: keyed });
}

async function uploaded(at: ServerProcess): Promise<Image> {
	const answer = await upload(at);
	expect(answer.status).toBe(201);
	return (await answer.json()) as Image;
}

async function render({ cdnUrl }: ServerProcess, { url }: Image): Promise<void> {
	expect((await fetch(`${cdnUrl}${new URL(url).pathname}?w=50`)).status).toBe(200);
}

/** The renditions of an image on a machine's disk. */
async function keptOf({ dataDir }: ServerProcess, { id }: Image): Promise<number> {
	const names = await readdir(join(dataDir, "cache"), { recursive: true });
	return names.filter((name) => name.includes(id)).length;
}

async function until(holds: () => Promise<boolean>): Promise<number> {
	const startedMs = performance.now();
	while (!(await holds())) {
		if (performance.now() - startedMs > PATIENCE_MS) throw new Error("it did not come to pass");
		await Bun.sleep(100);
	}
	return performance.now() - startedMs;
}

async function leads({ baseUrl }: ServerProcess): Promise<boolean> {
	return (await (await fetch(`${baseUrl}/metrics`)).text()).includes("\nsvc_leads 1");
}

/** Each asks the bucket for the size of every original. */
async function startJobs(count: number): Promise<void> {
	const jobs = jobStore(rows, "");
	const by = { actor: "acc_1", requestId: null, nowMs: Date.now() };
	for (let made = 0; made < count; made++) await jobs.enqueue(newJob("reconcile", {}), by);
}

async function jobsIn(state: string): Promise<unknown> {
	const [row] = await rows.rows("SELECT count(*) FROM jobs WHERE kind = 'reconcile' AND state = ?", [state]);
	return row?.[0];
}

/** How many originals the bucket was given so far, or is being given. */
const putsSeen = () => s3.seen.filter(({ method, path }) => method === "PUT" && path.includes("img_")).length;

const everywhere = async (image: Image) => await Promise.all(machines.slice(0, 3).map((one) => keptOf(one, image)));

describe.skipIf(withoutLibsql)(`three machines${libsqlNote}`, () => {
	test("tell no time of a backup: the database server makes its own, and nobody is to be woken for ours", async () => {
		for (const { baseUrl } of machines.slice(0, 3)) {
			const text = await (await fetch(`${baseUrl}/metrics`)).text();
			expect(text).toContain("\n# TYPE svc_backup_last_seconds gauge\n");
			expect(text).not.toMatch(/^svc_backup_last_seconds/m);
		}
	});

	test("lose the renditions of what one of them deletes", async () => {
		const [image, other] = [await uploaded(machine(0)), await uploaded(machine(0))];
		for (const one of machines) {
			await render(one, image);
			await render(one, other);
		}
		await until(async () => (await everywhere(image)).every((kept) => kept > 0));
		await fetch(`${machine(1).baseUrl}/v1/images/${image.id}`, { method: "DELETE", headers });
		await until(async () => (await everywhere(image)).every((kept) => kept === 0));
		expect((await everywhere(other)).every((kept) => kept > 0)).toBe(true);
	});

	test("answer for a key again soon after the machine was killed that had claimed it, and end its jobs", async () => {
		// As many as all of them work on at once, so that each has some.
		s3.fail("HEAD", { kind: "silence" }, 1_000, /img_/);
		await startJobs(6);
		await until(async () => (await jobsIn("running")) === 6);
		const before = putsSeen();
		s3.fail("PUT", { kind: "silence" }, 1, /img_/);
		const lost = upload(machine(0), "claimed").catch(() => undefined);
		// Not before it holds the key: the other machine would have it then.
		await until(async () => putsSeen() > before);
		expect((await upload(machine(1), "claimed")).status).toBe(409);
		expect(await leads(machine(0))).toBe(true);
		machine(0).process.kill("SIGKILL");
		await lost;
		s3.heal();
		// The lease itself lasts for a minute, and nobody waits for so long here.
		await until(async () => (await upload(machine(1), "claimed")).status === 201);
		await until(async () => (await leads(machine(1))) || (await leads(machine(2))));
		await until(async () => (await jobsIn("done")) === 6);
	});

	test("are replaced one by one, and no request fails", async () => {
		let stopped = false;
		const statuses = new Set<number>();
		const serving = new Set([machine(1), machine(2)]);
		/** A balancer that believes /readyz, and looks at it before each request. */
		const askOne = async ({ baseUrl }: ServerProcess) => {
			const readyz = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
			if (readyz?.status !== 200) return;
			statuses.add((await fetch(`${baseUrl}/v1/images`, { headers })).status);
		};
		const ask = async () => {
			while (!stopped) {
				for (const one of serving) await askOne(one);
				await Bun.sleep(20);
			}
		};
		const asking = ask();
		for (const old of [machine(1), machine(2)]) {
			serving.add(await startMachine());
			expect(await old.stop()).toBe(0);
			serving.delete(old);
		}
		stopped = true;
		await asking;
		expect([...statuses]).toEqual([200]);
	});
});
