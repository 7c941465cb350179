import type { Database } from "@svc/base/database/client";
import { apps, storages } from "@svc/base/database/schema/apps";
import { and, eq, sql } from "drizzle-orm";
import { type AppProfile, toProfile } from "./app-profile.ts";

export interface FoundProfile {
	readonly name: string;
	readonly profile: AppProfile;
	/** Of the App's own storage, which holds the logo. */
	readonly teamHash: string;
}

export function profileStore({ queries, read }: Database) {
	const find = queries
		.select({ name: apps.name, profile: apps.profile, teamHash: storages.teamHash })
		.from(apps)
		.innerJoin(storages, and(eq(storages.appPk, apps.pk), eq(storages.kind, "app")))
		.where(eq(apps.pk, sql.placeholder("appPk")))
		.prepare();
	return {
		/** Who is behind an App; undefined for one that has no storage of its own, as the service's App. */
		async find(appPk: number): Promise<FoundProfile | undefined> {
			const [row] = await read(() => find.all({ appPk }));
			return row && { ...row, profile: toProfile(row.profile) };
		},
	};
}
