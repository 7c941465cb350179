import type { By } from "@svc/base/actor";
import type { Image } from "@svc/images/images";
import type { ModeratedImage, ModerationAction, ModerationChange, ModerationState } from "./moderation.ts";
import type { NewReport, Outcome, Report } from "./reports.ts";

/* What is asked of the world about moderation; see ports.ts. Lists come newest first, only rows whose pk is below `beforePk`. */

export interface Span {
	readonly limit: number;
	/** Undefined: from the newest. */
	readonly beforePk: number | undefined;
}

/** Why a moderation's commit did not happen; nothing of it was written. */
export type ModerationRefusal = "moved";

export interface ModerationStore {
	/** An image of any storage in any status, with its history; expired ones are not found. */
	find(imageId: string, nowMs: number): Promise<ModeratedImage | undefined>;
	/** `appId` undefined: of all Apps. */
	list(
		query: Span & { readonly state: ModerationState; readonly appId: string | undefined },
		nowMs: number,
	): Promise<readonly ModeratedImage[]>;
	/**
	 * One guarded commit: the image is in a state that the action changes, the change, the revision, history and audit. With `revision`,
	 * also that nobody has changed the image since. "moved" when any of it does not hold, or there is no such image.
	 */
	change(imageId: string, change: ModerationChange, by: By): Promise<ModerationRefusal | undefined>;
	/** A deletion like any other, with history; false when the image is gone. */
	delete(image: Image, change: ModerationChange, by: By): Promise<boolean>;
	/** What was done to the images of an App, those included that are gone. */
	listActions(appPk: number, span: Span): Promise<readonly ModerationAction[]>;
}

export interface ReportStore {
	/** Keeps nothing where there is no such image to be seen, or the same network has an open report of it. */
	create(report: NewReport, nowMs: number): Promise<void>;
	find(id: string): Promise<Report | undefined>;
	list(query: Span & { readonly open: boolean }): Promise<readonly Report[]>;
	/** False when it has been resolved already, or there is none. */
	resolve(id: string, outcome: Outcome, by: By): Promise<boolean>;
	/** Forgets who sent reports that were settled before a moment; returns of how many. */
	forgetEmails(beforeMs: number, limit: number): Promise<number>;
}
