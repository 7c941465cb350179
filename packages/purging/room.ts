import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import { purgeStore } from "./purges-store.ts";
import type { PurgeTarget } from "./target.ts";

export type Purging = Awaited<ReturnType<typeof openPurging>>;

/** @param target undefined: nothing is purged, and nothing written */
export async function openPurging(base: Base, database: Database, target: PurgeTarget | undefined) {
	const purges = purgeStore(database, base.process);
	await purges.turn(target !== undefined);
	return { ...base, target, purges };
}
