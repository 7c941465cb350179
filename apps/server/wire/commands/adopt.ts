import { claimInstallation } from "@svc/base/database/meta";
import { openDatabase } from "@svc/base/database/open";
import type { LostTexts } from "@svc/base/database/secrets/sealed-rows-store";
import { newId } from "@svc/base/ids";
import { type AdoptionFacts, readAdoptionFacts } from "@svc/operator/installation";
import type { Config } from "../../config/config.ts";
import type { Runtime } from "../base.ts";
import { bringUpToDate, type DatabaseParts, isMissing, optionsOf, sidesOf } from "../database/database.ts";
import { findSecret, openKeyring } from "../secret/secret.ts";
import { takeStore } from "../storage/ownership.ts";
import { openBallast, openStore } from "../storage/storage.ts";

interface Adoption extends AdoptionFacts {
	readonly object: "adoption";
	/** False where it was only looked at. */
	readonly adopted: boolean;
	/** Fingerprints: of the secret that the database was used with, null for none, and of those that are here. */
	readonly secret: { readonly known: string | null; readonly given: readonly string[] };
	/** How many texts were made anew, or ended, because the secret was another one. */
	readonly lost: LostTexts;
}

/**
 * Looks at a stopped service's database and pictures, and makes the pictures the database's if that is meant. No picture is touched.
 * @throws Error while a service has either of them
 */
export async function adopt(config: Config, runtime: Runtime, isMeant: boolean): Promise<Adoption> {
	const store = await openStore(config, runtime.log);
	const sides = sidesOf(config, store);
	const adoption = (facts: AdoptionFacts, found: Pick<Adoption, "secret" | "lost">): Adoption => ({
		...{ object: "adoption", adopted: isMeant, ...facts },
		...found,
	});
	// Opening makes the file.
	if (!isMeant && (await isMissing(config.database))) {
		const secret = { known: null, given: [] };
		return adoption(await readAdoptionFacts(sides, undefined), { secret, lost: {} });
	}
	const parts: DatabaseParts = { ...runtime, store, onFull: openBallast(config, runtime.log).release };
	const options = optionsOf(config, parts);
	const database = await openDatabase(options);
	try {
		let lost: LostTexts = {};
		const found = await findSecret(config, database, { ...runtime, isMeant: true });
		if (isMeant) {
			await bringUpToDate(database, options, runtime);
			const { keyring, ...opened } = await openKeyring(config, database, found, runtime);
			lost = opened.lost ?? {};
			const installation = await claimInstallation(database, newId("ins"));
			const ownership = await takeStore(store, { database, keyring, where: config.database, installation });
			await store.mark.replace(installation).finally(() => ownership.release());
		}
		const given = found.secrets.map(({ fingerprint }) => fingerprint);
		const secret = { known: found.state?.fingerprint ?? null, given };
		return adoption(await readAdoptionFacts(sides, database), { secret, lost });
	} finally {
		await database.close();
	}
}
