import { newId, newTeamHash } from "@svc/base/ids";
import type { Clock } from "@svc/base/ports";
import type { App, Storage } from "./access.ts";
import { foldName } from "./app-names.ts";
import type { OwnAppStore } from "./own-app-store.ts";

/**
 * The service's own App. Nobody is in its team; it holds what belongs to no other App: the pool of anonymous images, and the storages
 * that people have of their own.
 */
export interface OwnApp {
	readonly app: App;
	/** Of everybody who creates without a key. */
	readonly pool: Storage;
}

export interface NewOwnApp {
	readonly appId: string;
	readonly name: string;
	readonly nameFold: string;
	readonly storageId: string;
	readonly teamHash: string;
}

/** Makes them where they are missing; `name` is the service's own. */
export async function ensureOwnApp(store: OwnAppStore, clock: Clock, name: string): Promise<void> {
	if (await store.find()) return;
	const fresh = {
		appId: newId("app"),
		name,
		nameFold: foldName(name),
		storageId: newId("sto"),
		teamHash: newTeamHash(),
	};
	await store.create(fresh, clock.now());
}
