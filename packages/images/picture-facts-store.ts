import type { Database } from "@svc/base/database/client";
import { imageAnalyses, images } from "@svc/base/database/schema/images";
import { type SQL, sql } from "drizzle-orm";
import type { PictureFacts } from "./ports.ts";

/** The facts of the image of the row as a text of JSON: {@link PictureFacts}. */
export const FACTS_SNAPSHOT = sql`json_object('thumbhash', ${found("thumbhash")}, 'colours', ${found("colours")}, 'taken', ${found("taken")}, 'mends', ${found("mends")},
	'sha256', lower(hex(coalesce(${images.sentSha256}, ${images.sha256}))))`;

export function pictureFactsStore({ queries, read }: Database) {
	return {
		/** What is known of each of these images, by their ids. */
		async list(ids: readonly string[]): Promise<ReadonlyMap<string, PictureFacts>> {
			const rows = await read(() =>
				queries.values<[string, string]>(sql`SELECT ${images.id}, ${FACTS_SNAPSHOT} FROM ${images}
					WHERE ${images.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`),
			);
			return new Map(rows.map(([id, facts]) => [id, JSON.parse(facts) as PictureFacts]));
		},
	};
}

function found(kind: "thumbhash" | "colours" | "taken" | "mends"): SQL {
	return sql`json((SELECT CAST(${imageAnalyses.value} AS TEXT) FROM ${imageAnalyses}
		WHERE ${imageAnalyses.blobKey} = ${images.blobKey} AND ${imageAnalyses.kind} = ${sql.raw(`'${kind}'`)}))`;
}
