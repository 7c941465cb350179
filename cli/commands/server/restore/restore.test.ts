import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT, Interrupted } from "@svc/base/processes/exit";
import { type FakeBackup, sumsLine, writeFakeBackup } from "@svc/test/support/fake-backup";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../../../kit/run.ts";

const parent = await mkdtemp(join(tmpdir(), "svc-restore-"));
let cwd = "";
beforeEach(async () => {
	cwd = await mkdtemp(join(parent, "one-"));
});
afterAll(() => rm(parent, { recursive: true }));

async function restore(words: readonly string[] = [], signal = new AbortController().signal) {
	const world = fakeWorld({ cwd, env: {}, signal });
	const exit = await run(["server", "restore", "backup", "--to", "data", ...words], world);
	return { exit, out: world.outText(), err: world.errText() };
}

const backup = (fake?: FakeBackup) => writeFakeBackup(join(cwd, "backup"), fake);
const dataDir = (...path: string[]) => join(cwd, "data", ...path);
const filesOf = async (dir: string) => {
	const found = await readdir(dir, { recursive: true, withFileTypes: true });
	return found
		.filter((one) => one.isFile())
		.map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1));
};
const isThere = (path: string) =>
	stat(path).then(
		() => true,
		() => false,
	);

describe("svc server restore", () => {
	test("brings every file back, for its owner only, and says how to go on [restore.whole]", async () => {
		await backup();
		const { exit, err } = await restore();
		expect(exit).toBe(EXIT.ok);
		expect(err).toEndWith(`Start the service on it: SVC_DATA_DIR=${dataDir()} svc serve\n`);
		expect(err).toContain(`copy that file to ${dataDir("deployment-secret")}`);
		const files = ["images/blobs/0d/img_1+a", "images/blobs/f3/img_2+b", "svc.db", "without-secret"];
		expect((await filesOf(dataDir())).sort()).toEqual(files);
		expect(await readFile(dataDir("images/blobs/0d/img_1+a"), "utf8")).toBe("a picture");
		expect((await stat(dataDir())).mode & 0o777).toBe(0o700);
		expect((await stat(dataDir("svc.db"))).mode & 0o777).toBe(0o600);
	});

	test("uses an empty folder that is there, as a mount is, even with its lost+found [restore.mount]", async () => {
		await backup();
		await mkdir(dataDir("lost+found"), { recursive: true });
		expect((await restore()).exit).toBe(EXIT.ok);
		expect((await readdir(dataDir())).sort()).toEqual(["images", "lost+found", "svc.db", "without-secret"]);
	});

	test("makes the folders above it [restore.deep]", async () => {
		await backup();
		expect((await restore(["--to", "a/b/data"])).exit).toBe(EXIT.usage);
		const world = fakeWorld({ cwd, env: {} });
		expect(await run(["server", "restore", "backup", "--to", "a/b/data"], world)).toBe(EXIT.ok);
		expect(await isThere(join(cwd, "a/b/data/svc.db"))).toBe(true);
	});

	test("--dry-run reads all and writes nothing [restore.dry-run]", async () => {
		await backup();
		expect(JSON.parse((await restore(["--dry-run", "--json"])).out)).toMatchObject({ restored: false, files: 3 });
		expect(await isThere(dataDir())).toBe(false);
		await writeFile(join(cwd, "backup/svc.db"), "a databasf");
		expect((await restore(["--dry-run"])).exit).toBe(EXIT.failed);
	});

	test.each(["svc.db", "anything", "restoring"])(
		"a folder that holds %s is refused, and left as it is [restore.empty]",
		async (name) => {
			await backup();
			await mkdir(dataDir());
			await writeFile(dataDir(name), "mine");
			expect((await restore()).exit).toBe(EXIT.conflict);
			expect(await filesOf(dataDir())).toEqual([name]);
			expect(await readFile(dataDir(name), "utf8")).toBe("mine");
		},
	);
});

