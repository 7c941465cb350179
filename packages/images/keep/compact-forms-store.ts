import type { Database } from "@svc/base/database/client";
import { rowsOf } from "@svc/base/database/rows";
import { imageAnalyses, images } from "@svc/base/database/schema/images";
import { column, columns } from "@svc/base/database/statements";
import { sql } from "drizzle-orm";
import { COMPACT_MAX } from "../transform/compact.ts";

/**
 * Notes that a form of a picture is asked for often, once, and of each picture so many at most. The condition is that there is an image of it: a
 * visit may end after its image was deleted, and nothing would remove the note.
 */
export function compactFormsStore({ write }: Database) {
	return async function noteCompact(blobKey: string, form: string, nowMs: number): Promise<void> {
		const key = columns(imageAnalyses.blobKey, imageAnalyses.kind);
		const [value, foundAt] = [column(imageAnalyses.value), column(imageAnalyses.foundMs)];
		const known = sql`CAST(${imageAnalyses.value} AS TEXT)`;
		const run = sql`INSERT INTO ${imageAnalyses} (${key}, ${value}, ${foundAt})
			SELECT ${images.blobKey}, 'compact', CAST(json_array(${form}) AS BLOB), ${nowMs}
			FROM ${images} WHERE ${images.blobKey} = ${blobKey}
			ON CONFLICT (${key}) DO UPDATE SET ${value} = CAST(json_insert(${known}, '$[#]', ${form}) AS BLOB), ${foundAt} = ${nowMs}
			WHERE json_array_length(${known}) < ${COMPACT_MAX} AND NOT EXISTS (SELECT 1 FROM json_each(${known}) WHERE value = ${form})`;
		await write([{ run, rows: [rowsOf.analyses(blobKey)] }]);
	};
}
