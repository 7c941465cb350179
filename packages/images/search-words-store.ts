import type { Database } from "@svc/base/database/client";
import { noRows } from "@svc/base/database/rows";
import { images } from "@svc/base/database/schema/images";
import { column } from "@svc/base/database/statements";
import { isNull, sql } from "drizzle-orm";
import { keptWords } from "./search-words.ts";

/** So many images are read and written at once. */
const AT_ONCE = 200;

/** The words of images that a process wrote which knew nothing of them. */
export function searchWordsStore({ queries, read, write }: Database) {
	return {
		/** Writes those of some images that lack them; returns how many there were. */
		async catchUp(): Promise<number> {
			const { pk, filename, labels, caption, revision, words } = images;
			const select = queries.select({ pk, filename, labels, caption, revision }).from(images).where(isNull(words));
			const found = await read(() => select.orderBy(pk).limit(AT_ONCE));
			if (found.length === 0) return 0;
			const rows = JSON.stringify(found.map((image) => [image.pk, image.revision, keptWords(image)]));
			// An image that changed meanwhile has its turn again.
			const run = sql`UPDATE ${images} SET ${column(words)} = found.value ->> 2 FROM json_each(${rows}) AS found
				WHERE ${pk} = found.value ->> 0 AND ${revision} = found.value ->> 1 AND ${words} IS NULL`;
			await write([{ run, rows: [noRows(images)] }]);
			return found.length;
		},
	};
}
