import type { Access } from "@svc/apps/access";
import type { MapChange } from "@svc/images/image-fields";
import type { ListFilter } from "@svc/images/list/list-filters";

/** What is done to each image: one of them. */
export interface ImageAct {
	readonly labels?: MapChange | undefined;
	/** Seconds from the moment at which an image has its turn; null makes it permanent. */
	readonly ttl?: number | null | undefined;
	/** They can be restored for a day. */
	readonly delete?: boolean | undefined;
	readonly restore?: boolean | undefined;
	/** To a connected user, or with null to the App storage. */
	readonly move?: { readonly user_id: string | null } | undefined;
}

/** Why an image was left as it is. */
export type SkipReason =
	| "gone"
	| "locked"
	| "blocked"
	| "failed"
	| "processing"
	| "unchanged"
	| "invalid"
	| "conflict"
	| "quota"
	| "forbidden"
	| "cancelled";

export type Skipped = Readonly<Partial<Record<SkipReason, number>>>;

export interface NewImageJob {
	readonly filter: ListFilter;
	readonly act: ImageAct;
	/** The connected user whose storage it is about; null for the App's own. */
	readonly userId: string | null;
	readonly sessionId: string;
	readonly requestId: string | null;
}

/** A job of which something is left to do, and where its images are. */
export interface OpenImageJob extends NewImageJob {
	readonly pk: number;
	readonly id: string;
	readonly newestPk: number;
	readonly listed: boolean;
	readonly changed: number;
	readonly skipped: Skipped;
	readonly cancelledMs: number | null;
	readonly app: Access["app"];
	readonly storage: Access["storage"];
}

export interface Item {
	readonly imagePk: number;
	readonly imageId: string;
}
