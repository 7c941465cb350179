import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Database, type DatabaseOptions, openDatabase } from "@svc/base/database/client";
import { withKnownOutcomes } from "@svc/base/database/known-outcomes";
import { migrate, readMigrations } from "@svc/base/database/migrate";
import type { Log } from "@svc/base/ports";
import { endLeases } from "@svc/images/idempotency-store";
import { endJobLeases } from "@svc/jobs/jobs-store";
import { endMailClaims } from "@svc/mail/mail-store";
import { makeForLaterService } from "@svc/operator/later-service-store";
import type { Config } from "../config.ts";
import type { Runtime } from "./base.ts";

/** How long a server may take for a migration: one that rebuilds a large table takes longer than any request waits. */
const MIGRATION_MAX_MS = 600_000;
/** How long a server may take to say what became of a change: shorter than a change, which waited for it already. */
const LOOK_UP_MAX_MS = 2_000;

/** Opens the deployment's database and brings it up to date. `onFull` makes room on the disk of a file. */
export async function openOwnDatabase(
	config: Config,
	{ clock, log }: Runtime,
	onFull: () => Promise<boolean>,
): Promise<Database> {
	const where = config.database;
	const options: DatabaseOptions = {
		url: where.kind === "file" ? pathToFileURL(where.path).href : where.url,
		token: where.kind === "remote" ? where.token : undefined,
		onSlow: (slow) => log.warn("slow query", { ...slow }),
		onFull,
	};
	const database = await openDatabase(options);
	if (database.kind === "remote") {
		const patient = await openDatabase({ ...options, remoteTimeoutMs: MIGRATION_MAX_MS });
		await migrate(database, await readMigrations(), clock, patient).finally(() => patient.close());
		// Beginning after the migrations: one of them makes the table that it needs.
		return withKnownOutcomes(database, await openDatabase({ ...options, remoteTimeoutMs: LOOK_UP_MAX_MS }));
	}
	await migrate(database, await readMigrations(), clock);
	// A file has one owner at a time, so the process that held a lease is gone. A server may have other services at work.
	await endLeases(database, clock.now());
	await endMailClaims(database, clock.now());
	await endJobLeases(database, clock.now());
	await acceptRestored(database, join(config.dataDir, "restored"), log);
	return database;
}

/** A database that was brought back to one moment is a copy as a backup is, and was made by a program that cannot change it. */
async function acceptRestored(database: Database, marker: string, log: Log): Promise<void> {
	if (!(await Bun.file(marker).exists())) return;
	await makeForLaterService(database);
	await rm(marker);
	log.info("this database was brought back to an earlier moment; a mail that waited then counts as handed over once");
}
