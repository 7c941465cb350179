import { afterEach, describe, expect, test } from "bun:test";
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { ended, startProgram } from "../support/program.ts";
import { restoreInto } from "../support/restore.ts";
import { type FakeS3, fakeS3 } from "../support/s3.ts";

/* A database and its pictures belong together: real programs that are started on the wrong one of them, or end in between. */

const started: ServerProcess[] = [];
const folders: string[] = [];
const buckets: FakeS3[] = [];

type Environment = Readonly<Record<string, string>>;

async function start(env: Environment = {}): Promise<ServerProcess> {
	const server = await startProcess(env);
	started.push(server);
	return server;
}

async function newFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), "svc-installation-"));
	folders.push(folder);
	return folder;
}

async function newBucket(): Promise<FakeS3> {
	const bucket = await fakeS3();
	buckets.push(bucket);
	return bucket;
}

afterEach(async () => {
	for (const { process, dataDir } of started.splice(0)) {
		process.kill("SIGKILL");
		await process.exited;
		await removeData(dataDir);
	}
	for (const folder of folders.splice(0)) await removeData(folder);
	for (const bucket of buckets.splice(0)) await bucket.close();
});

const keyIn = (server: ServerProcess) => /svc_sk_test_[0-9A-Za-z]{38}/.exec(server.stdout())?.[0] ?? "";

async function upload(server: ServerProcess, key: string, side = 20): Promise<Image> {
	const body = new FormData();
	body.append("file", new Blob([await plain(side, 10)]), "a.png");
	const headers = { Authorization: `Bearer ${key}` };
	const answer = await fetch(`${server.baseUrl}/v1/images`, { method: "POST", body, headers });
	expect(answer.status).toBe(201);
	return (await answer.json()) as Image;
}

/** A data directory in which a service made three images and stopped. */
async function used(env: Environment = {}): Promise<{ dataDir: string; key: string; image: Image }> {
	const dataDir = await newFolder();
	const server = await start({ SVC_DATA_DIR: dataDir, ...env });
	await server.ready();
	const key = keyIn(server);
	for (const side of [20, 21]) await upload(server, key, side);
	const image = await upload(server, key, 22);
	expect(await server.stop()).toBe(0);
	return { dataDir, key, image };
}

async function refused(env: Environment): Promise<string> {
	const server = await start(env);
	expect(await server.ended()).toBe(1);
	const said = server.stderr();
	expect(said).toContain("could not start");
	return said;
}

async function expectServed(env: Environment, { key, image }: { key: string; image: Image }): Promise<void> {
	const server = await start(env);
	await server.ready();
	const headers = { Authorization: `Bearer ${key}` };
	expect((await fetch(`${server.baseUrl}/v1/images/${image.id}`, { headers })).status).toBe(200);
	expect((await fetch(`${server.cdnUrl}${new URL(image.url).pathname}`)).status).toBe(200);
	expect(await server.stop()).toBe(0);
}

async function blobsIn(dataDir: string): Promise<string[]> {
	const found = await readdir(join(dataDir, "images", "blobs"), { recursive: true, withFileTypes: true });
	return found.flatMap((entry) => (entry.isFile() ? entry.name : [])).sort();
}

const idIn = async (dataDir: string) =>
	(JSON.parse(await readFile(join(dataDir, "images", "installation"), "utf8")) as { installation: string })
		.installation;

const dropDatabase = async (dataDir: string) => {
	for (const end of ["", "-wal", "-shm"]) await rm(join(dataDir, `svc.db${end}`), { force: true });
};

describe("pictures without a database that knows them refuse the start, and all of them stay:", () => {
	test.each([
		["a database that was removed", dropDatabase],
		[
			"a database of zero bytes",
			async (dataDir: string) => {
				await dropDatabase(dataDir);
				await writeFile(join(dataDir, "svc.db"), "");
			},
		],
		[
			"a removed database and a removed mark",
			async (dataDir: string) => {
				await dropDatabase(dataDir);
				await rm(join(dataDir, "images", "installation"));
			},
		],
	])("%s", async (_, damage) => {
		const { dataDir } = await used();
		const before = await blobsIn(dataDir);
		expect(before.length).toBe(3);
		await damage(dataDir);
		const said = await refused({ SVC_DATA_DIR: dataDir });
		for (const told of [join(dataDir, "svc.db"), join(dataDir, "images"), "svc server restore", "svc server adopt"])
			expect(said).toContain(told);
		expect(await blobsIn(dataDir)).toEqual(before);
		// Nothing is left behind that the next start would take for a database.
		expect((await readdir(dataDir)).includes("svc.db-wal")).toBe(false);
		await refused({ SVC_DATA_DIR: dataDir });
	});

	test("a wrong SVC_DATABASE_URL; the right one starts again", async () => {
		const { dataDir, ...made } = await used();
		const elsewhere = join(await newFolder(), "svc.db");
		const said = await refused({ SVC_DATA_DIR: dataDir, SVC_DATABASE_URL: `file:${elsewhere}` });
		expect(said).toContain(elsewhere);
		expect(said).toContain("SVC_DATABASE_URL");
		expect(said).toContain(await idIn(dataDir));
		expect(await Bun.file(elsewhere).exists()).toBe(false);
		await expectServed({ SVC_DATA_DIR: dataDir }, made);
	});

	test("another installation's database names both", async () => {
		const [one, other] = [await used(), await used()];
		const database = `file:${join(other.dataDir, "svc.db")}`;
		const said = await refused({ SVC_DATA_DIR: one.dataDir, SVC_DATABASE_URL: database });
		for (const { dataDir } of [one, other]) expect(said).toContain(await idIn(dataDir));
		await expectServed({ SVC_DATA_DIR: other.dataDir }, other);
	});

	test("a bucket", async () => {
		const s3 = await newBucket();
		const { dataDir, ...made } = await used(s3.env);
		const before = [...s3.objects.keys()];
		const said = await refused({ SVC_DATA_DIR: await newFolder(), ...s3.env });
		expect(said).toContain("the bucket pictures");
		expect([...s3.objects.keys()]).toEqual(before);
		await expectServed({ SVC_DATA_DIR: dataDir, ...s3.env }, made);
	});
});

