import { afterEach, beforeEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image, Job } from "@svc/sdk/shapes";
import { firstApp, setPlan } from "../support/apps.ts";
import { addImages } from "../support/bulk-images.ts";
import { limitMs } from "../support/limits.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { ended, startProgram } from "../support/program.ts";
import { restoreInto } from "../support/restore.ts";
import { type OpenService, openService } from "../support/service.ts";
import { Dice, seed } from "./seed.ts";

/* Backups of a service that is being written to, or killed: whatever looks whole is whole. */

const BACKUPS = Number(process.env.SVC_TEST_BACKUPS ?? 3);
const KILLS = Number(process.env.SVC_TEST_BACKUP_KILLS ?? 4);
const CLIENTS = 3;
const BEFORE = 300;

let parent: string;
let env: { SVC_DATA_DIR: string } & Record<string, string>;
beforeEach(async () => {
	parent = await mkdtemp(join(tmpdir(), "svc-fault-backup-"));
	env = { SVC_DATA_DIR: join(parent, "data"), SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" };
});
afterEach(() => removeData(parent), limitMs(BACKUPS, 10_000));

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** The operator's token and the App's key of a data directory that holds some images. */
async function prepare(images: number): Promise<{ token: string; apiKey: string }> {
	const service = await openService(env);
	const app = await firstApp(service.database);
	await setPlan(service.database, app.id, "unlimited");
	await addImages(service, app.storageId, images, Uint8Array.from(await plain(6, 6)));
	await service.close();
	return service;
}

/** One image as its client knows it; times of `performance.now()`. */
interface Known {
	readonly id: string;
	readonly sha256: string;
	readonly createdMs: number;
	deleteSentMs: number;
	deletedMs: number;
}

/** Creates and deletes for as long as it is not told to stop. */
async function write(server: ServerProcess, apiKey: string, known: Known[], goesOn: () => boolean): Promise<void> {
	const headers = { Authorization: `Bearer ${apiKey}` };
	for (let side = 4; goesOn(); side = 4 + ((side + 1) % 30)) {
		const file = await plain(side, 9);
		const body = new FormData();
		body.append("file", new Blob([file]), "a.png");
		const created = await fetch(`${server.baseUrl}/v1/images`, { method: "POST", headers, body });
		if (created.status !== 201) throw new Error(`a create was answered ${created.status}`);
		const { id } = (await created.json()) as Image;
		const one = {
			id,
			sha256: sha256(file),
			createdMs: performance.now(),
			deleteSentMs: Number.POSITIVE_INFINITY,
			deletedMs: Number.POSITIVE_INFINITY,
		};
		known.push(one);
		if (Math.random() < 0.4) continue;
		const doomed = known[Math.floor(Math.random() * known.length)] ?? one;
		if (doomed.deleteSentMs < Number.POSITIVE_INFINITY) continue;
		doomed.deleteSentMs = performance.now();
		await fetch(`${server.baseUrl}/v1/images/${doomed.id}`, { method: "DELETE", headers });
		doomed.deletedMs = performance.now();
	}
}

/** Digests of the blobs of a service that was brought back, by image; and which are not what the database says. */
async function blobsOf(service: OpenService): Promise<{ stored: Map<string, string>; faults: string[] }> {
	const stored = new Map<string, string>();
	const faults: string[] = [];
	for (const [id, key, sha] of await service.database.rows("SELECT id, blob_key, lower(hex(sha256)) FROM images", [])) {
		const blob = await service.rooms.images.blobs.find(String(key));
		const found = blob ? sha256(await blob.read()) : "nothing";
		stored.set(String(id), found);
		if (found !== sha) faults.push(`${id}: its blob is ${found}`);
	}
	return { stored, faults };
}

/** When a backup was made. */
interface Span {
	readonly fromMs: number;
	readonly toMs: number;
}

/** Undefined where what was brought back is what its client knows. */
function contradiction(one: Known, found: string | undefined, { fromMs, toMs }: Span): string | undefined {
	const { id, createdMs, deleteSentMs, deletedMs } = one;
	if (found !== undefined && found !== one.sha256) return `${id} is another picture`;
	if (found !== undefined && deletedMs < fromMs) return `${id} had been deleted`;
	if (found === undefined && createdMs < fromMs && deleteSentMs > toMs) return `${id} is missing`;
	return undefined;
}

async function faultsOf(service: OpenService, known: readonly Known[], span: Span): Promise<string[]> {
	const { stored, faults } = await blobsOf(service);
	const [integrity] = await service.database.rows("PRAGMA integrity_check", []);
	if (integrity?.[0] !== "ok") faults.push(`integrity: ${integrity?.[0]}`);
	if (stored.size < BEFORE) faults.push(`there are only ${stored.size} images`);
	for (const one of known) {
		const fault = contradiction(one, stored.get(one.id), span);
		if (fault !== undefined) faults.push(fault);
	}
	for (const drift of await service.recount()) faults.push(`a counter is wrong: ${JSON.stringify(drift)}`);
	return faults;
}

test(
	`${BACKUPS} backups under creates and deletes: each one comes back whole, with all that was acknowledged before [backup.under-writes]`,
	async () => {
		const { token, apiKey } = await prepare(BEFORE);
		const server = await startProcess(env);
		await server.ready();
		const account = { SVC_BASE_URL: server.baseUrl, SVC_API_KEY: token };
		const known: Known[] = [];
		for (let made = 0; made < BACKUPS; made++) {
			let over = false;
			const writing = Promise.all(Array.from({ length: CLIENTS }, () => write(server, apiKey, known, () => !over)));
			const fromMs = performance.now();
			const line = ["server", "backup", "--json"];
			const { exit, out, err } = await ended(startProgram(line, { cwd: parent, env: account }));
			const span = { fromMs, toMs: performance.now() };
			over = true;
			await writing;
			expect([exit, err]).toEqual([0, ""]);
			const { result } = JSON.parse(out) as Job;
			expect(result).toMatchObject({ damaged: 0 });
			const dataDir = join(parent, `restored-${made}`);
			await restoreInto(String(result?.path), dataDir);
			const service = await openService({ SVC_DATA_DIR: dataDir });
			expect(await faultsOf(service, known, span)).toEqual([]);
			await service.close();
			await removeData(dataDir);
		}
		expect(await server.stop()).toBe(0);
		expect(server.stderr()).toBe("");
		expect(known.some(({ deletedMs }) => deletedMs < Number.POSITIVE_INFINITY)).toBe(true);
	},
	limitMs(BACKUPS, 60_000),
);

test(
	`${KILLS} kills while a backup is made: what looks whole is whole, and in the end one is made (SVC_TEST_SEED=${seed}) [backup.killed]`,
	async () => {
		const dice = new Dice(seed);
		const { token } = await prepare(BEFORE);
		const headers = { Authorization: `Bearer ${token}` };
		const folder = join(env.SVC_DATA_DIR, "backups");
		const folders = () => readdir(folder).catch(() => []);
		const restores = async (name: string) =>
			await restoreInto(join(folder, name), join(parent, "never"), "--dry-run").then(
				() => true,
				() => false,
			);
		for (let kill = 0; kill < KILLS; kill++) {
			const server = await startProcess(env);
			await server.ready();
			await fetch(`${server.baseUrl}/v1/operator/backups`, { method: "POST", headers });
			// Most die between the start of the copy and the last blob.
			await Bun.sleep(dice.below(600));
			server.process.kill("SIGKILL");
			await server.process.exited;
			for (const name of await folders()) {
				const unfinished = name.startsWith("unfinished-");
				// Its manifest comes last but for its name: killed just then, it may be whole.
				if (unfinished && (await readdir(join(folder, name))).includes("manifest.json")) continue;
				expect([name, await restores(name)]).toEqual([name, !unfinished]);
			}
		}
		const server = await startProcess(env);
		await server.ready();
		await fetch(`${server.baseUrl}/v1/operator/backups`, { method: "POST", headers });
		const underWay = async () => {
			const answer = await fetch(`${server.baseUrl}/v1/operator/jobs?kind=backup.make`, { headers });
			const { data } = (await answer.json()) as { data: Job[] };
			return data.some(({ state }) => state === "queued" || state === "running");
		};
		while (await underWay()) await Bun.sleep(100);
		const made = await folders();
		expect(made.filter((name) => name.startsWith("unfinished-"))).toEqual([]);
		expect(made.length).toBeGreaterThan(0);
		for (const name of made) expect([name, await restores(name)]).toEqual([name, true]);
		expect(await server.stop()).toBe(0);
	},
	limitMs(KILLS, 30_000),
);

test(
	`a service that is told to stop while a backup is made leaves nothing of it, and makes it after the next start (SVC_TEST_SEED=${seed}) [backup.stopped]`,
	async () => {
		const dice = new Dice(seed);
		const { token } = await prepare(BEFORE);
		const headers = { Authorization: `Bearer ${token}` };
		const folders = () => readdir(join(env.SVC_DATA_DIR, "backups")).catch(() => []);
		const stopped = await startProcess(env);
		await stopped.ready();
		await fetch(`${stopped.baseUrl}/v1/operator/backups`, { method: "POST", headers });
		await Bun.sleep(dice.below(200));
		expect(await stopped.stop()).toBe(0);
		expect((await folders()).filter((name) => name.startsWith("unfinished-"))).toEqual([]);
		const server = await startProcess(env);
		await server.ready();
		while ((await folders()).every((name) => name.startsWith("unfinished-"))) await Bun.sleep(50);
		expect(await server.stop()).toBe(0);
	},
	limitMs(1, 60_000),
);
