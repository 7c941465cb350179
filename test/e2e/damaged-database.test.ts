import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { open, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";

/* Real programs on a database that a disk has damaged. */

const started: ServerProcess[] = [];

async function start(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
	const server = await startProcess(env);
	started.push(server);
	return server;
}

afterEach(async () => {
	for (const { process, dataDir } of started.splice(0)) {
		process.kill("SIGKILL");
		await process.exited;
		await removeData(dataDir);
	}
});

/** A data directory with a database that a service made and closed. */
async function made(fill: (database: Database) => void = () => undefined): Promise<string> {
	const server = await start();
	await server.ready();
	expect(await server.stop()).toBe(0);
	const database = new Database(join(server.dataDir, "svc.db"));
	fill(database);
	database.run("PRAGMA wal_checkpoint(TRUNCATE)");
	database.close();
	return server.dataDir;
}

/** Writes zeros over one page, as a disk does that lost it. */
async function zeroPage(path: string, page: number): Promise<void> {
	const file = await open(path, "r+");
	await file.write(new Uint8Array(4_096), 0, 4_096, (page - 1) * 4_096);
	await file.close();
}

const rootOf = (path: string, table: string): number => {
	const database = new Database(path, { readonly: true });
	const row = database.query("SELECT rootpage FROM sqlite_master WHERE name = ?").get(table) as { rootpage: number };
	database.close();
	return row.rootpage;
};

async function readiness(server: ServerProcess) {
	const answer = await fetch(`${server.baseUrl}/readyz`).catch(() => undefined);
	return answer && { status: answer.status, body: (await answer.json()) as { checks: { database: string } } };
}

async function expectDamaged(server: ServerProcess, path: string): Promise<void> {
	let last: Awaited<ReturnType<typeof readiness>>;
	for (let tries = 0; tries < 1_200 && last?.body.checks.database !== "damaged"; tries++) {
		if (server.process.exitCode !== null) throw new Error(server.stderr());
		await Bun.sleep(25);
		last = await readiness(server);
	}
	expect(last).toMatchObject({ status: 503, body: { ready: false, checks: { database: "damaged", blobs: "ok" } } });
	for (const told of [path, "is damaged (", "svc server restore"]) await server.said(told);
	expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
}

describe("a damaged database is not ready; the log names the file, what was found, and what to do:", () => {
	test("a small one from the start", async () => {
		const dataDir = await made();
		const path = join(dataDir, "svc.db");
		await zeroPage(path, rootOf(path, "reports"));
		const server = await start({ SVC_DATA_DIR: dataDir });
		await expectDamaged(server, path);
	});

	test("a large one as soon as it has been read through, in the background", async () => {
		const dataDir = await made((database) => {
			database.run("CREATE TABLE filler (bytes BLOB)");
			for (let row = 0; row < 24; row++) database.run("INSERT INTO filler VALUES (randomblob(500000))");
		});
		const path = join(dataDir, "svc.db");
		const sound = await start({ SVC_DATA_DIR: dataDir });
		await sound.ready();
		await sound.said("was checked and is whole");
		expect(await sound.stop()).toBe(0);
		await zeroPage(path, rootOf(path, "reports"));
		const server = await start({ SVC_DATA_DIR: dataDir });
		await expectDamaged(server, path);
		expect(await server.stop()).toBe(0);
	});
});

describe("a database that cannot be opened refuses the start, and the message names it and the way out:", () => {
	test.each([
		["a header of nonsense", (path: string) => zeroPage(path, 1)],
		[
			"a file cut in half",
			async (path: string) => await truncate(path, Math.floor((await stat(path)).size / 8_192) * 4_096),
		],
		["a file of a few bytes", (path: string) => truncate(path, 50)],
	])("%s", async (_, damage) => {
		const dataDir = await made();
		const path = join(dataDir, "svc.db");
		await damage(path);
		const before = await stat(path);
		const server = await start({ SVC_DATA_DIR: dataDir });
		expect(await server.ended()).toBe(1);
		for (const told of ["could not start", path, "is damaged (", "svc server restore"])
			expect(server.stderr()).toContain(told);
		expect((await stat(path)).size).toBe(before.size);
	});
});
