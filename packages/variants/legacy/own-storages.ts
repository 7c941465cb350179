import { ensureOwnApp } from "@svc/apps/own-app";
import { findOwnStorage } from "@svc/connect/users";
import type { Variant } from "../variant.ts";

/** People have a storage of their own, and the service's own App holds it, and the pool of what came without a key. */
export const ownStorages: Variant["storages"] = {
	prepare: ensureOwnApp,
	keyrings: [{ path: "/account/keys", app: null }],
	/** Empty before the first key has made it. */
	find: async (connect, account) => (await findOwnStorage(connect, account)) ?? { images: 0, bytes: 0 },
};
