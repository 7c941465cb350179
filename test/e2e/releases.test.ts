import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { releaseFaults } from "../releases/check.ts";
import { answerAt, type Life, uploadAgain } from "../releases/life.ts";
import { plain } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";
import { ended, startProgram } from "../support/program.ts";
import { send, uploaded } from "../support/requests.ts";
import { openService } from "../support/service.ts";

/* Each file is what a release left on its disk: `bun test/releases/write.ts` kept it. */

const RELEASES = new URL("../releases/", import.meta.url).pathname;
const archives = (await readdir(RELEASES)).filter((name) => name.endsWith(".tar.gz")).sort();
const folders: string[] = [];
afterAll(async () => {
	for (const folder of folders) await removeData(folder);
});

async function unpacked(archive: string): Promise<{ readonly dataDir: string; readonly life: Life }> {
	const folder = await mkdtemp(join(tmpdir(), "svc-release-"));
	folders.push(folder);
	const tar = Bun.spawnSync(["tar", "-xzf", join(RELEASES, archive), "-C", folder]);
	if (!tar.success) throw new Error(tar.stderr.toString());
	return { dataDir: join(folder, "data"), life: (await Bun.file(join(folder, "life.json")).json()) as Life };
}

/** What is about processes that have ended. */
const OF_PROCESSES = new Set(["processes"]);

/** How many rows each table has. */
function rowsIn(path: string): ReadonlyMap<string, number> {
	const database = new Database(path);
	const tables = database.query("SELECT name FROM sqlite_master WHERE type = 'table'").values() as [string][];
	const count = (table: string) => (database.query(`SELECT count(*) FROM "${table}"`).values() as [[number]])[0][0];
	const rows = new Map(tables.map(([table]) => [table, count(table)]));
	database.close();
	return rows;
}

describe("a data directory that an earlier release wrote", () => {
	test("is there for every interface version of 0.1.0", () => {
		for (const variant of ["current", "transition", "legacy"]) expect(archives).toContain(`0.1.0-${variant}.tar.gz`);
	});

	for (const archive of archives) {
		const variant = /-([a-z]+)\.tar\.gz$/.exec(archive)?.[1] ?? "";
		test(`${archive}: every secret works, and every answer and picture is as it was`, async () => {
			const { dataDir, life } = await unpacked(archive);
			const service = await openService({ SVC_DATA_DIR: dataDir, SVC_VARIANT: variant });
			service.clock.set(life.atMs);
			for (const { at, caller, body } of life.answers) {
				const now = await answerAt(service, at, caller);
				// A later release may tell more.
				if (caller) expect(now).toMatchObject(body as object);
				else expect(`${at} ${now}`).toBe(`${at} ${body}`);
			}
			await service.close();
		});

		test(`${archive}: no table loses a row to what brings it up to date`, async () => {
			const { dataDir } = await unpacked(archive);
			const before = rowsIn(join(dataDir, "svc.db"));
			const service = await openService({ SVC_DATA_DIR: dataDir, SVC_VARIANT: variant });
			await service.close();
			const after = rowsIn(join(dataDir, "svc.db"));
			const lost = [...before].filter(([table, rows]) => !OF_PROCESSES.has(table) && (after.get(table) ?? 0) < rows);
			expect(before.get("images")).toBeGreaterThan(0);
			expect(lost).toEqual([]);
		});

		test(`${archive}: svc server migrate looks, changes what is missing once, and keeps off a service that runs`, async () => {
			const { dataDir } = await unpacked(archive);
			const env = { SVC_DATA_DIR: dataDir, SVC_VARIANT: variant };
			const migrate = (...words: string[]) =>
				ended(startProgram(["server", "migrate", "--json", ...words], { cwd: dataDir, env }));
			const run = async (...words: string[]) => JSON.parse((await migrate(...words)).out);
			const seen = await run("--dry-run");
			expect(seen).toMatchObject({ object: "migration", migrated: false, later: [] });
			expect(seen.missing.length).toBeGreaterThan(0);
			expect(await run()).toEqual({ ...seen, migrated: true });
			expect(await run("--dry-run")).toEqual({ ...seen, missing: [] });
			const server = await startProcess(env);
			await server.ready();
			const refused = await migrate();
			expect(await server.stop()).toBe(0);
			expect([refused.exit, refused.err]).toEqual([6, expect.stringContaining("Another process already serves")]);
		});

		test(`${archive}: goes on: a repeated upload makes no second image, and images are made and deleted`, async () => {
			const { dataDir, life } = await unpacked(archive);
			const service = await openService({ SVC_DATA_DIR: dataDir, SVC_VARIANT: variant });
			service.clock.set(life.atMs);
			expect(await uploadAgain(service, life.apiKey)).toBe(life.repeatedId);
			const caller = { key: life.apiKey };
			const { id, url } = await uploaded(service, await plain(9, 9), "new.png", {}, caller);
			expect((await service.open(url)).status).toBe(200);
			for (const image of [id, life.repeatedId])
				expect((await send(service, "DELETE", `/v1/images/${image}`, undefined, caller)).status).toBe(200);
			expect(await service.database.rows("PRAGMA integrity_check", [])).toEqual([["ok"]]);
			await service.close();
		});
	}
});

describe("a release", () => {
	test("is refused while a package, the changelog or a kept data directory is of another version", () => {
		const faults = releaseFaults("9.9.9");
		for (const fault of [
			"svc is ",
			"@svc/sdk is ",
			"@svc/cli is ",
			"CHANGELOG.md has no",
			"9.9.9-legacy.tar.gz is missing",
		])
			expect(faults.join("\n")).toContain(fault);
	});

	test("0.1.0 has all that belongs to it", () => {
		expect(releaseFaults("0.1.0").filter((fault) => !/ is \d/.test(fault))).toEqual([]);
	});
});
