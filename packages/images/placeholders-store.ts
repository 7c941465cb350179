import type { Database } from "@svc/base/database/client";
import { imageFacts } from "@svc/base/database/schema/images";
import { sql } from "drizzle-orm";
import { decoded, json } from "./facts-store.ts";
import type { Facts, Placeholder } from "./transform/facts.ts";

const text = json<Facts["thumbhash"] | Facts["colour"]>();

/** What is known of these pictures, by blob key; none is looked at for it. */
export async function listPlaceholders(
	{ queries, read }: Database,
	blobKeys: readonly string[],
): Promise<ReadonlyMap<string, Placeholder>> {
	const rows = await read(() =>
		queries
			.select({ blobKey: imageFacts.blobKey, kind: imageFacts.kind, value: imageFacts.value })
			.from(imageFacts)
			.where(
				sql`${imageFacts.blobKey} IN (SELECT value FROM json_each(${JSON.stringify(blobKeys)}))
					AND ${imageFacts.kind} IN ('thumbhash', 'colour')`,
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
