import { afterAll, beforeAll, expect, test } from "bun:test";
import { migratedDatabase, NOW, type Scratch } from "@svc/test/support/scratch";
import { sql } from "drizzle-orm";
import { MODERATION_STATES } from "./deeds.ts";
import { chosenBy } from "./moderation-store.ts";

let scratch: Scratch;
beforeAll(async () => {
	scratch = await migratedDatabase();
});
afterAll(() => scratch[Symbol.asyncDispose]());

async function planOf(state: (typeof MODERATION_STATES)[number], appId: string | undefined): Promise<string> {
	const { queries, read } = scratch.database;
	const chosen = chosenBy(state, appId, { limit: 51, beforePk: 1_000 }, NOW);
	const rows = await read(() => queries.values<[number, number, number, string]>(sql`EXPLAIN QUERY PLAN ${chosen}`));
	return rows.map(([, , , detail]) => detail).join("\n");
}

const INDEXES = {
	locked: "images_locked",
	blocked: "images_unready",
	nsfw: "images_nsfw",
	reported: "reports_open",
} as const;

test.each(MODERATION_STATES)("a page of %s images visits only such images, in their order", async (state) => {
	for (const appId of [undefined, "app_x"]) {
		const plan = await planOf(state, appId);
		// Open reports are few, and their images are sorted.
		if (state !== "reported") expect(plan).not.toContain("TEMP B-TREE");
		if (state === "all") expect(plan).toContain(appId ? "images_app" : "SEARCH images USING INTEGER PRIMARY KEY");
		else expect(plan).toContain(INDEXES[state]);
		expect(plan).not.toMatch(/SCAN images(?! USING INDEX)/);
	}
});
