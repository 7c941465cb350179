import type { Database } from "@svc/base/database/client";
import { imageAnalyses, images } from "@svc/base/database/schema/images";
import { blockedPictures, moderationActions } from "@svc/base/database/schema/moderation";
import { columns, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { and, desc, eq, inArray, lt, notExists, or, sql } from "drizzle-orm";
import type { ModerationChange } from "../deeds.ts";

export type BlockedPicture = typeof blockedPictures.$inferSelect;

export function blockedPicturesStore({ queries, read, write }: Database) {
	const gone = notExists(queries.select({ one: sql`1` }).from(images).where(eq(images.id, blockedPictures.imageId)));
	return {
		/** Another text whenever there are other rows, or more is known of them. */
		async mark(): Promise<string> {
			const { pk, pixels } = blockedPictures;
			const found = sql`SELECT count(*), max(${pk}), count(${pixels}) FROM ${blockedPictures}`;
			const [row = []] = await read(() => queries.values<(number | null)[]>(found));
			return row.join(" ");
		},
		list: (): Promise<readonly BlockedPicture[]> => read(() => queries.select().from(blockedPictures)),
		/** What was seen of a picture. */
		async see(pk: number, seen: Pick<BlockedPicture, "likeness" | "pixels">): Promise<void> {
			await write([updateStep(blockedPictures, seen, eq(blockedPictures.pk, pk))]);
		},
		/** Those that were blocked before a moment and whose images are gone; returns of how many. */
		async forget(beforeMs: number, limit: number): Promise<number> {
			const old = queries
				.select({ pk: blockedPictures.pk })
				.from(blockedPictures)
				.where(and(lt(blockedPictures.blockedMs, beforeMs), gone))
				.limit(limit);
			const drop = statements.delete(blockedPictures).where(inArray(blockedPictures.pk, old));
			const { rows } = await write([{ run: drop.returning({ forgotten: sql`1` }) }]);
			return rows?.[0]?.length ?? 0;
		},
		/**
		 * Images that the service alone has locked or blocked because of one that is blocked no more, and what it did to them last.
		 */
		async listFreed(limit: number): Promise<readonly { readonly imageId: string; readonly action: string }[]> {
			const { imageId, similarId, action, pk } = moderationActions;
			const last = sql`(SELECT max(later.pk) FROM ${moderationActions} AS later WHERE later.image_id = ${imageId})`;
			const held = sql`EXISTS (SELECT 1 FROM ${images} WHERE ${images.id} = ${imageId}
				AND CASE ${action} WHEN 'lock' THEN ${images.lockedMs} IS NOT NULL ELSE ${images.status} = 'blocked' END)`;
			const kept = queries.select({ one: sql`1` }).from(blockedPictures).where(eq(blockedPictures.imageId, similarId));
			return await read(() =>
				queries
					.select({ imageId, action })
					.from(moderationActions)
					.where(and(sql`${similarId} IS NOT NULL`, notExists(kept), sql`${pk} = ${last}`, held))
					.limit(limit),
			);
		},
	};
}

/** Must be in the batch of a block, behind it. */
export function keepBlocked(imageId: string, { reason, note }: ModerationChange, nowMs: number): Step {
	const known = sql`(SELECT ${imageAnalyses.value} FROM ${imageAnalyses}
		WHERE ${imageAnalyses.blobKey} = ${images.blobKey} AND ${imageAnalyses.kind} = 'likeness')`;
	const named = columns(
		...[blockedPictures.imageId, blockedPictures.reason, blockedPictures.note, blockedPictures.blobKey],
		...[blockedPictures.format, blockedPictures.width, blockedPictures.height, blockedPictures.sha256],
		...[blockedPictures.sentSha256, blockedPictures.likeness, blockedPictures.blockedMs],
	);
	return {
		run: sql`INSERT OR REPLACE INTO ${blockedPictures} (${named})
			SELECT ${images.id}, ${reason ?? "content_policy"}, ${note}, ${images.blobKey}, ${images.format}, ${images.width},
				${images.height}, ${images.sha256}, ${images.sentSha256}, ${known}, ${nowMs}
			FROM ${images} WHERE ${images.id} = ${imageId}`,
	};
}

/**
 * Must be in the batch of an unblock, before its entry in the history: the picture may come back. So may that of an image that is gone, and because of which this
 * one was blocked: nobody could unblock that one any more.
 */
export function forgetBlocked(imageId: string): Step {
	const { similarId, pk } = moderationActions;
	const cause = sql`(SELECT ${similarId} FROM ${moderationActions} WHERE ${moderationActions.imageId} = ${imageId}
		ORDER BY ${desc(pk)} LIMIT 1)`;
	const gone = sql`NOT EXISTS (SELECT 1 FROM ${images} WHERE ${images.id} = ${blockedPictures.imageId})`;
	const either = or(eq(blockedPictures.imageId, imageId), and(eq(blockedPictures.imageId, cause), gone));
	return { run: statements.delete(blockedPictures).where(either) };
}
