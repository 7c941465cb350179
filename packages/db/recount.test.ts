import { expect, test } from "bun:test";
import { recounter } from "./recount.ts";
import { createImage, migratedDatabase, NOW, newImage, seedApp } from "./scratch.ts";
import { usageStore } from "./usage.ts";

test("counters that agree with the rows are left alone", async () => {
	await using scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	for (const place of [1, 2, 3]) await createImage(scratch.database, access, newImage(access, place, { bytes: 10 }));
	expect(await recounter(scratch.database).recount(NOW)).toEqual([]);
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
