import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Image, Job } from "@svc/sdk/shapes";
import { flip, masterFile } from "../support/damage.ts";
import { addPerson } from "../support/people.ts";
import { plain } from "../support/pictures.ts";
import { openProgram, type Program } from "../support/program.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let program: Program;

beforeAll(async () => {
	service = await startService();
	program = await openProgram(service);
	await writeFile(join(program.cwd, "a.png"), await plain(5, 5));
});

afterAll(async () => {
	await program.close();
	await service.stop();
});

const backedUp = async () => String((await program.json<Job>("server", "backup")).result?.path);

test("waits for the end, prints where it is, and says how to bring it back [cli.server.backup]", async () => {
	const { exit, out, err } = await program.svc("server", "backup", "--field", "result.path");
	const path = out.trim();
	expect(exit).toBe(0);
	expect(path).toStartWith(join(service.dataDir, "backups/"));
	expect(err).toContain(`svc server restore ${path} --to`);
	const columns = (await program.svc("server", "backup")).out.split("\t");
	expect(columns.slice(1, 7)).toEqual(["done", columns[2] ?? "", "0", "1", columns[5] ?? "", "0"]);
});

test("--no-wait prints the job, which can be waited for [cli.server.backup-no-wait]", async () => {
	const started = await program.json<Job>("server", "backup", "--no-wait");
	expect(started).toMatchObject({ kind: "backup.make", state: expect.stringMatching(/queued|running/) });
	expect(await program.json<Job>("jobs", "wait", started.id)).toMatchObject({ state: "done" });
});

test("only operators may, and --dry-run makes none [cli.server.backup-refused]", async () => {
	const before = await readdir(join(service.dataDir, "backups"));
	const { secret } = await addPerson(service.database);
	const somebody = await openProgram(service, { token: secret });
	expect((await somebody.svc("server", "backup")).exit).toBe(4);
	await somebody.close();
	expect(await program.json<object[]>("server", "backup", "--dry-run", "-q")).toEqual([
		{ method: "POST", path: "/v1/operator/backups" },
	]);
	expect(await readdir(join(service.dataDir, "backups"))).toEqual(before);
});

test("exits 3 when the bytes of an image are gone, and says so [cli.server.backup-damaged]", async () => {
	const image = await program.json<Image[]>("images", "upload", "a.png");
	const [row] = await service.database.rows("SELECT blob_key FROM images WHERE id = ?", [image[0]?.id]);
	await rm((await service.rooms.images.blobs.find(String(row?.[0])))?.path ?? "");
	const { exit, err } = await program.svc("server", "backup");
	expect([exit, err]).toEqual([3, expect.stringContaining("missing or damaged")]);
	await program.svc("images", "delete", image[0]?.id ?? "", "--yes");
});

test("brings it back without a service or a key; the same key reads the same pictures there [cli.server.restore]", async () => {
	const [image] = await program.json<Image[]>("images", "upload", "a.png");
	const path = await backedUp();
	const dataDir = join(program.cwd, "back");
	const alone = await openProgram(service, { env: { SVC_PROFILE_FILE: "/nowhere/profiles.json" } });
	expect(await alone.json<object>("server", "restore", path, "--to", dataDir)).toMatchObject({
		restored: true,
		images: 1,
	});
	await alone.close();
	const other = await startService({ SVC_DATA_DIR: dataDir });
	const there = await openProgram(other, { token: service.token, apiKey: service.apiKey });
	expect(await there.json<Image>("images", "get", image?.id ?? "")).toMatchObject({ id: image?.id, status: "ready" });
	await there.close();
	await other.stop();
	const again = await program.svc("server", "restore", path, "--to", dataDir);
	expect([again.exit, again.err]).toEqual([6, expect.stringContaining("is not empty")]);
});

test("--only-damaged brings pictures back into a service that runs, and touches nothing else [cli.server.restore-only-damaged]", async () => {
	const images: Image[] = [];
	for (const width of [20, 21, 22]) {
		await writeFile(join(program.cwd, "one.png"), await plain(width, 9));
		images.push(...(await program.json<Image[]>("images", "upload", "one.png")));
	}
	const backup = await backedUp();
	const [cut = "", lost = "", both = ""] = await Promise.all(images.map(({ id }) => masterFile(service, id)));
	await truncate(cut, 10);
	await rm(lost);
	await flip(both, 30);
	const words = ["server", "restore", backup, "--to", service.dataDir, "--only-damaged", "--missing"];
	expect(await program.json<object>(...words, "--dry-run")).toMatchObject({ restored: false, files: 3, damaged: [] });
	expect(await program.json<object>(...words.slice(0, -1), "--dry-run")).toMatchObject({ files: 2 });
	await flip(join(backup, both.slice(service.dataDir.length)), 40);
	const statuses = () => Promise.all(images.map(async ({ url }) => (await fetch(url)).status));
	expect(await statuses()).toEqual([503, 503, 503]);
	const { exit, out } = await program.svc(...words, "--json");
	expect([exit, JSON.parse(out)]).toEqual([
		3,
		expect.objectContaining({ restored: true, files: 2, damaged: [both.slice(service.dataDir.length + 1)] }),
	]);
	expect(await statuses()).toEqual([200, 200, 503]);
	expect((await program.svc(...words, "--skip-damaged")).exit).toBe(2);
	const nowhere = ["server", "restore", backup, "--to", join(program.cwd, "nowhere"), "--only-damaged"];
	expect((await program.svc(...nowhere)).err).toContain("no data directory");
});

test("--only-damaged alone brings nothing back that is not there: its owner may have deleted it [cli.server.restore-not-deleted]", async () => {
	for (const { id } of await program.json<Image[]>("images", "list"))
		await program.svc("images", "delete", id, "--yes");
	const [image] = await program.json<Image[]>("images", "upload", "a.png");
	const backup = await backedUp();
	const gone = await masterFile(service, image?.id ?? "");
	await program.svc("images", "delete", image?.id ?? "", "--yes");
	await rm(gone, { force: true });
	const { out, err, exit } = await program.svc("server", "restore", backup, "--to", service.dataDir, "--only-damaged");
	expect(await Bun.file(gone).exists()).toBe(false);
	expect([exit, out + err]).toEqual([expect.any(Number), expect.stringContaining("lost or deleted since")]);
	const alone = await program.svc("server", "restore", backup, "--to", join(program.cwd, "x"), "--missing");
	expect(alone.exit).toBe(2);
});

test("a reconcile tells of damaged pictures, exits 3 while there are, and repairs them [cli.server.reconcile-repair]", async () => {
	for (const { id } of await program.json<Image[]>("images", "list"))
		await program.svc("images", "delete", id, "--yes");
	const [image] = await program.json<Image[]>("images", "upload", "a.png");
	await backedUp();
	await flip(await masterFile(service, image?.id ?? ""), 20);
	const named = await program.svc("server", "scrub");
	expect([named.exit, named.err]).toEqual([3, expect.stringContaining("damaged or missing; 0 were brought back")]);
	const repaired = await program.svc("server", "reconcile", "--repair", "--json");
	expect(JSON.parse(repaired.out)).toMatchObject({ state: "done", result: { damaged_total: 1, repaired: 1 } });
	expect((await fetch(image?.url ?? "")).status).toBe(200);
});
