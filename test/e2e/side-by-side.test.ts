import { describe, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Migration, migrate, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { until } from "../support/workers.ts";

/* Processes of this release while a newer one has changed the database: its migrations are made up here. */

const released = await readMigrations();

const EXPANDING: Migration = {
	name: "9000_expands",
	statements: [
		"CREATE TABLE later (pk integer PRIMARY KEY, value text NOT NULL) STRICT",
		"ALTER TABLE images ADD later text",
		"ALTER TABLE idempotency ADD later integer NOT NULL DEFAULT 7",
		"ALTER TABLE processes ADD later text",
		"CREATE INDEX images_later ON images (later)",
	],
	sha256: "later",
	needs: "",
};
const BREAKING: Migration = { name: "9001_breaks", statements: ["DROP TABLE later"], sha256: "last" };

async function change(url: string, ...later: Migration[]): Promise<void> {
	const database = await openDatabase({ url });
	await migrate(database, [...released, ...later], { now: () => Date.now() });
	await database.close();
}

async function upload({ baseUrl }: ServerProcess, key: string): Promise<number> {
	const body = new FormData();
	body.append("file", new Blob([await plain(20, 10)]), "a.png");
	const headers = { Authorization: `Bearer ${key}`, "Idempotency-Key": crypto.randomUUID() };
	return (await fetch(`${baseUrl}/v1/images`, { method: "POST", body, headers })).status;
}

describe.skipIf(withoutLibsql)(`a process of the last release${libsqlNote}`, () => {
	test("goes on, and starts again, after a newer one has expanded the database; after more than that it says why not", async () => {
		await using database = await startLibsql();
		const dataDir = await mkdtemp(join(tmpdir(), "svc-side-"));
		const env = { SVC_DATABASE_URL: database.url, SVC_DATA_DIR: dataDir };
		const before = await startProcess(env);
		await before.ready();
		// The service answers before it has printed all that its first start says.
		const printed = () => /svc_sk_test_\w{38}/.exec(before.stdout())?.[0];
		await until(() => printed() !== undefined);
		const key = printed() ?? "";
		await change(database.url, EXPANDING);
		expect(await upload(before, key)).toBe(201);

		const again = await startProcess(env);
		await again.ready();
		await again.said("this one works beside it");
		expect([await upload(again, key), await upload(before, key)]).toEqual([201, 201]);
		expect([await before.stop(), await again.stop()]).toEqual([0, 0]);

		await change(database.url, EXPANDING, BREAKING);
		const last = await startProcess(env);
		expect(await last.ended()).toBe(1);
		expect(last.stderr()).toContain("has the migration 9001_breaks, which this release does not know");
		await removeData(dataDir);
	});
});
