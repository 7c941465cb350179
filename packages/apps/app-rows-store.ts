import { type apps, storages } from "@svc/base/database/schema/apps";
import type { App } from "./access.ts";

/** What a query selects from storages to make a {@link Storage}. */
export const storageFields = {
	pk: storages.pk,
	id: storages.id,
	teamHash: storages.teamHash,
	kind: storages.kind,
	state: storages.state,
	tier: storages.tier,
	publicByDefault: storages.publicByDefault,
};

export function toApp(row: typeof apps.$inferSelect): App {
	return {
		pk: row.pk,
		id: row.id,
		name: row.name,
		plan: row.plan,
		imagesLimit: row.imagesLimit,
		usersLimit: row.usersLimit,
		paused: row.pausedMs !== null,
		blocked: row.blockedMs !== null,
	};
}
