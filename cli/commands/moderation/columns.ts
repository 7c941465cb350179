import { moderationState } from "@svc/nouns/moderation";
import type { ModerationAction, ModerationItem, Tombstone } from "@svc/sdk/shapes";
import { type Column, fields } from "../../kit/output/table.ts";

/** Columns of what moderation did: items as they are now, and what is left of deleted ones. */
export const DONE_COLUMNS: readonly Column<ModerationItem | Tombstone>[] = [
	...fields("id"),
	{ name: "state", value: (done) => (isItem(done) ? moderationState(done) : "deleted") },
	{ name: "reason", value: (done) => (isItem(done) ? done.blocked_reason : null) },
];

/** Columns of moderation actions as an App's team sees them. */
export const ACTION_COLUMNS: readonly Column<ModerationAction>[] = [
	...fields("id", "created_at"),
	{ name: "image", value: (action) => action.image_id },
	...fields("action", "reason"),
];

function isItem(done: ModerationItem | Tombstone): done is ModerationItem {
	return done.object === "moderation_item";
}
