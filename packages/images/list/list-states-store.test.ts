import { expect, test } from "bun:test";
import { images } from "@svc/base/database/schema/images";
import { migratedDatabase, NOW } from "@svc/test/support/scratch";
import { sql } from "drizzle-orm";
import { stateWay } from "./list-states-store.ts";

test.each([
	["blocked", "images_unlisted (storage_pk=? AND status=?"],
	["failed", "images_unlisted (storage_pk=? AND status=?"],
	["locked", "images_held (storage_pk=?"],
	["deleted", "deleted_images_list (storage_pk=?"],
] as const)(
	"a page of %s images is a stretch of one index, and each of its images one search",
	async (state, index) => {
		await using scratch = await migratedDatabase();
		const scope = { storagePk: 1, after: undefined, nowMs: NOW };
		for (const after of [undefined, { publishedMs: NOW, pk: 9 }]) {
			const way = stateWay(scope, state, { ids: undefined, labels: [] }, []);
			const [stream] = way?.streams(after) ?? [];
			const rows = way?.deleted ?? sql`CROSS JOIN ${images} WHERE ${images.pk} = page.image_pk`;
			const query = sql`EXPLAIN QUERY PLAN SELECT ${images.filename}
			FROM (${stream} ORDER BY 1 DESC, 2 DESC LIMIT 51) AS page ${rows}`;
			const plan = await scratch.database.read(() =>
				scratch.database.queries.values<[number, number, number, string]>(query),
			);
			const text = plan.map(([, , , detail]) => detail).join("\n");
			expect(text).not.toContain("TEMP B-TREE");
			expect(text).toContain(`INDEX ${index}`);
			expect(text).not.toMatch(/SCAN (images|deleted_images)/);
		}
	},
);
