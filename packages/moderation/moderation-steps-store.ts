import type { By } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Step } from "@svc/base/database/client";
import type { ModerationVerb } from "@svc/base/enumerations";
import { insertLabels } from "@svc/images/image-rows-store";
import type { Image } from "@svc/images/images";
import { deleteSteps } from "@svc/images/images-store";
import { type SQL, sql } from "drizzle-orm";
import type { ModerationChange, ModerationRefusal } from "./moderation.ts";
import { settleReports } from "./reports-store.ts";

interface Effect {
	/** What the image becomes. */
	readonly set: (change: ModerationChange, nowMs: number) => SQL;
	/** The state that it changes. */
	readonly when: SQL;
	/** The audit's word for it. */
	readonly event: string;
}

const EFFECTS = {
	lock: {
		set: (_, nowMs) => sql`locked_ms = ${nowMs}`,
		when: sql`locked_ms IS NULL`,
		event: "moderation.locked",
	},
	unlock: { set: () => sql`locked_ms = NULL`, when: sql`locked_ms IS NOT NULL`, event: "moderation.unlocked" },
	block: {
		set: ({ reason }) => sql`status = 'blocked', block_reason = ${reason}`,
		when: sql`status = 'ready'`,
		event: "moderation.blocked",
	},
	unblock: {
		set: () => sql`status = 'ready', block_reason = NULL`,
		when: sql`status = 'blocked'`,
		event: "moderation.unblocked",
	},
	nsfw: { set: () => sql`nsfw = 1`, when: sql`nsfw = 0`, event: "moderation.marked_nsfw" },
	not_nsfw: { set: () => sql`nsfw = 0`, when: sql`nsfw = 1`, event: "moderation.unmarked_nsfw" },
} as const satisfies Record<Exclude<ModerationVerb, "delete">, Effect>;

/** The image moves first, guarded; everything else tells of that. */
export function changeSteps(imageId: string, change: ModerationChange, by: By): readonly Step<ModerationRefusal>[] {
	const { verb, reason, revision } = change;
	if (verb === "delete") throw new Error("A deletion has steps of its own.");
	const { set, when, event }: Effect = EFFECTS[verb];
	const unmoved = revision === null ? sql`` : sql` AND revision = ${revision}`;
	return [
		{
			run: sql`UPDATE images SET ${set(change, by.nowMs)}, revision = revision + 1
				WHERE id = ${imageId} AND ${when} AND (expires_ms IS NULL OR expires_ms > ${by.nowMs})${unmoved}`,
			guard: "moved",
		},
		...labelSteps(imageId, verb),
		...(verb === "block" ? [{ run: settleReports(imageId, by.actor, by.nowMs) }] : []),
		{ run: historyEntry(sql`id = ${imageId}`, change, by) },
		{
			run: auditBy(by, {
				appPk: sql`(SELECT app_pk FROM images WHERE id = ${imageId})`,
				event,
				target: imageId,
				...(reason !== null && { changes: { reason } }),
			}),
		},
	];
}

/** Only ready images are found by their labels. */
function labelSteps(imageId: string, verb: ModerationVerb): readonly Step[] {
	if (verb === "unblock") return [{ run: insertLabels(imageId) }];
	if (verb !== "block") return [];
	return [{ run: sql`DELETE FROM image_labels WHERE image_pk = (SELECT pk FROM images WHERE id = ${imageId})` }];
}

/** The history is written while the image is still there to say whose it was. */
export function deletionSteps(image: Image, change: ModerationChange, by: By): readonly Step<"gone">[] {
	return [
		{ run: historyEntry(sql`pk = ${image.pk} AND id = ${image.id}`, change, by), guard: "gone" },
		{ run: settleReports(image.id, by.actor, by.nowMs) },
		...deleteSteps(image, by.actor, by.nowMs, "moderation.deleted"),
	];
}

function historyEntry(image: SQL, { id, verb, reason, note }: ModerationChange, by: By): SQL {
	return sql`INSERT INTO moderation_actions (id, image_id, app_pk, actor, action, reason, note, created_ms)
		SELECT ${id}, id, app_pk, ${by.actor}, ${verb}, ${reason}, ${note}, ${by.nowMs} FROM images WHERE ${image}`;
}
