import type { Apps } from "@svc/apps/room";
import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { Events } from "@svc/events/room";
import type { Jobs } from "@svc/jobs/room";
import { deliveryStore } from "./deliveries-store.ts";
import { endpointStore } from "./endpoints-store.ts";
import type { Describe, Poster } from "./ports.ts";
import { resultStore } from "./results-store.ts";

export type Webhooks = ReturnType<typeof openWebhooks>;

interface WebhookParts {
	readonly jobs: Jobs;
	readonly events: Events;
	readonly apps: Apps;
	readonly poster: Poster;
	readonly describe: Describe;
	/** In [0, 1): spreads what would be tried again at once. */
	readonly chance: () => number;
}

export function openWebhooks(base: Base, database: Database, parts: WebhookParts) {
	return {
		...base,
		...parts,
		endpoints: endpointStore(database),
		deliveries: deliveryStore(database, base.process),
		results: resultStore(database),
	};
}
