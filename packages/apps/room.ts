import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { Jobs } from "@svc/jobs/room";
import type { People } from "@svc/people/room";
import { activityStore } from "./activity-store.ts";
import { profileStore } from "./app-profile-store.ts";
import { appStore } from "./apps-store.ts";
import { auditStore } from "./audit-store.ts";
import { inviteStore } from "./invites-store.ts";
import { memberStore } from "./members-store.ts";
import { membershipStore } from "./memberships-store.ts";
import { ownAppStore } from "./own-app-store.ts";
import { redirectUriStore } from "./redirect-uris-store.ts";

export type Apps = ReturnType<typeof openApps>;

interface LowerRooms {
	readonly jobs: Jobs;
	readonly people: People;
}

export function openApps(base: Base, database: Database, lower: LowerRooms) {
	return {
		...base,
		...lower,
		store: appStore(database),
		profiles: profileStore(database),
		members: memberStore(database),
		memberships: membershipStore(database),
		invites: inviteStore(database),
		redirectUris: redirectUriStore(database),
		ownApp: ownAppStore(database),
		audit: auditStore(database),
		activity: activityStore(database),
	};
}
