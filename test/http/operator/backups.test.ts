import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import { startBackup } from "@svc/operator/backups/backups";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { countOf, firstApp } from "../../support/apps.ts";
import { addImages } from "../../support/bulk-images.ts";
import { libsqlNote, startLibsql, withoutLibsql } from "../../support/libsql-server.ts";
import { addPerson, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { removeData } from "../../support/process.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { restoreInto } from "../../support/restore.ts";
import { fakeS3 } from "../../support/s3.ts";
import { type OpenService, openService } from "../../support/service.ts";

const DAY_MS = 24 * 3_600_000;

interface ShownJob {
	readonly id: string;
	readonly kind: string;
	readonly state: string;
	readonly done: number;
	readonly total: number | null;
	readonly failure: string | null;
	readonly result: { path: string; images: number; files: number; bytes: number; damaged: number };
}

let parent: string;
let service: OpenService;
let operator: TestPerson;
beforeAll(async () => {
	parent = await mkdtemp(join(tmpdir(), "svc-backups-"));
});
afterAll(() => removeData(parent));
beforeEach(async () => {
	service = await openService();
	operator = await addPerson(service.database, { operator: true });
});
afterEach(() => service.close());

const ask = (on = service, who = operator) => send(on, "POST", "/v1/operator/backups", undefined, as(who));
const jobOf = async (answer: Response) => (await answer.json()) as ShownJob;
const getJob = async (id: string, on = service, who = operator) =>
	jobOf(await send(on, "GET", `/v1/jobs/${id}`, undefined, as(who)));

async function backedUp(on = service, who = operator): Promise<ShownJob> {
	const { id } = await jobOf(await ask(on, who));
	await on.runJobs();
	return await getJob(id, on, who);
}

const newDir = () => join(parent, crypto.randomUUID());
const madeFolders = async (on = service) => await readdir(join(on.dataDir, "backups")).catch(() => []);
const blobFile = async (image: Image, on = service) => {
	const key = await on.database.rows("SELECT blob_key FROM images WHERE id = ?", [image.id]);
	return (await on.rooms.images.blobs.find(String(key[0]?.[0])))?.path ?? "";
};

/** Restores a backup and opens a service on it. */
async function restored({ result }: ShownJob, env: Record<string, string> = {}): Promise<OpenService> {
	const dataDir = newDir();
	await restoreInto(result.path, dataDir);
	return { ...(await openService({ SVC_DATA_DIR: dataDir, ...env })), dataDir };
}

async function upload(on = service): Promise<{ image: Image; body: Buffer<ArrayBuffer> }> {
	const body = await plain(5, 7);
	return { image: await uploaded(on, body), body };
}

describe("a backup", () => {
	test("202 with a job that counts the images and tells where the folder is, for its owner only [backup.made]", async () => {
		const { image, body } = await upload();
		const answer = await ask();
		expect(answer.status).toBe(202);
		const { id } = await jobOf(answer);
		await service.runJobs();
		const job = await getJob(id);
		expect(job).toMatchObject({ kind: "backup.make", state: "done", done: 1, total: 1, failure: null });
		const { path, bytes } = job.result;
		expect(job.result).toEqual({ path, images: 1, files: 2, bytes, damaged: 0 });
		expect(path).toStartWith(join(service.dataDir, "backups/"));
		expect((await readdir(path)).sort()).toEqual(["SHA256SUMS", "images", "manifest.json", "svc.db"]);
		const blob = path + (await blobFile(image)).slice(service.dataDir.length);
		expect(Buffer.compare(await readFile(blob), body)).toBe(0);
		expect((await stat(join(path, "svc.db"))).size + body.length).toBe(bytes);
		for (const [name, mode] of [
			["..", 0o700],
			[".", 0o700],
			["svc.db", 0o600],
			["manifest.json", 0o600],
			["SHA256SUMS", 0o600],
		] as const)
			expect([name, (await stat(join(path, name))).mode & 0o777]).toEqual([name, mode]);
	});

	test("twenty calls at once start one job, and the next backup lies beside it [backup.joined]", async () => {
		const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
		const jobs = await Promise.all(answers.map(jobOf));
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
		expect(new Set(jobs.map(({ id }) => id)).size).toBe(1);
		await service.runJobs();
		await backedUp();
		expect(await madeFolders()).toHaveLength(2);
	});

	test("a service that starts from it has every image, key and session [backup.restored]", async () => {
		const { image, body } = await upload();
		const other = await restored(await backedUp());
		const headers = { Authorization: `Bearer ${service.apiKey}` };
		const { url } = (await (await other.api(`/v1/images/${image.id}`, { headers })).json()) as Image;
		expect(url).toBe(image.url);
		expect(Buffer.compare(Buffer.from(await (await other.open(url)).arrayBuffer()), body)).toBe(0);
		expect((await ask(other)).status).toBe(202);
		expect(await other.recount()).toEqual([]);
		await other.close();
	});

	test("a service that starts from it makes no backup by itself, and does all other jobs [backup.once-more]", async () => {
		const job = newJob("reconcile", {});
		const started = await jobOf(await ask());
		await service.database.write([{ run: jobEntry(job, service.clock.now() + DAY_MS) }]);
		await service.runJobs();
		const other = await restored(await getJob(started.id));
		other.clock.advance(2 * DAY_MS);
		expect(await other.runJobs()).toBe(1);
		expect(await countOf(other.database, sql`SELECT count(*) FROM jobs WHERE id = ${job.id} AND state = 'done'`)).toBe(
			1,
		);
		expect(await madeFolders(other)).toEqual([]);
		await other.close();
	});

	test("a mail that waited counts as sent once without an answer, one on its way as twice [backup.mails]", async () => {
		const mail = (id: string, claim: string | null, nextMs: number | null) => ({
			run: sql`INSERT INTO emails (id, template, recipient, facts, dedupe, next_ms, claim, created_ms)
				VALUES (${id}, 'invite', 'a@example.com', '{}', ${id}, ${nextMs}, ${claim}, 0)`,
		});
		const now = service.clock.now();
		await service.database.write([
			mail("waits", null, now),
			mail("sending", "a", now + 60_000),
			mail("sent", null, null),
		]);
		const other = await restored(await backedUp());
		const claimed = async () => {
			const claim = { nonce: crypto.randomUUID(), untilMs: now * 3 };
			const mail = await other.rooms.mail.store.claim(claim, "notice", now * 2);
			return typeof mail === "string" ? [mail] : [mail.id, mail.uncertain];
		};
		expect([await claimed(), await claimed()].sort()).toEqual([
			["sending", 2],
			["waits", 1],
		]);
		await other.close();
	});

	test("what dies while it is made is in it, and stays until it is made, wherever the clock is moved [backup.during]", async () => {
		const app = await firstApp(service.database);
		await addImages(service, app.storageId, 120, Uint8Array.from(await plain(6, 6)));
		const ids = (await service.database.rows("SELECT id FROM images", [])).map(([id]) => String(id));
		const { id } = await jobOf(await ask());
		let over = false;
		const working = service.runJobs().finally(() => {
			over = true;
		});
		for (const image of ids) {
			await send(service, "DELETE", `/v1/images/${image}`);
			service.clock.advance(2 * DAY_MS);
			if (!over) await service.sweep();
			await Bun.sleep(1);
		}
		await working;
		service.clock.set(Date.now());
		// On a slow machine the sweeps go on for so many days that the first session is forgotten.
		const job = await getJob(id, service, await addPerson(service.database, { operator: true }));
		expect(job).toMatchObject({ state: "done", result: { damaged: 0 } });
		const other = await restored(job);
		expect((await other.database.rows("SELECT count(*) FROM images", []))[0]?.[0]).toBe(job.result.images);
		for (const [key] of await other.database.rows("SELECT blob_key FROM images", []))
			expect(await other.rooms.images.blobs.find(String(key))).toBeDefined();
		await other.close();
	});

	test("while one is under way no dead blob is removed, and afterwards each one is [backup.trash]", async () => {
		const { image } = await upload();
		const path = await blobFile(image);
		await ask();
		const running = sql`UPDATE jobs SET state = 'running' WHERE kind = 'backup.make'`;
		await service.database.write([{ run: running }]);
		expect((await send(service, "DELETE", `/v1/images/${image.id}`)).status).toBe(200);
		service.clock.advance(30 * DAY_MS);
		expect((await service.sweep()).blobs).toBe(0);
		expect((await stat(path)).size).toBeGreaterThan(0);
		await service.database.write([{ run: sql`UPDATE jobs SET state = 'failed'` }]);
		expect((await service.sweep()).blobs).toBe(1);
		await expect(stat(path)).rejects.toThrow("ENOENT");
	});

	test("it goes without a blob that is missing, keeps a damaged one as it is, and counts and logs both [backup.damaged]", async () => {
		const [lost, changed, sound] = [(await upload()).image, (await upload()).image, (await upload()).image];
		await unlink(await blobFile(lost));
		await writeFile(await blobFile(changed), "something else");
		const job = await backedUp();
		expect(job).toMatchObject({ state: "done", result: { images: 3, files: 3, damaged: 2 } });
		const named = service.log.lines.filter(({ level }) => level === "error").map(({ facts }) => facts);
		expect(named).toContainEqual({ image: lost.id });
		expect(named).toContainEqual({ image: changed.id });
		const other = await restored(job);
		expect(Buffer.from(await readFile(await blobFile(changed, other))).toString()).toBe("something else");
		expect((await other.open(sound.url)).status).toBe(200);
		await other.close();
	});

	test("what a killed one left behind is removed by the next one, and nothing else is [backup.unfinished]", async () => {
		const first = await backedUp();
		await mkdir(join(service.dataDir, "backups/unfinished-20260101-000000-abcdefgh/images"), { recursive: true });
		await writeFile(join(service.dataDir, "backups/unfinished-20260101-000000-abcdefgh/svc.db"), "half");
		const second = await backedUp();
		const expected = [first, second].map(({ result }) => result.path.split("/").at(-1) ?? "");
		expect((await madeFolders()).sort()).toEqual(expected.sort());
	});
});

test("409 state_conflict for a database on a server of its own [backup.remote]", async () => {
	const { operator: room } = service.rooms;
	const onServer = { ...room, instance: { ...room.instance, database: "remote" as const } };
	const by = { actor: operator.id, requestId: "req", nowMs: service.clock.now() };
	await expect(startBackup(onServer, by)).rejects.toMatchObject({
		code: "state_conflict",
		message: expect.stringContaining("server's own tools"),
	});
	expect(await countOf(service.database, sql`SELECT count(*) FROM jobs`)).toBe(0);
});

test("pictures in a bucket are copied, and come back as files [backup.s3]", async () => {
	const s3 = await fakeS3();
	const bucket = await openService(s3.env);
	const who = await addPerson(bucket.database, { operator: true });
	const { image, body } = await upload(bucket);
	const job = await backedUp(bucket, who);
	expect(job).toMatchObject({ state: "done", result: { images: 1, files: 2, damaged: 0 } });
	const other = await restored(job);
	expect(Buffer.compare(Buffer.from(await (await other.open(image.url)).arrayBuffer()), body)).toBe(0);
	await other.close();
	await bucket.close();
	await s3.close();
});

test.skipIf(withoutLibsql)(`409 on a real libSQL server${libsqlNote} [backup.libsql]`, async () => {
	await using server = await startLibsql();
	const shared = await openService({ SVC_DATABASE_URL: server.url });
	const who = await addPerson(shared.database, { operator: true });
	const refusal = await errorOf(await ask(shared, who));
	expect([refusal.status, refusal.code]).toEqual([409, "state_conflict"]);
	expect(await madeFolders(shared)).toEqual([]);
	await shared.close();
});
