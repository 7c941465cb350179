import type { Apps } from "@svc/apps/room";
import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { KeyReach } from "@svc/base/enumerations";
import { appKeyStore } from "./app-keys-store.ts";
import { keyStore } from "./keys-store.ts";
import { replayStore } from "./replays-store.ts";

export type Keys = ReturnType<typeof openKeys>;

interface KeyParts {
	readonly apps: Apps;
	/** The reaches of keys with which X-Svc-User is ignored; with others that reach one storage alone it is a mistake. */
	readonly userIgnored: ReadonlySet<KeyReach>;
}

export function openKeys(base: Base, database: Database, parts: KeyParts) {
	return {
		...base,
		...parts,
		store: keyStore(database, (cause) => base.log.warn("times of last use could not be written", { cause })),
		appKeys: appKeyStore(database),
		replays: replayStore(database, base.process),
	};
}
