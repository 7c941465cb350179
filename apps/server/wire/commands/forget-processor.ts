import { claimInstallation } from "@svc/base/database/meta";
import { openDatabase } from "@svc/base/database/open";
import { newId } from "@svc/base/ids";
import type { ProcessorIdentity } from "@svc/billing/ports";
import { processorIdentityStore } from "@svc/billing/processor/processor-identity-store";
import { trialMac } from "@svc/billing/room";
import { publishedStatusStore } from "@svc/billing/subscriptions/published-statuses-store";
import type { Config } from "../../config/config.ts";
import type { Runtime } from "../base.ts";
import { bringUpToDate, type DatabaseParts, isMissing, optionsOf } from "../database/database.ts";
import { findSecret, openKeyring } from "../secret/secret.ts";
import { takeStore } from "../storage/ownership.ts";
import { openBallast, openStore } from "../storage/storage.ts";

const DAY_MS = 86_400_000;

interface ForgottenProcessor {
	readonly object: "forgotten_processor";
	/** False where it was only looked at. */
	readonly forgotten: boolean;
	/** Null where the database has none. */
	readonly processor: ProcessorIdentity | null;
	/** How many of its subscriptions had not ended. */
	readonly subscriptions: number;
}

/**
 * Ends the subscriptions of a stopped service's processor on our side, if that is meant, so that it can be started with another one.
 * Nothing is asked of the processor.
 * @throws Error while a service has the database
 */
export async function forgetProcessor(config: Config, runtime: Runtime, isMeant: boolean): Promise<ForgottenProcessor> {
	const nothing = { object: "forgotten_processor", forgotten: false, processor: null, subscriptions: 0 } as const;
	// Opening makes the file.
	if (await isMissing(config.database)) return nothing;
	const store = await openStore(config, runtime.log);
	const parts: DatabaseParts = { ...runtime, store, onFull: openBallast(config, runtime.log).release };
	const options = optionsOf(config, parts);
	const database = await openDatabase(options);
	try {
		const secret = await findSecret(config, database, { ...runtime, isMeant: false });
		if (isMeant) await bringUpToDate(database, options, runtime);
		const identities = processorIdentityStore(database);
		const processor = await identities.find();
		if (!processor) return nothing;
		if (!isMeant) return { ...nothing, processor, subscriptions: await identities.countLive(processor) };
		const { keyring } = await openKeyring(config, database, secret, runtime);
		const installation = await claimInstallation(database, newId("ins"));
		const ownership = await takeStore(store, { database, keyring, where: config.database, installation });
		const by = { actor: "server", requestId: null, nowMs: runtime.clock.now() };
		const terms = {
			takesPayments: true,
			trialMac: await trialMac(database, keyring),
			graceMs: config.graceDays * DAY_MS,
		};
		const published = publishedStatusStore(database, terms);
		const ended = await identities.forget(processor, published, by).finally(() => ownership.release());
		return { ...nothing, forgotten: true, processor, subscriptions: ended };
	} finally {
		await database.close();
	}
}
