import { personKeyRoute } from "@svc/api/connect/user-keys";
import { keyExpiry, keyName, keyPermissions } from "@svc/api/keys/key";
import { readInput } from "@svc/api/kit/body/body";
import type { AddRoutes } from "@svc/api/version";
import * as v from "valibot";

/* Keys to a person's own storage, outside of every App. All versions list and revoke them: those that people hold keep working. */

const BODY = {
	name: keyName,
	permissions: v.optional(keyPermissions, ["read", "write"]),
	expires_at: keyExpiry,
};

export const ownKeyRoute: AddRoutes = (app, rooms) =>
	personKeyRoute(app, rooms, {
		path: "/v1/me/keys",
		operation: {
			operationId: "createOwnKey",
			summary: "A key to one's own storage, which the first one makes; its secret is shown once",
		},
		body: BODY,
		async read(call) {
			const { name, permissions, expires_at: expiresMs = null } = await readInput(call, BODY);
			return { name, permissions: new Set(permissions), expiresMs };
		},
		appOf: () => null,
	});
