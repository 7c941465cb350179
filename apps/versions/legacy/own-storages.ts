import type { Variant } from "@svc/variants/variant";

/** People have a storage of their own, in the service's own App. */
export const ownStorages: Variant["storages"] = {
	keyrings: [{ path: "/account/keys", app: null }],
	/** Empty before the first key has made it. */
	find: async (connect, account) => (await connect.users.findOwnStorage(account.pk)) ?? { images: 0, bytes: 0 },
};
