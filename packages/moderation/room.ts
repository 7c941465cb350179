import type { Base } from "@svc/base/base";
import { hmac } from "@svc/base/crypto/macs";
import type { Database } from "@svc/base/database/client";
import { keptKey } from "@svc/base/database/secrets/deployment-secret-store";
import type { Images } from "@svc/images/room";
import { blockedPicturesStore } from "./likeness/blocked-pictures-store.ts";
import { pictureQueueStore } from "./likeness/picture-queue-store.ts";
import { moderationStore } from "./moderation-store.ts";
import { reportStore } from "./reports-store.ts";

export type Moderation = Awaited<ReturnType<typeof openModeration>>;

interface ModerationParts {
	readonly images: Images;
	/** What the service does with a picture that is like a blocked one without being the same. */
	readonly similar: "lock" | "block" | "off";
}

export async function openModeration(base: Base, database: Database, { images, similar }: ModerationParts) {
	return {
		...base,
		images,
		similar,
		store: moderationStore(database),
		reports: reportStore(database),
		blocked: blockedPicturesStore(database),
		queue: pictureQueueStore(database),
		reportMac: await hmac(await keptKey(database, base.keyring, "reports")),
	};
}
