import { expect, test } from "bun:test";
import { createImage, migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
import { recounter } from "./recount-store.ts";
import { usageStore } from "./usage-store.ts";

test("counters that agree with the rows are left alone", async () => {
	await using scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	for (const place of [1, 2, 3]) await createImage(scratch.database, access, newImage(access, place, { bytes: 10 }));
	const counter = recounter(scratch.database);
	expect(await counter.lastMs()).toBeUndefined();
	expect(await counter.recount(NOW)).toEqual([]);
	// Known to every process on this database: one of them counts again in a day.
	expect(await counter.lastMs()).toBe(NOW);
});

test("counters that drifted are corrected, and told of", async () => {
	await using scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	for (const place of [1, 2, 3]) await createImage(scratch.database, access, newImage(access, place, { bytes: 10 }));
	await scratch.sql("UPDATE storages SET images = 7, bytes = 1");
	await scratch.sql("UPDATE app_usage SET images = 0, users = 9");
	const drifts = await recounter(scratch.database).recount(NOW);
	expect(drifts.map(({ id }) => id).sort()).toEqual([access.app.id, access.storage.id].sort());
	expect(await usageStore(scratch.database).read(access.storage.pk, NOW)).toMatchObject({
		images: 3,
		bytes: 30,
		appImages: 3,
		appUsers: 0,
	});
	expect(await recounter(scratch.database).recount(NOW)).toEqual([]);
});

test("what agrees is only read, a piece at a time: among thousands of Apps, one write for each that drifted", async () => {
	await using scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	await createImage(scratch.database, access, newImage(access, 1));
	await scratch.sql(`WITH RECURSIVE series (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < 12000)
		INSERT INTO apps (id, name, name_fold, created_ms) SELECT 'app_many_' || value, 'Many', 'many', 0 FROM series`);
	await scratch.sql("INSERT INTO app_usage (app_pk) SELECT pk FROM apps WHERE name = 'Many'");
	await scratch.sql("UPDATE app_usage SET users = 1 WHERE app_pk = (SELECT pk FROM apps WHERE id = 'app_many_11000')");
	let writes = 0;
	const { database } = scratch;
	const watched: typeof database = {
		...database,
		write(steps) {
			writes += steps.length;
			return database.write(steps);
		},
	};
	expect(await recounter(watched).recount(NOW)).toEqual([{ id: "app_many_11000" }]);
	// The one that drifted; and when all were counted, beside each of them and for all processes.
	expect(writes).toBe(3);
	expect(await recounter(watched).recount(NOW)).toEqual([]);
});
