import type { Database } from "@svc/base/database/client";
import { imageAnalyses } from "@svc/base/database/schema/images";
import { sql } from "drizzle-orm";
import { decoded, json } from "./analysis-store.ts";
import type { Analysis, Placeholder } from "./transform/analysis.ts";

const text = json<Analysis["thumbhash"] | Analysis["colour"]>();

/** What is known of these pictures, by blob key; none is looked at for it. */
export async function listPlaceholders(
	{ queries, read }: Database,
	blobKeys: readonly string[],
): Promise<ReadonlyMap<string, Placeholder>> {
	const rows = await read(() =>
		queries
			.select({ blobKey: imageAnalyses.blobKey, kind: imageAnalyses.kind, value: imageAnalyses.value })
			.from(imageAnalyses)
			.where(
				sql`${imageAnalyses.blobKey} IN (SELECT value FROM json_each(${JSON.stringify(blobKeys)}))
					AND ${imageAnalyses.kind} IN ('thumbhash', 'colour')`,
			),
	);
	const known = new Map<string, Partial<Placeholder>>();
	for (const { blobKey, kind, value } of rows) {
		known.set(blobKey, { ...known.get(blobKey), [kind]: decoded(text, value) });
	}
	return new Map([...known].filter((entry): entry is [string, Placeholder] => isWhole(entry[1])));
}

function isWhole({ thumbhash, colour }: Partial<Placeholder>): boolean {
	return thumbhash !== undefined && colour !== undefined;
}
