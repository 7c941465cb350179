import type { Apps } from "@svc/apps/room";
import type { Base } from "@svc/base/base";
import type { RateLimiter } from "@svc/base/pace/rate-in-process";
import type { Billing } from "@svc/billing/room";
import type { Connect } from "@svc/connect/room";
import type { Delivery } from "@svc/delivery/room";
import type { Erasure } from "@svc/erasure/room";
import type { Events } from "@svc/events/room";
import type { Exports } from "@svc/exports/room";
import type { ImageJobs } from "@svc/image-jobs/room";
import type { Master } from "@svc/images/ports";
import type { Images } from "@svc/images/room";
import type { Imports } from "@svc/imports/room";
import type { Jobs } from "@svc/jobs/room";
import type { Keys } from "@svc/keys/room";
import type { Mail } from "@svc/mail/room";
import type { Moderation } from "@svc/moderation/room";
import type { Moves } from "@svc/moves/room";
import type { Operator } from "@svc/operator/room";
import type { People } from "@svc/people/room";
import type { Tickets } from "@svc/tickets/room";
import type { Variant } from "@svc/variants/variant";
import type { Webhooks } from "@svc/webhooks/room";

/** The image fits into so many pixels and keeps its proportions. */
export type PictureBox = Readonly<Partial<Record<"w" | "h", string>>> & { readonly format: "png" | "jpg" };

/** The rooms that the API's routes open, and what they need besides; `apps/server` builds it. */
export interface ApiRooms extends Base {
	readonly jobs: Jobs;
	readonly events: Events;
	readonly mail: Mail;
	readonly people: People;
	readonly apps: Apps;
	readonly keys: Keys;
	readonly images: Images;
	readonly delivery: Delivery;
	readonly connect: Connect;
	readonly tickets: Tickets;
	readonly imports: Imports;
	readonly imageJobs: ImageJobs;
	readonly exports: Exports;
	readonly moves: Moves;
	readonly moderation: Moderation;
	readonly webhooks: Webhooks;
	readonly billing: Billing;
	readonly erasure: Erasure;
	readonly operator: Operator;
	readonly variant: Variant;
	/** Draws a stored image, in turn with what the transform host renders; rejects for an image that cannot be decoded. */
	readonly drawPicture: (master: Master, box: PictureBox) => Promise<Uint8Array<ArrayBuffer>>;
	/** The folder of what people take from the service: `svc-sdk-….tgz`, `svc-cli-….tgz` and `ticket-upload.js`. */
	readonly downloads: () => Promise<URL>;
	/** Whether this is what stands in the data directory, where nobody else can read it. */
	readonly isMachineKey: (sent: string) => Promise<boolean>;
	/** Whether new pictures are shown to a service of the operator's own that judges them: the pages say so. */
	readonly isJudged: boolean;
	/** Where people write who found a fault of the service. */
	readonly supportEmail: string | undefined;
	/** Per key: a limit on all calls, and a further one on creates. */
	readonly limits: {
		readonly calls: RateLimiter;
		readonly creates: RateLimiter;
		/** Per network: what routes that need no key have refused. */
		readonly refusals: RateLimiter;
		/** Per person: tests, redeliveries and recoveries of webhooks. */
		readonly webhookSends: RateLimiter;
		/** Names that one person makes the service look for in the DNS. */
		readonly lookUps: RateLimiter;
		/** Wrong secrets for the first operator: per network, and all together. */
		readonly bootstrapsPerNetwork: RateLimiter;
		readonly bootstraps: RateLimiter;
		/** Per network: a limit on reads without a key. */
		readonly openReads: RateLimiter;
		/** Per network: a limit on uploads by ticket. */
		readonly uploads: RateLimiter;
	};
	/** The time from which [C] refuses `public`. */
	readonly publicCutoffMs: number;
	/** The network address that a request came from, as far as it can be known. */
	readonly addressOf: (request: Request) => string;
	/** Makes a call to the API or the images' host within this process, as from the network address that another request came from. */
	readonly ask: (call: Request, from: Request) => Promise<Response>;
	/** Tries, for real, everything that the service cannot work without; names what failed. */
	readonly readiness: () => Promise<Readiness>;
}

/**
 * `slow`: it has not answered yet, but did a short time ago; `failing`: of a part that the service is ready without; `strong` and
 * `relaxed`: whether a database server syncs each commit. Of the deployment's secret: `missing`, `moving` while what was made without it
 * or with the one before is still taken, `spare` once the one before may go.
 */
export const CHECK_STATES = [
	...(["ok", "slow", "failing", "failed", "damaged", "draining"] as const),
	...(["strong", "relaxed", "missing", "moving", "spare"] as const),
] as const;
export type CheckState = (typeof CHECK_STATES)[number];

export interface Readiness {
	readonly ready: boolean;
	readonly checks: Readonly<Record<string, CheckState>>;
}
