import { readDatabaseMark } from "@svc/base/database/meta";
import { type MigrationState, readMigrationState, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { requireSameInstallation } from "@svc/operator/installation";
import type { Config } from "../../config/config.ts";
import type { Runtime } from "../base.ts";
import { bringUpToDate, isMissing, optionsOf, sidesOf } from "../database/database.ts";
import { whileAway } from "../database/patience.ts";
import { openBallast, openStore } from "../storage/storage.ts";

interface MigrationRun extends MigrationState {
	readonly object: "migration";
	/** False where it was only looked at. */
	readonly migrated: boolean;
}

/**
 * Brings the database to this release without starting a service: the step before the processes of a new release start beside those of the
 * old one. Of a database file no service may run.
 * @throws Error as a start does
 */
export function migrateOnly(config: Config, runtime: Runtime, isMeant: boolean): Promise<MigrationRun> {
	return whileAway({ config, log: runtime.log }, () => migrateOnce(config, runtime, isMeant));
}

async function migrateOnce(config: Config, runtime: Runtime, isMeant: boolean): Promise<MigrationRun> {
	const run = (state: MigrationState): MigrationRun => ({ object: "migration", migrated: isMeant, ...state });
	const migrations = await readMigrations();
	// Opening makes the file.
	if (!isMeant && (await isMissing(config.database)))
		return run({ missing: migrations.map(({ name }) => name), later: [] });
	const store = await openStore(config, runtime.log);
	const options = optionsOf(config, { ...runtime, store, onFull: openBallast(config, runtime.log).release });
	const database = await openDatabase(options);
	try {
		await requireSameInstallation(sidesOf(config, store), await readDatabaseMark(database));
		return run(
			isMeant ? await bringUpToDate(database, options, runtime) : await readMigrationState(database, migrations),
		);
	} finally {
		await database.close();
	}
}
