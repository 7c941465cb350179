import { openDatabase } from "@svc/base/database/client";
import { claimInstallation } from "@svc/base/database/meta";
import { newId } from "@svc/base/ids";
import { type AdoptionFacts, readAdoptionFacts } from "@svc/operator/installation";
import type { Config } from "../config.ts";
import type { Runtime } from "./base.ts";
import { bringUpToDate, type DatabaseParts, isMissing, optionsOf, sidesOf } from "./database.ts";
import { takeStore } from "./ownership.ts";
import { openBallast, openStore } from "./storage.ts";

interface Adoption extends AdoptionFacts {
	readonly object: "adoption";
	/** False where it was only looked at. */
	readonly adopted: boolean;
}

/**
 * Looks at a stopped service's database and pictures, and makes the pictures the database's if that is meant. No picture is touched.
 * @throws Error while a service has either of them
 */
export async function adopt(config: Config, runtime: Runtime, isMeant: boolean): Promise<Adoption> {
	const store = await openStore(config, runtime.log);
	const sides = sidesOf(config, store);
	const adoption = (facts: AdoptionFacts): Adoption => ({ object: "adoption", adopted: isMeant, ...facts });
	// Opening makes the file.
	if (!isMeant && (await isMissing(config.database))) return adoption(await readAdoptionFacts(sides, undefined));
	const parts: DatabaseParts = { ...runtime, store, onFull: openBallast(config, runtime.log).release };
	const options = optionsOf(config, parts);
	const database = await openDatabase(options);
	try {
		if (isMeant) {
			await bringUpToDate(database, options, runtime);
			const installation = await claimInstallation(database, newId("ins"));
			const ownership = await takeStore(store, { database, where: config.database, installation });
			await store.mark.replace(installation).finally(() => ownership.release());
		}
		return adoption(await readAdoptionFacts(sides, database));
	} finally {
		await database.close();
	}
}
