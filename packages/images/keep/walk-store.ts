import type { Database } from "@svc/base/database/client";
import { meta } from "@svc/base/database/schema/service";
import { statements } from "@svc/base/database/statements";
import { eq } from "drizzle-orm";

/** How far a walk through the store has come. */
export interface WalkPlace {
	/** The `next` of the last page; undefined at the beginning. */
	readonly after?: string | undefined;
	/** When the next walk begins, where one has ended. */
	readonly restUntilMs: number;
}

/** What is walked through: the blobs, or their trash. */
export type WalkName = "blobs" | "trash";

export function walkStore({ queries, read, write }: Database) {
	const keyOf = (name: WalkName) => `walk of ${name}`;
	return {
		/** The beginning where nobody has walked yet. */
		async find(name: WalkName): Promise<WalkPlace> {
			const [row] = await read(() =>
				queries
					.select({ value: meta.value })
					.from(meta)
					.where(eq(meta.key, keyOf(name))),
			);
			return row ? (JSON.parse(row.value) as WalkPlace) : { restUntilMs: 0 };
		},
		/** For whichever process goes on. */
		async keep(name: WalkName, place: WalkPlace): Promise<void> {
			const value = JSON.stringify(place);
			const row = statements.insert(meta).values({ key: keyOf(name), value });
			await write([{ run: row.onConflictDoUpdate({ target: meta.key, set: { value } }) }]);
		},
	};
}
