import type { ModerationAction, ModerationItem, Tombstone } from "@svc/sdk/shapes";
import { type Column, fields } from "../../kit/output/table.ts";

/** Columns of many items. The order of the columns in a pipe is a promise to scripts: add at the end only. */
export const ITEM_COLUMNS: readonly Column<ModerationItem>[] = [
	...fields("id"),
	{ name: "state", value: stateOf, worth: 5 },
	{ name: "reason", value: (item) => item.blocked_reason, worth: 3 },
	{ name: "reports", value: (item) => item.reports_count, worth: 4 },
	{ name: "app", value: (item) => item.image.app_id },
	{ name: "filename", value: (item) => item.image.filename, shrinks: true, worth: 2 },
	{ name: "created_at", value: (item) => item.created_at, worth: 1 },
	{ name: "url", value: (item) => item.image.url, hidden: true },
];

/** Every column of one item. */
export const ITEM_DETAIL: readonly Column<ModerationItem>[] = [
	...ITEM_COLUMNS,
	{ name: "caption", value: (item) => item.image.caption },
	{ name: "storage", value: (item) => item.image.storage },
	...fields("revision"),
	{ name: "open_reports", value: reportsText },
	{ name: "history", value: actionsText },
];

/** Columns of what moderation did: items as they are now, and what is left of deleted ones. */
export const DONE_COLUMNS: readonly Column<ModerationItem | Tombstone>[] = [
	...fields("id"),
	{ name: "state", value: (done) => (isItem(done) ? stateOf(done) : "deleted") },
	{ name: "reason", value: (done) => (isItem(done) ? done.blocked_reason : null) },
];

/** Columns of moderation actions as an App's team sees them. */
export const ACTION_COLUMNS: readonly Column<ModerationAction>[] = [
	...fields("id", "created_at"),
	{ name: "image", value: (action) => action.image_id },
	...fields("action", "reason"),
];

function stateOf({ image, locked }: ModerationItem): string {
	return [image.status, ...(locked ? ["locked"] : []), ...(image.nsfw ? ["nsfw"] : [])].join(",");
}

function reportsText({ reports }: ModerationItem): string {
	return reports.map(({ id, reason, note }) => `${id} ${reason}${note ? `: ${note}` : ""}`).join(" · ");
}

function actionsText({ actions }: ModerationItem): string {
	return actions
		.map(({ created_at, action, reason, note, actor_email, actor }) => {
			const why = [reason, note].filter(Boolean).join(": ");
			return `${created_at} ${action}${why ? ` (${why})` : ""} by ${actor_email ?? actor}`;
		})
		.join(" · ");
}

function isItem(done: ModerationItem | Tombstone): done is ModerationItem {
	return done.object === "moderation_item";
}
