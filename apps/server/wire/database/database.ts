import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Keyring } from "@svc/base/crypto/keyring";
import type { Database, DatabaseOptions } from "@svc/base/database/client";
import { damageIn, tellDamage } from "@svc/base/database/file/quick-check";
import { readDatabaseMark } from "@svc/base/database/meta";
import { type MigrationState, migrate, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { withKnownOutcomes } from "@svc/base/database/remote/known-outcomes";
import { Progress } from "@svc/base/database/remote/server-streams";
import type { Clock, Log } from "@svc/base/ports";
import { endLeases } from "@svc/images/create/idempotency-store";
import { endJobLeases } from "@svc/jobs/jobs-store";
import { endReplayLeases } from "@svc/keys/replays-store";
import { endMailClaims } from "@svc/mail/mail-store";
import { checkDatabase, type DatabaseCheck, UNCHECKED } from "@svc/operator/backups/database-check";
import { makeForLaterService } from "@svc/operator/backups/later-service-store";
import { markStore, nameInstallation, requireSameInstallation, type Sides } from "@svc/operator/installation";
import type { Config } from "../../config/config.ts";
import type { Runtime } from "../base.ts";
import { compact, findSecret, type OwnKeyring, openKeyring } from "../secret/secret.ts";
import { type Ownership, takeStore } from "../storage/ownership.ts";
import type { PictureStore } from "../storage/storage.ts";
import { placeOf } from "./database-place.ts";
import { type Durability, openDurability } from "./durability.ts";

/** How long a server may take for a migration: one that rebuilds a large table takes longer than any request waits. */
const MIGRATION_MAX_MS = 600_000;
/** How long a server may take to say what became of a change: shorter than a change, which waited for it already. */
const LOOK_UP_MAX_MS = 2_000;
/** A slow query is logged up to so many characters. */
const SQL_MAX = 200;

export interface DatabaseParts extends Runtime {
	readonly store: PictureStore;
	/** Makes room on the disk of a file. */
	readonly onFull: () => Promise<boolean>;
}

export interface OwnDatabase {
	readonly database: Database;
	readonly ownership: Ownership;
	readonly check: DatabaseCheck;
	readonly durability: Durability;
	readonly ownKeyring: OwnKeyring;
}

/**
 * Opens the deployment's database, makes sure that the pictures are its own, and brings it up to date.
 * @throws StrangeStore before anything is written, where they are another installation's
 * @throws Error that names the file where it is so damaged that it cannot be opened
 */
export async function openOwnDatabase(config: Config, parts: DatabaseParts): Promise<OwnDatabase> {
	try {
		return await openIt(config, parts);
	} catch (cause) {
		const found = damageIn(cause);
		if (found === undefined || config.database.kind === "remote") throw cause;
		throw new Error(tellDamage(config.database.path, found), { cause });
	}
}

async function openIt(config: Config, parts: DatabaseParts): Promise<OwnDatabase> {
	const { clock, log, store } = parts;
	const where = config.database;
	const sides = sidesOf(config, store);
	// Opening makes the file: one that is refused should not be left behind.
	if (await isMissing(where)) await requireSameInstallation(sides, { isMade: false, installation: undefined });
	const options = optionsOf(config, parts);
	const database = await openDatabase(options);
	let check = UNCHECKED;
	let ownership: Ownership | undefined;
	try {
		await requireSameInstallation(sides, await readDatabaseMark(database));
		const durability = await openDurability(database, { config, log, place: placeOf(where) });
		const secret = await findSecret(config, database, { clock, isMeant: false });
		await compact(config, database, secret.state, log);
		if (where.kind === "file") check = await checkDatabase(where.path, log);
		await bringUpToDate(database, options, parts);
		const ownKeyring = await openKeyring(config, database, secret, parts);
		const { keyring } = ownKeyring;
		ownership = await joinStore(sides, { database, keyring, where, store });
		// A file has one owner at a time, so the process that held a lease is gone. A server may have other services at work.
		if (database.kind === "file") {
			await endLeases(database, clock.now());
			await endReplayLeases(database, clock.now());
			await endMailClaims(database, clock.now());
			await endJobLeases(database, clock.now());
			await acceptRestored(database, join(config.dataDir, "restored"), log);
		}
		return { database: await knowing(database, options), ownership, check, durability, ownKeyring };
	} catch (cause) {
		await giveUp({ database, ownership, check });
		throw cause;
	}
}

/** What a start that failed has opened; the same start may be tried again. */
export async function giveUp({
	database,
	ownership,
	check,
}: Pick<OwnDatabase, "database" | "check"> & { readonly ownership: Ownership | undefined }): Promise<void> {
	check.stop();
	// A bucket that cannot be told so now lets the lease end by itself.
	await ownership?.release().catch(() => undefined);
	await database.close();
}

export function sidesOf(config: Config, store: PictureStore): Sides {
	return { ...store, databasePlace: placeOf(config.database) };
}

export function optionsOf({ database: where, mode }: Config, { log, onFull }: DatabaseParts): DatabaseOptions {
	const openedMs = performance.now();
	return {
		url: where.kind === "file" ? pathToFileURL(where.path).href : where.url,
		token: where.kind === "remote" ? where.token : undefined,
		onSlow({ sql, ms }) {
			// Until then migrations take their time, and whatever else begins waits for them.
			if (performance.now() - openedMs < START_MS) return;
			// The disk of a developer's machine is often that slow, and nobody there is to act on it.
			log[mode === "live" ? "warn" : "info"]("slow query", { sql: shortened(sql), ms });
		},
		onFull,
		progress: new Progress(),
	};
}

/** For so long slow queries say more of the start than of the database. */
const START_MS = 30_000;

/** Enough to recognise it. */
function shortened(sql: string): string {
	return sql.length <= SQL_MAX ? sql : `${sql.slice(0, SQL_MAX)}…`;
}

/** Nothing is written into the store before it is taken: another service may be about to do the same. */
async function joinStore(
	sides: Sides,
	{
		store,
		...parts
	}: {
		readonly database: Database;
		readonly keyring: Keyring;
		readonly where: Config["database"];
		readonly store: PictureStore;
	},
): Promise<Ownership> {
	const installation = await nameInstallation(sides, parts.database);
	const ownership = await takeStore(store, { ...parts, installation });
	try {
		await markStore(sides, installation);
	} catch (cause) {
		await ownership.release();
		throw cause;
	}
	return ownership;
}

export async function bringUpToDate(
	database: Database,
	options: DatabaseOptions,
	{ clock, log }: Runtime,
): Promise<MigrationState> {
	const state = await migrateIt(database, options, clock);
	const { later } = state;
	if (later.length > 0) log.info("a newer release has changed the database; this one works beside it", { later });
	return state;
}

async function migrateIt(database: Database, options: DatabaseOptions, clock: Clock): Promise<MigrationState> {
	if (database.kind === "file") return await migrate(database, await readMigrations(), clock);
	const patient = await openDatabase({ ...options, remoteTimeoutMs: MIGRATION_MAX_MS });
	return await migrate(database, await readMigrations(), clock, patient).finally(() => patient.close());
}

/** For after the migrations: one of them makes the table that it needs. */
async function knowing(database: Database, options: DatabaseOptions): Promise<Database> {
	if (database.kind === "file") return database;
	return withKnownOutcomes(database, await openDatabase({ ...options, remoteTimeoutMs: LOOK_UP_MAX_MS }));
}

/** True for a file that is not there, or has nothing in it: both are a new database to SQLite. */
export async function isMissing(where: Config["database"]): Promise<boolean> {
	if (where.kind === "remote") return false;
	return ((await stat(where.path).catch(() => undefined))?.size ?? 0) === 0;
}

/** A database that was brought back to one moment is a copy as a backup is, and was made by a program that cannot change it. */
async function acceptRestored(database: Database, marker: string, log: Log): Promise<void> {
	if ((await stat(marker).catch(() => undefined)) === undefined) return;
	await makeForLaterService(database);
	await rm(marker);
	log.info("this database was brought back to an earlier moment; a mail that waited then counts as handed over once");
}
