import type { AddRoutes, ApiParts } from "@svc/api/parts";
import * as v from "valibot";

/* Keys to a person's own storage, outside of every App. All versions list and revoke them: those that people hold keep working. */

export function ownKeyRoute({ keyFields, personKeyRoute, readInput }: ApiParts): AddRoutes {
	const body = {
		name: keyFields.name,
		permissions: v.optional(keyFields.permissions, ["read", "write"]),
		expires_at: keyFields.expiry,
	};
	return (app, rooms) =>
		personKeyRoute(app, rooms, {
			path: "/v1/me/keys",
			operation: {
				operationId: "createOwnKey",
				summary: "A key to one's own storage, which the first one makes; its secret is shown once",
			},
			body,
			async read(call) {
				const { name, permissions, expires_at: expiresMs = null } = await readInput(call, body);
				return { name, permissions: new Set(permissions), expiresMs };
			},
			appOf: () => null,
		});
}
