import { rmSync } from "node:fs";
import { copyFile, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { migrate, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { afterAllFiles } from "./last-of-all.ts";

/*
 * A database of this release without a row, once for all tests of a process: a test file may open a hundred, and to run all migrations takes
 * most of the time in which a service starts. What migrations do is tried where they are.
 */

let made: Promise<string> | undefined;
let folder: string | undefined;

/** Writes it to a path where nothing is yet. */
export async function putMigrated(path: string): Promise<void> {
	made ??= makeOnce();
	await mkdir(dirname(path), { recursive: true });
	await copyFile(await made, path);
}

async function makeOnce(): Promise<string> {
	folder = await mkdtemp(join(tmpdir(), "svc-migrated-"));
	afterAllFiles(removeMigrated);
	const file = join(folder, "svc.db");
	const database = await openDatabase({ url: pathToFileURL(file).href });
	await migrate(database, await readMigrations(), { now: Date.now });
	// The last connection brings all of it into the one file.
	await database.close();
	return file;
}

function removeMigrated(): void {
	if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
