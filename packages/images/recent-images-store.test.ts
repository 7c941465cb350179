import { expect, test } from "bun:test";
import { createImage, migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
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
