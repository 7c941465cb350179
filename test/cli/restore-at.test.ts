import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { litestream, litestreamNote, withoutLitestream } from "../support/litestream.ts";
import { plain } from "../support/pictures.ts";
import { openProgram, type Program } from "../support/program.ts";
import { type StartedService, startService } from "../support/service.ts";

const REPLICA = "file:///nowhere/replica";
const NOON = "2026-01-01T12:00";

let service: StartedService;
let program: Program;

beforeAll(async () => {
	service = await startService();
	program = await openProgram(service);
	await writeFile(join(program.cwd, "first.png"), await plain(5, 5));
	await writeFile(join(program.cwd, "second.png"), await plain(6, 6));
});

afterAll(async () => {
	await program.close();
	await service.stop();
});

const restoreAt = (copy: string, at: string, ...more: string[]) =>
	program.svc("server", "restore", copy, "--at", at, "--to", "back", ...more);
const upload = async (name: string) => {
	const [image] = await program.json<Image[]>("images", "upload", name);
	if (!image) throw new Error("nothing was uploaded");
	return image;
};

describe("a moment that cannot be brought back", () => {
	test.each([
		["yesterday", "is no moment"],
		["2026-01-01", "is no moment"],
		["2026-02-30T25:00", "is no moment"],
		["2999-01-01T00:00Z", "has not come yet"],
	])("%s is refused, and says how to write one [restore.at.moment]", async (at, why) => {
		const { exit, err } = await restoreAt("copy", at, "--replica", REPLICA);
		expect([exit, err]).toEqual([2, expect.stringContaining(why)]);
	});

	test("needs to know where the database was copied to [restore.at.replica]", async () => {
		const { exit, err } = await restoreAt("copy", NOON);
		expect([exit, err]).toEqual([2, expect.stringContaining("--replica")]);
	});

	test("needs the copied pictures [restore.at.copy]", async () => {
		const { exit, err } = await restoreAt("nowhere", NOON, "--replica", REPLICA);
		expect([exit, err]).toEqual([5, expect.stringContaining("images/blobs")]);
	});

	test("leaves nothing behind where there is no Litestream [restore.at.missing]", async () => {
		await mkdir(join(program.cwd, "copy/images/blobs"), { recursive: true });
		const bare = await openProgram(service, { env: { PATH: "/nowhere" } });
		const { exit, err } = await bare.svc(
			...["server", "restore", join(program.cwd, "copy"), "--to", "back", "--at", NOON, "--replica", REPLICA],
		);
		expect([exit, err]).toEqual([1, expect.stringContaining("no litestream on the PATH")]);
		expect(await readdir(bare.cwd)).not.toContain("back");
		await bare.close();
	});
});

describe.skipIf(withoutLitestream)(`a moment that Litestream copied${litestreamNote}`, () => {
	test("comes back with its pictures, and mails that waited count as handed over [restore.at.whole]", async () => {
		await using replica = await replicate(service.dataDir, join(program.cwd, "replica"));
		const first = await upload("first.png");
		await replica.until((database) => isIn(database, first.id));
		const at = new Date().toISOString();
		// What comes next has to be of a later moment.
		await Bun.sleep(1_100);
		const second = await upload("second.png");
		await program.svc("images", "delete", first.id, "--yes");
		await replica.until((database) => isIn(database, second.id) && !isIn(database, first.id));
		await cp(join(service.dataDir, "images"), join(program.cwd, "kept/images"), { recursive: true });

		const found = await openProgram(service, { env: { PATH: dirname(litestream()) } });
		const copy = join(program.cwd, "kept");
		const dataDir = join(found.cwd, "back");
		const moment = ["--at", at, "--replica", replica.url, "--to", dataDir];
		const early = await found.svc("server", "restore", copy, ...moment.with(1, "2020-01-01T00:00"));
		expect([early.exit, early.err]).toEqual([1, expect.stringContaining("Litestream could not restore")]);
		expect(await readdir(found.cwd)).not.toContain("back");
		expect(await found.json<object>("server", "restore", copy, ...moment)).toMatchObject({
			...{ restored: true, made_at: at, files: 2, damaged: [] },
		});
		queueMail(join(dataDir, "svc.db"));

		const later = await startService({ SVC_DATA_DIR: dataDir });
		const there = await openProgram(later, { token: service.token, apiKey: service.apiKey });
		expect(await there.json<Image>("images", "get", first.id)).toMatchObject({ id: first.id, status: "ready" });
		expect((await fetch(`${later.cdnUrl}${new URL(first.url).pathname}`)).status).toBe(200);
		expect((await there.svc("images", "get", second.id)).exit).toBe(5);
		expect(await later.database.rows("SELECT uncertain FROM emails", [])).toEqual([[1]]);
		expect(await readdir(dataDir)).not.toContain("restored");
		await there.close();
		await later.stop();
		await found.close();
	});
});

function isIn(database: Database, id: string): boolean {
	return database.query("SELECT 1 FROM images WHERE id = ?").get(id) !== null;
}

/** A mail that waited at that moment. */
function queueMail(path: string): void {
	const database = new Database(path);
	database.run(
		"INSERT INTO emails (id, template, recipient, facts, dedupe, next_ms, created_ms) VALUES ('waits', 'invite', 'a@example.com', '{}', 'waits', 1, 0)",
	);
	database.close();
}

interface Replica extends AsyncDisposable {
	readonly url: string;
	/** Waits until the newest copy is as it should be. */
	until(is: (database: Database) => boolean): Promise<void>;
}

/** Litestream beside a service that runs. */
async function replicate(dataDir: string, folder: string): Promise<Replica> {
	const config = `${folder}.yml`;
	const replica = { type: "file", path: folder, "sync-interval": "100ms" };
	await writeFile(config, JSON.stringify({ dbs: [{ path: join(dataDir, "svc.db"), replica }] }));
	const quiet = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;
	const child = Bun.spawn([litestream(), "replicate", "-config", config], quiet);
	const url = `file://${folder}`;
	const isAsIs = async (is: (database: Database) => boolean) => {
		const path = `${folder}-now.db`;
		await rm(path, { force: true });
		if ((await Bun.spawn([litestream(), "restore", "-o", path, url], quiet).exited) !== 0) return false;
		const database = new Database(path, { readonly: true });
		try {
			return is(database);
		} finally {
			database.close();
		}
	};
	return {
		url,
		async until(is) {
			for (let tries = 0; tries < 300; tries++) {
				if (await isAsIs(is)) return;
				await Bun.sleep(100);
			}
			throw new Error("the replica never came to be as it should be");
		},
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await child.exited;
		},
	};
}