describe("a backup that is not whole is refused, and nothing is left behind:", () => {
	async function refused(told: string, exit: number = EXIT.failed, words: readonly string[] = []): Promise<void> {
		const ended = await restore(words);
		expect([ended.exit, ended.err]).toEqual([exit, expect.stringContaining(told)]);
		expect(await isThere(dataDir())).toBe(false);
	}

	test("one without a manifest [restore.unfinished]", async () => {
		await backup();
		await unlink(join(cwd, "backup/manifest.json"));
		await refused("no whole backup", EXIT.missing);
		await writeFile(join(cwd, "backup/manifest.json"), '{"format":1,');
		await refused("manifest.json is not what a backup has there");
	});

	test("one of a newer format [restore.newer]", async () => {
		await backup({ manifest: { format: 2, files: "many" } });
		await refused("A newer version");
	});

	test("one whose manifest is nonsense, or too large to be one [restore.manifest]", async () => {
		for (const manifest of [{ files: -1.5 }, { files: "3" }, { sums_sha256: null }, { format: "1" }]) {
			await backup({ manifest });
			await refused("manifest.json is not what a backup has there");
		}
		await backup({ manifest: { padding: "x".repeat(70_000) } });
		await refused("no whole backup", EXIT.missing);
	});

	test("one with a changed, cut or missing file [restore.damaged]", async () => {
		for (const damage of [
			(path: string) => writeFile(path, "a picturf"),
			(path: string) => writeFile(path, ""),
			(path: string) => unlink(path),
		]) {
			await backup();
			await damage(join(cwd, "backup/images/blobs/0d/img_1+a"));
			await refused("Missing or damaged in the backup: images/blobs/0d/img_1+a.");
		}
	});

	test("one with another list, or a list that lacks a file [restore.sums]", async () => {
		await backup({ manifest: { sums_sha256: "0".repeat(64) } });
		await refused("SHA256SUMS is missing or damaged");
		await backup({ manifest: { files: 4 } });
		await refused("does not name the files");
		await backup({ files: { "images/blobs/0d/img_1+a": "a picture" } });
		await refused("does not name the files");
		await unlink(join(cwd, "backup/SHA256SUMS"));
		await refused("SHA256SUMS is missing or damaged");
	});

	test.each([
		"/etc/passwd",
		"../outside",
		"images/../../outside",
		"images/blobs/0d/../../../outside",
		"images/blobs/0d/..",
		"images/blobs/0d/.hidden",
		"images/blobs/0d/a/b",
		"images/blobs/0d/a\\b",
		"owner.lock.db",
		"profiles.json",
		"svc.db ",
	])("one whose list names %p [restore.tricks]", async (path) => {
		await writeFile(join(cwd, "outside"), "outside");
		await backup({ sums: sumsLine(path) });
		await refused("SHA256SUMS names what no backup holds");
	});

	test("one whose list names a file twice [restore.twice]", async () => {
		await backup({ sums: sumsLine("svc.db") + sumsLine("svc.db") });
		await refused("SHA256SUMS names what no backup holds");
	});

	test("one with a link instead of a file, a folder or the list [restore.links]", async () => {
		const path = join(cwd, "backup/images/blobs/0d/img_1+a");
		await writeFile(join(cwd, "elsewhere"), "a picture");
		await backup();
		await unlink(path);
		await symlink(join(cwd, "elsewhere"), path);
		await refused("is no ordinary file");
		await rm(join(cwd, "backup"), { recursive: true });
		await backup();
		await rm(join(cwd, "backup/images/blobs/0d"), { recursive: true });
		await mkdir(join(cwd, "folder"));
		await writeFile(join(cwd, "folder/img_1+a"), "a picture");
		await symlink(join(cwd, "folder"), join(cwd, "backup/images/blobs/0d"));
		await refused("is no ordinary folder");
	});

	test("--skip-damaged goes without a lost picture, exits 3 and names it, but never goes without the database [restore.skip]", async () => {
		await backup();
		await writeFile(join(cwd, "backup/images/blobs/0d/img_1+a"), "a picturf");
		await writeFile(join(cwd, "backup/svc.db"), "a databasf");
		await refused("this one has lost its database", EXIT.failed, ["--skip-damaged"]);
		await writeFile(join(cwd, "backup/svc.db"), "a database");
		const { exit, out } = await restore(["--skip-damaged", "--json"]);
		expect([exit, JSON.parse(out).damaged]).toEqual([EXIT.partly, ["images/blobs/0d/img_1+a"]]);
		expect((await filesOf(dataDir())).sort()).toEqual(["images/blobs/f3/img_2+b", "svc.db", "without-secret"]);
	});

	test("Ctrl-C leaves nothing behind [restore.interrupt]", async () => {
		await backup();
		expect((await restore([], AbortSignal.abort(new Interrupted()))).exit).toBe(EXIT.interrupted);
		expect(await isThere(dataDir())).toBe(false);
	});

	test("one that cannot be looked into says so, and not that it is none [restore.unreadable]", async () => {
		await symlink("backup", join(cwd, "backup"));
		await refused("manifest.json cannot be read (ELOOP)");
	});

	test.skipIf(process.getuid?.() === 0).each(["svc.db", "SHA256SUMS", "manifest.json", "."])(
		"one whose %s may not be read says so [restore.forbidden]",
		async (name) => {
			await backup();
			await chmod(join(cwd, "backup", name), 0);
			await refused("cannot be read (EACCES)");
			await chmod(join(cwd, "backup", name), 0o700);
		},
	);
});