test("a database with images refuses a folder without one of its pictures, as where a disk is not mounted", async () => {
	const { dataDir, ...made } = await used();
	const away = join(await newFolder(), "images");
	await cp(join(dataDir, "images"), away, { recursive: true });
	await rm(join(dataDir, "images"), { recursive: true });
	expect(await refused({ SVC_DATA_DIR: dataDir })).toContain("not one of its pictures");
	await rm(join(dataDir, "images"), { recursive: true, force: true });
	await cp(away, join(dataDir, "images"), { recursive: true });
	await expectServed({ SVC_DATA_DIR: dataDir }, made);
});

describe("an installation gets its id", () => {
	test("when it is older than ids, at the first start whose database knows the pictures", async () => {
		const { dataDir, ...made } = await used();
		await rm(join(dataDir, "images", "installation"));
		const { Database } = await import("bun:sqlite");
		const database = new Database(join(dataDir, "svc.db"));
		database.run("DELETE FROM meta WHERE key = 'installation'");
		database.close();
		await expectServed({ SVC_DATA_DIR: dataDir }, made);
		expect(await idIn(dataDir)).toMatch(/^ins_/);
	});

	test("however early the first start is killed", async () => {
		const dataDir = await newFolder();
		for (const afterMs of [60, 120, 180, 240, 300, 400, 500, 700]) {
			const server = await start({ SVC_DATA_DIR: dataDir });
			await Bun.sleep(afterMs);
			server.process.kill("SIGKILL");
			await server.process.exited;
		}
		const server = await start({ SVC_DATA_DIR: dataDir });
		await server.ready();
		expect(await server.stop()).toBe(0);
		expect(await idIn(dataDir)).toMatch(/^ins_/);
	}, 60_000);

	test.each(["before", "after"] as const)(
		"where the start is killed just %s it is written into a bucket",
		async (when) => {
			const s3 = await newBucket();
			const env = { SVC_DATA_DIR: await newFolder(), ...s3.env };
			let killed: ServerProcess | undefined;
			s3.fail("PUT", { kind: "kill", when, kill: () => killed?.process.kill("SIGKILL") }, 1, /installation/);
			killed = await start(env);
			expect(await killed.process.exited).not.toBe(0);
			expect(s3.objects.has("installation")).toBe(when === "after");
			const server = await start(env);
			await server.ready();
			expect(await server.stop()).toBe(0);
			expect(s3.objects.has("installation")).toBe(true);
		},
	);

	test("once: a second start keeps it, and a restored backup has it as well", async () => {
		const { dataDir, ...made } = await used();
		const id = await idIn(dataDir);
		const server = await start({ SVC_DATA_DIR: dataDir });
		await server.ready();
		const profile = join(dataDir, "profiles.json");
		const { profiles } = (await Bun.file(profile).json()) as { profiles: { local: { token: string } } };
		const account = { SVC_BASE_URL: server.baseUrl, SVC_API_KEY: profiles.local.token };
		const { exit, out, err } = await ended(
			startProgram(["server", "backup", "--json"], { cwd: dataDir, env: account }),
		);
		expect([exit, err]).toEqual([0, ""]);
		expect(await server.stop()).toBe(0);
		expect(await idIn(dataDir)).toBe(id);
		const restored = join(await newFolder(), "data");
		await restoreInto((JSON.parse(out) as { result: { path: string } }).result.path, restored);
		await expectServed({ SVC_DATA_DIR: restored }, made);
		expect(await idIn(restored)).toBe(id);
	});
});

