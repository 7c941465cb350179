import { expect, test } from "bun:test";
import { newJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import { createImage, migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
import { sql } from "drizzle-orm";
import { recentImages } from "./recent-images-store.ts";

test("lists ready and unexpired images in the order in which they came, from a number on", async () => {
	const { database } = await migratedDatabase();
	const access = await seedApp(database);
	const recent = recentImages(database);
	expect([await recent.newestPk(), await recent.listReadyAfter(0, NOW, 10)]).toEqual([0, []]);
	const made = [];
	for (const [place, more] of [{}, { status: "blocked" as const }, { expiresMs: NOW }, {}, {}].entries()) {
		made.push(await createImage(database, access, newImage(access, place, more)));
	}
	const [first, , , fourth, fifth] = made;
	expect(await recent.newestPk()).toBe(fifth?.pk ?? 0);
	const ids = async (pk: number, limit: number) => (await recent.listReadyAfter(pk, NOW, limit)).map(({ id }) => id);
	expect(await ids(0, 2)).toEqual([first?.id ?? "", fourth?.id ?? ""]);
	expect(await ids(fourth?.pk ?? 0, 2)).toEqual([fifth?.id ?? ""]);
});

test("lists what was processed after its answer since a moment, and is ready now", async () => {
	const { database } = await migratedDatabase();
	const access = await seedApp(database);
	const recent = recentImages(database);
	const made = [];
	for (const [place, more] of [{}, { status: "failed" as const }, {}].entries())
		made.push(await createImage(database, access, newImage(access, place, more)));
	for (const [index, image] of made.entries()) {
		const job = jobEntry(newJob("image.process", { imageId: image?.id ?? "" }), NOW);
		await database.write([{ run: job }]);
		await database.write([
			{ run: sql`UPDATE jobs SET state = 'done', ended_ms = ${NOW + index} WHERE ended_ms IS NULL` },
		]);
	}
	const ids = async (sinceMs: number) => (await recent.listProcessedSince(sinceMs, NOW, 10)).map(({ id }) => id);
	expect(await ids(NOW)).toEqual([made[0]?.id ?? "", made[2]?.id ?? ""]);
	expect(await ids(NOW + 1)).toEqual([made[2]?.id ?? ""]);
	expect(await ids(NOW + 3)).toEqual([]);
});
