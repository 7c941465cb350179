import type { BlockReason, LikenessKind, ModerationVerb, StorageKind } from "@svc/base/enumerations";
import type { Image } from "@svc/images/images";
import type { Placeholder } from "@svc/images/transform/analysis";
import type { Report } from "./report.ts";

/** Why a moderation was refused; nothing of it was written. */
export type ModerationRefusal = "moved";

/** The images of an operator's list: with open reports, or in a state that an operator set. */
export const MODERATION_STATES = ["reported", "locked", "blocked", "nsfw", "all"] as const;

export type ModerationState = (typeof MODERATION_STATES)[number];

/** The actor of what the service itself does to an image. */
export const SERVICE = "service";

/** The blocked image that another one is like, and how. */
export interface Similar {
	readonly imageId: string;
	readonly kind: LikenessKind;
	/** 0 to 1; 1 for the same. */
	readonly score: number;
}

/** The same as it is shown: what is gone is not there to be seen any more. */
export interface ShownSimilar extends Similar {
	/** Null once the image is gone. */
	readonly appId: string | null;
	/** What it was blocked for. */
	readonly reason: BlockReason | null;
}

/** One entry of the history, which outlives the image. */
export interface ModerationAction {
	readonly pk: number;
	readonly id: string;
	readonly imageId: string;
	readonly action: ModerationVerb;
	readonly reason: BlockReason | null;
	/** A note that only operators read. */
	readonly note: string | null;
	/** Account id of the operator. */
	readonly actor: string;
	readonly actorEmail: string | null;
	readonly createdMs: number;
	/** Null for all that was not done because of another image. */
	readonly similar: Similar | null;
}

export interface ModeratedImage {
	readonly pk: number;
	readonly image: Image;
	readonly appId: string;
	readonly storage: StorageKind;
	/** Null until the image has been analysed. */
	readonly placeholder: Placeholder | null;
	/** Open reports, newest first, up to the number that is shown. */
	readonly reports: readonly Report[];
	/** How many open reports there are. */
	readonly reportsCount: number;
	/** The blocked image because of which the service did something to this one, the last time. */
	readonly similar: ShownSimilar | null;
	/** Actions, newest first, up to the number that is shown. */
	readonly actions: readonly ModerationAction[];
}

/** An action that is about to be committed. */
export interface ModerationChange extends Pick<ModerationAction, "id" | "reason" | "note"> {
	readonly verb: ModerationVerb;
	/** Null: any revision of the image. */
	readonly revision: number | null;
	/** Whether an unblock opens the reports again that the block settled. */
	readonly reopensReports: boolean;
	/** What it was done because of, which must still be blocked. */
	readonly similar?: Similar | undefined;
	/** The picture that it is about; whatever the image shows where it is left out. */
	readonly blobKey?: string | undefined;
}
