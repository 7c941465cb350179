import type { Base } from "@svc/base/base";
import { hmac } from "@svc/base/crypto/macs";
import type { Database } from "@svc/base/database/client";
import { keptKey } from "@svc/base/database/secrets/deployment-secret-store";
import type { Images } from "@svc/images/room";
import { moderationStore } from "./moderation-store.ts";
import { reportStore } from "./reports-store.ts";

export type Moderation = Awaited<ReturnType<typeof openModeration>>;

export async function openModeration(base: Base, database: Database, { images }: { readonly images: Images }) {
	return {
		...base,
		images,
		store: moderationStore(database),
		reports: reportStore(database),
		reportMac: await hmac(await keptKey(database, base.keyring, "reports")),
	};
}
