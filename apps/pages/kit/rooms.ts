import type { Apps } from "@svc/apps/room";
import type { Base } from "@svc/base/base";
import type { Billing } from "@svc/billing/room";
import type { Connect } from "@svc/connect/room";
import type { Delivery } from "@svc/delivery/room";
import type { Erasure } from "@svc/erasure/room";
import type { Exports } from "@svc/exports/room";
import type { Images } from "@svc/images/room";
import type { Mail } from "@svc/mail/room";
import type { Moderation } from "@svc/moderation/room";
import type { People } from "@svc/people/room";
import type { Variant } from "@svc/variants/variant";

/** The rooms that the hosted pages open, and what they need besides; `apps/server` builds it. */
export interface PagesRooms extends Base {
	readonly mail: Mail;
	readonly people: People;
	readonly apps: Apps;
	readonly images: Images;
	readonly delivery: Delivery;
	readonly connect: Connect;
	readonly exports: Exports;
	readonly moderation: Moderation;
	readonly billing: Billing;
	readonly erasure: Erasure;
	/** The properties of the served interface that the pages depend on. */
	readonly variant: Pick<Variant, "billing" | "storages" | "image">;
	/** Whether new pictures are shown to a service of the operator's own that judges them. */
	readonly isJudged: boolean;
	/** Where people write who found a fault of the service. */
	readonly supportEmail: string | undefined;
	/** The network address that a request came from, as far as it can be known. */
	readonly addressOf: (request: Request) => string;
	/** Makes a call to the API within this process, as from the network address that another request came from. */
	readonly ask: (call: Request, from: Request) => Promise<Response>;
}