describe("a second service on a copy of the database is refused while the first one runs", () => {
	async function copied(dataDir: string): Promise<string> {
		const path = join(await newFolder(), "svc.db");
		await cp(join(dataDir, "svc.db"), path);
		return path;
	}

	test("with the folder of its pictures, until it is killed", async () => {
		const { dataDir, ...made } = await used();
		const database = `file:${await copied(dataDir)}`;
		const first = await start({ SVC_DATA_DIR: dataDir });
		await first.ready();
		const said = await refused({ SVC_DATA_DIR: dataDir, SVC_DATABASE_URL: database });
		expect(said).toContain(`another service works with ${join(dataDir, "images")}`);
		first.process.kill("SIGKILL");
		await first.process.exited;
		await expectServed({ SVC_DATA_DIR: dataDir, SVC_DATABASE_URL: database }, made);
	});

	test("with its bucket, until the lease has ended; the first one starts again at once", async () => {
		const s3 = await newBucket();
		const { dataDir, ...made } = await used(s3.env);
		const elsewhere = await newFolder();
		await cp(join(dataDir, "deployment-secret"), join(elsewhere, "deployment-secret"));
		const copy = { SVC_DATA_DIR: elsewhere, SVC_DATABASE_URL: `file:${await copied(dataDir)}`, ...s3.env };
		const first = await start({ SVC_DATA_DIR: dataDir, ...s3.env });
		await first.ready();
		expect(await refused(copy)).toContain("another service works with the bucket pictures");
		first.process.kill("SIGKILL");
		await first.process.exited;
		expect(await refused(copy)).toContain("another service works with the bucket pictures");
		await expectServed({ SVC_DATA_DIR: dataDir, ...s3.env }, made);
		const again = await start({ SVC_DATA_DIR: dataDir, ...s3.env });
		await again.ready();
		again.process.kill("SIGKILL");
		await again.process.exited;
		const [key = "", lease] = [...s3.objects].find(([name]) => name.startsWith("lease/")) ?? [];
		if (lease) s3.objects.set(key, { ...lease, writtenMs: Date.now() - 91_000 });
		await expectServed(copy, made);
	});
});

describe("svc server adopt", () => {
	const svc = (env: Environment, ...words: string[]) =>
		ended(startProgram(["server", "adopt", "--json", ...words], { cwd: tmpdir(), env }));

	test("shows what lies there and changes nothing unless it is meant; then the service starts, and no picture is gone", async () => {
		const { dataDir } = await used();
		const [id, before] = [await idIn(dataDir), await blobsIn(dataDir)];
		await dropDatabase(dataDir);
		const env = { SVC_DATA_DIR: dataDir };
		const seen = await svc(env, "--dry-run");
		expect([seen.exit, JSON.parse(seen.out)]).toEqual([
			0,
			{
				object: "adoption",
				adopted: false,
				database: { place: join(dataDir, "svc.db"), installation: null },
				pictures: { place: join(dataDir, "images"), installation: id, known: 0, unknown: 3 },
				secret: { known: null, given: [] },
				lost: {},
			},
		]);
		// Nobody can be asked.
		expect((await svc(env)).exit).not.toBe(0);
		expect(await readdir(dataDir)).not.toContain("svc.db");
		await refused(env);

		const done = await svc(env, "--yes");
		expect([done.exit, done.err]).toEqual([0, ""]);
		const adopted = (JSON.parse(done.out) as { database: { installation: string } }).database.installation;
		expect(await idIn(dataDir)).toBe(adopted);
		expect(adopted).not.toBe(id);
		const server = await start(env);
		await server.ready();
		expect(await server.stop()).toBe(0);
		expect(await blobsIn(dataDir)).toEqual(before);
		expect((await svc(env)).exit).toBe(0);
	});

	test("says that there is nothing to adopt in a folder without a service, and what to set", async () => {
		const { exit, err } = await svc({ SVC_DATA_DIR: await newFolder() }, "--yes");
		expect(exit).toBe(1);
		expect(err).toContain("There is no service in ");
		expect(err).toContain("SVC_DATA_DIR");
	});

	test("takes a bucket over", async () => {
		const s3 = await newBucket();
		await used(s3.env);
		const env = { SVC_DATA_DIR: await newFolder(), ...s3.env };
		await refused(env);
		expect((await svc(env, "--yes")).exit).toBe(0);
		const server = await start(env);
		await server.ready();
		expect(s3.blobs().size).toBe(3);
	});

	test("is refused while a service runs", async () => {
		const { dataDir } = await used();
		const server = await start({ SVC_DATA_DIR: dataDir });
		await server.ready();
		const { exit, err } = await svc({ SVC_DATA_DIR: dataDir }, "--yes");
		expect(exit).not.toBe(0);
		expect(err).toContain("Stop the service first");
	});
});

test("a mark that cannot be understood refuses the start and is named", async () => {
	const { dataDir } = await used();
	const path = join(dataDir, "images", "installation");
	await truncate(path, 10);
	expect(await refused({ SVC_DATA_DIR: dataDir })).toContain(path);
});
