import type { Database } from "@svc/base/database/client";
import { apps, invites } from "@svc/base/database/schema/apps";
import { and, eq, isNull } from "drizzle-orm";
import type { Invitation } from "./invitations.ts";
import { standing } from "./invites-store.ts";

export type InvitationStore = ReturnType<typeof invitationStore>;

export function invitationStore({ queries, read }: Database) {
	const { id, role, email, expiresMs, acceptedMs } = invites;
	return {
		/** By the SHA-256 of its token; only of an App that is not being deleted. */
		async find(inviteId: string, tokenHash: Uint8Array): Promise<Invitation | undefined> {
			const [row] = await read(() =>
				queries
					.select({ id, appName: apps.name, role, email, expiresMs, acceptedMs })
					.from(invites)
					.innerJoin(apps, eq(apps.pk, invites.appPk))
					.where(and(eq(invites.tokenHash, tokenHash), eq(id, inviteId), isNull(apps.deletingMs), standing)),
			);
			return row;
		},
	};
}
