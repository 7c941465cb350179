import type { Step } from "@svc/base/database/client";
import { type SQL, sql } from "drizzle-orm";

/** Who deletes, and as what it goes into the audit. */
interface Deletion {
	readonly actor: string;
	readonly nowMs: number;
	/** `image.deleted` when left out. */
	readonly event?: string;
}

/**
 * Deletes images of one storage with all that belongs to them; their blobs become trash. What they free is read from the rows
 * themselves: a caller's copy may be older than the last change. "gone" when none of them is there any more.
 */
export function deleteImagesSteps(
	pks: readonly number[],
	{ actor, nowMs, event = "image.deleted" }: Deletion,
): readonly Step<"gone">[] {
	const doomed = sql`IN (SELECT value FROM json_each(${JSON.stringify(pks)}))`;
	const keys = sql`(SELECT blob_key FROM images WHERE pk ${doomed})`;
	return [
		{ run: sql`UPDATE app_usage SET ${freed("app_pk", doomed)} WHERE app_usage.app_pk = gone.owner`, guard: "gone" },
		{ run: sql`UPDATE storages SET ${freed("storage_pk", doomed)} WHERE storages.pk = gone.owner` },
		{ run: sql`UPDATE blobs SET state = 'dead', since_ms = ${nowMs} WHERE blob_key IN ${keys}` },
		{
			run: sql`INSERT INTO audit (at_ms, actor, app_pk, event, target)
				SELECT ${nowMs}, ${actor}, app_pk, ${event}, id FROM images WHERE pk ${doomed}`,
		},
		{ run: sql`DELETE FROM image_labels WHERE image_pk ${doomed}` },
		{ run: sql`DELETE FROM image_facts WHERE blob_key IN ${keys}` },
		{ run: sql`DELETE FROM images WHERE pk ${doomed}` },
	];
}

/** Counters less what the images of their owner hold. */
function freed(owner: "app_pk" | "storage_pk", doomed: SQL): SQL {
	return sql`images = images - gone.freed, bytes = bytes - gone.freed_bytes
		FROM (SELECT ${sql.raw(owner)} AS owner, count(*) AS freed, sum(bytes) AS freed_bytes
			FROM images WHERE pk ${doomed} GROUP BY ${sql.raw(owner)}) AS gone`;
}
