import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import { readDatabaseMark } from "@svc/base/database/meta";
import type { Jobs } from "@svc/jobs/room";
import type { People } from "@svc/people/room";
import { activityStore } from "./activity/activity-store.ts";
import { auditStore } from "./activity/audit-store.ts";
import { openedUsers } from "./activity/opened-users-store.ts";
import { appStore } from "./apps-store.ts";
import { imageHostStore } from "./image-host/image-hosts-store.ts";
import { ownAppStore } from "./own-app-store.ts";
import { profileStore } from "./profile/app-profile-store.ts";
import { redirectUriStore } from "./profile/redirect-uris-store.ts";
import { inviteStore } from "./team/invites-store.ts";
import { memberStore } from "./team/members-store.ts";
import { membershipStore } from "./team/memberships-store.ts";

export type Apps = ReturnType<typeof openApps>;

interface LowerRooms {
	readonly jobs: Jobs;
	readonly people: People;
	/** What the TXT records of a name say, none where it has none; undefined where the DNS does not answer. */
	readonly findTexts: (name: string) => Promise<readonly string[] | undefined>;
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
		imageHosts: imageHostStore(database),
		/** The id of this installation. */
		installation: async () => (await readDatabaseMark(database)).installation ?? "",
		redirectUris: redirectUriStore(database),
		ownApp: ownAppStore(database),
		audit: auditStore(database),
		activity: activityStore(database),
		/** Notes that somebody of a team looks into a user's storage. */
		noteOpened: openedUsers(database),
	};
}
