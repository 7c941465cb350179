import type { Apps } from "@svc/apps/room";
import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import { appKeyStore } from "./app-keys-store.ts";
import { keyStore } from "./keys-store.ts";
import { replayStore } from "./replays-store.ts";

export type Keys = ReturnType<typeof openKeys>;

export function openKeys(base: Base, database: Database, { apps }: { readonly apps: Apps }) {
	return {
		...base,
		apps,
		store: keyStore(database, (cause) => base.log.warn("times of last use could not be written", { cause })),
		appKeys: appKeyStore(database),
		replays: replayStore(database),
	};
}
