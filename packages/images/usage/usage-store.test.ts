import { expect, test } from "bun:test";
import { connect, createImage, migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
import { usageStore } from "./usage-store.ts";

test("a storage counts its own images, and the App counts all of them", async () => {
	await using scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	await scratch.sql(
		"INSERT INTO storages (pk, id, app_pk, kind, account_pk, team_hash, state, images, bytes, created_ms) VALUES (2, 'sto_2', 1, 'user', 1, 'team2', 'active', 0, 0, 0)",
	);
	await connect(scratch, 2);
	await scratch.sql("UPDATE app_usage SET users = 3");
	const user = {
		...access,
		storage: { ...access.storage, pk: 2, id: "sto_2", teamHash: "team2", kind: "user" as const },
	};
	await createImage(scratch.database, access, newImage(access, 1, { bytes: 10 }));
	await createImage(scratch.database, access, newImage(access, 2, { bytes: 20 }));
	await createImage(scratch.database, user, newImage(user, 3, { bytes: 5 }));
	const usage = usageStore(scratch.database);
	const app = { appImages: 3, appUsers: 3 };
	expect(await usage.read(1, NOW)).toEqual({ uploadsThisMonth: 2, images: 2, bytes: 30, ...app });
	expect(await usage.read(2, NOW)).toEqual({ uploadsThisMonth: 1, images: 1, bytes: 5, ...app });
});

test("uploads begin anew at the first of the UTC month, totals do not", async () => {
	await using scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	const december = Date.UTC(2026, 11, 1);
	await createImage(scratch.database, access, newImage(access, 1, { createdMs: december - 1 }));
	const usage = usageStore(scratch.database);
	expect(await usage.read(1, december - 1)).toMatchObject({ uploadsThisMonth: 1, images: 1 });
	expect(await usage.read(1, december)).toMatchObject({ uploadsThisMonth: 0, images: 1 });
});

test("a storage that was deleted since its key was found is no longer available", async () => {
	await using scratch = await migratedDatabase();
	await expect(usageStore(scratch.database).read(9, NOW)).rejects.toMatchObject({ code: "workspace_unavailable" });
});
