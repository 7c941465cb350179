import type { Clock } from "@svc/base/ports";
import type { App, Storage } from "./access.ts";
import { newApp } from "./apps.ts";
import type { OwnAppStore } from "./own-app-store.ts";

/**
 * The service's own App. Its team is empty; it holds what belongs to no other App: the pool of anonymous images, and the storages
 * that people have of their own.
 */
export interface OwnApp {
	readonly app: App;
	/** The storage for all creates without a key. */
	readonly pool: Storage;
}

/** Creates the App and its pool where they are missing; `name` is the service's own. */
export async function ensureOwnApp(store: OwnAppStore, clock: Clock, name: string): Promise<void> {
	if (!(await store.find())) await store.create(newApp(name), clock.now());
}
