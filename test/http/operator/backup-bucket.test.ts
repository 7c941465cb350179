import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { s3Url } from "@svc/storage/s3/place";
import { flip, masterFile } from "../../support/damage.ts";
import { addPerson, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { removeData } from "../../support/process.ts";
import { send, uploaded } from "../../support/requests.ts";
import { restoreWith } from "../../support/restore.ts";
import { type FakeS3, fakeS3 } from "../../support/s3.ts";
import { type OpenService, openService } from "../../support/service.ts";

const HOUR_MS = 3_600_000;

const parent = await mkdtemp(join(tmpdir(), "svc-backup-bucket-"));
let s3: FakeS3;
let service: OpenService;
beforeEach(async () => {
	s3 = await fakeS3();
	service = await openService({ ...settings(), SVC_BACKUP_EVERY: "6h", SVC_BACKUP_KEEP: "2" });
});
afterEach(async () => {
	await service.close();
	await s3.close();
});
afterAll(() => removeData(parent));

/** Pictures in a folder, backups in a bucket. */
function settings(): Record<string, string> {
	const { endpoint, bucket, region, accessKeyId, secretAccessKey } = s3.bucket;
	return {
		SVC_BACKUP_TO: s3Url({ endpoint, bucket, path: "svc", region }),
		AWS_BACKUP_ACCESS_KEY_ID: accessKeyId,
		AWS_BACKUP_SECRET_ACCESS_KEY: secretAccessKey,
	};
}

async function backedUp(): Promise<{ path: string; images: number; files: number }> {
	const headers = { Authorization: `Bearer ${service.token}` };
	const { id } = (await (await service.api("/v1/operator/backups", { method: "POST", headers })).json()) as {
		id: string;
	};
	await service.runJobs();
	const job = await (await service.api(`/v1/jobs/${id}`, { headers })).json();
	expect(job).toMatchObject({ state: "done", failure: null });
	return (job as { result: { path: string; images: number; files: number } }).result;
}

const made = () => [...s3.objects.keys()].filter((key) => key.endsWith("/manifest.json")).sort();

test("a backup goes to the bucket, and a service that starts from it has every image [backup.to-bucket]", async () => {
	const body = await plain(5, 7);
	const image = await uploaded(service, body);
	const { path, images, files } = await backedUp();
	expect([images, files]).toEqual([1, 2]);
	expect(path).toMatch(/^s3:\/\/pictures\/svc\/backups\/\d{8}-\d{6}-.{8}$/);
	expect(await readdir(join(service.dataDir, "backups"))).toEqual([]);
	const dataDir = join(parent, "restored");
	await restoreWith({ ...settings(), SVC_DATA_DIR: parent }, path, dataDir);
	expect(await readdir(parent)).toEqual(["restored"]);
	const other = await openService({ SVC_DATA_DIR: dataDir });
	expect(Buffer.compare(Buffer.from(await (await other.open(image.url)).arrayBuffer()), body)).toBe(0);
	await other.close();
});

test("a backup is named with its store as well, where no setting says which store it is, and never with a password", async () => {
	const { path } = await backedUp();
	const { SVC_BACKUP_TO: _, ...keys } = settings();
	const { endpoint, bucket, region } = s3.bucket;
	const whole = s3Url({ endpoint, bucket, path: path.slice(`s3://${bucket}/`.length), region });
	await restoreWith({ ...keys, SVC_DATA_DIR: parent }, whole, join(parent, "whole"));
	expect(await readdir(join(parent, "whole"))).toContain("svc.db");
	const restoring = restoreWith({ ...keys, SVC_DATA_DIR: parent }, whole.replace("s3://", "s3://key:hush@"), "none");
	await expect(restoring).rejects.toThrow("never with a name and a password in it");
	await expect(restoring).rejects.not.toThrow("hush");
});

test("restore names the backups that are there where none is named, and leaves nothing [backup.bucket-names]", async () => {
	const { path } = await backedUp();
	const env = { ...settings(), SVC_DATA_DIR: parent };
	for (const where of ["s3://pictures/svc", "s3://pictures/svc/backups", "s3://pictures/svc/backups/gone"])
		await expect(restoreWith(env, where, join(parent, "none"))).rejects.toThrow(`one of the backups there: ${path}`);
	await expect(restoreWith(env, "s3://pictures/other", join(parent, "none"))).rejects.toThrow("no backup is below");
	expect((await readdir(parent)).filter((name) => name.startsWith("none"))).toEqual([]);
});

test("the schedule keeps as many in the bucket as it was told [backup.bucket-schedule]", async () => {
	for (let round = 0; round < 4; round++) {
		service.clock.advance(6 * HOUR_MS);
		await service.backUpWhenDue();
		await service.runJobs();
	}
	expect(made()).toHaveLength(2);
	expect(made().every((key) => key.includes("-scheduled/"))).toBe(true);
});

test("a bucket that cannot be tidied costs no backup [backup.bucket-untidy]", async () => {
	s3.fail("DELETE", { kind: "refuse", status: 403, code: "AccessDenied" }, 99, /manifest/);
	for (let round = 0; round < 3; round++) {
		service.clock.advance(6 * HOUR_MS);
		await service.backUpWhenDue();
		await service.runJobs();
	}
	expect(made()).toHaveLength(3);
});

test("reconcile brings a damaged picture back from the bucket [backup.bucket-repair]", async () => {
	const image = await uploaded(service, await plain(5, 7));
	await backedUp();
	await flip(await masterFile(service, image.id), 50);
	const operator = await addPerson(service.database, { operator: true });
	const wish = { scrub: true, repair: true };
	const started = await send(service, "POST", "/v1/operator/reconcile", wish, as(operator));
	const { id } = (await started.json()) as { id: string };
	await service.runJobs();
	const job = await (await send(service, "GET", `/v1/jobs/${id}`, undefined, as(operator))).json();
	expect(job).toMatchObject({ state: "done", result: { damaged_total: 1, repaired: 1 } });
	expect((await service.open(image.url)).status).toBe(200);
});
