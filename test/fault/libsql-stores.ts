import type { Access } from "@svc/apps/access";
import { endLeases, idempotencyStore } from "@svc/images/create/idempotency-store";
import { imageStore } from "@svc/images/images-store";
import { usageStore } from "@svc/images/usage/usage-store";
import { sql } from "drizzle-orm";
import { addProcess, migratedDatabase, PROCESS, seedApp } from "../support/scratch.ts";
import type { Snapshot, Stores } from "./memory-stores.ts";

interface LibsqlStores extends AsyncDisposable {
	/** The stores of one database, emptied of everything that creates leave. */
	fresh(): Promise<Stores>;
}

/** The product's own stores over a real file. */
export async function libsqlStores(imagesLimit: number): Promise<LibsqlStores> {
	const scratch = await migratedDatabase();
	const { database } = scratch;
	await addProcess(scratch);
	const seeded = await seedApp(database);
	await database.write([{ run: sql`UPDATE apps SET images_limit = ${imagesLimit}` }]);
	const access: Access = { ...seeded, app: { ...seeded.app, imagesLimit } };

	async function snapshot(): Promise<Snapshot> {
		const [row] = await database.read(() =>
			database.queries.values<[string, number, string, string, number]>(sql`SELECT
				(SELECT json_group_array(json_object('id', id, 'blobKey', blob_key, 'caption', caption, 'createdMs', created_ms,
					'expiresMs', expires_ms)) FROM images),
				(SELECT images FROM app_usage),
				(SELECT json_group_array(json_array(blob_key, state)) FROM blobs),
				(SELECT json_group_array(json_object('blobKey', recovery ->> '$.blobKey', 'leaseMs', lease_ms))
					FROM idempotency WHERE state = 'stored'),
				(SELECT count(*) FROM idempotency)`),
		);
		if (!row) throw new Error("the database did not say");
		const [images, used, blobs, stored, rows] = row;
		return { images: JSON.parse(images), used, blobs: new Map(JSON.parse(blobs)), stored: JSON.parse(stored), rows };
	}

	const stores: Stores = {
		access,
		images: imageStore(database),
		idempotency: idempotencyStore(database, PROCESS),
		usage: usageStore(database),
		snapshot,
		async loseRow(keyHash) {
			await database.write([{ run: sql`DELETE FROM idempotency WHERE key_hash = ${keyHash}` }]);
		},
		endLeases: (nowMs) => endLeases(database, nowMs),
		async bury() {
			await scratch.sql("UPDATE idempotency SET process = 'dead'");
		},
	};
	return {
		async fresh() {
			for (const table of ["image_labels", "images", "idempotency", "blobs"]) {
				await scratch.sql(`DELETE FROM ${table}`);
			}
			await scratch.sql("UPDATE app_usage SET images = 0, bytes = 0");
			await scratch.sql("UPDATE storages SET images = 0, bytes = 0");
			return stores;
		},
		[Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
	};
}
