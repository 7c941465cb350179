import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Access, KeyRecord } from "@svc/apps/access";
import type { Database, DatabaseOptions, Row } from "@svc/base/database/client";
import { migrate, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import type { Image, NewImage } from "@svc/images/images";
import { imageStore } from "@svc/images/images-store";
import { keyStore } from "@svc/keys/keys-store";
import { setupStore } from "@svc/operator/setup-store";
import { sql } from "drizzle-orm";
import { putMigrated } from "./migrated-file.ts";

/* For tests only: real database files in a folder that is removed afterwards. */

export interface Scratch extends AsyncDisposable {
	readonly folder: string;
	readonly url: string;
	readonly database: Database;
	/** Runs a statement through the writer and gives its RETURNING rows. */
	sql(text: string): Promise<readonly Row[]>;
	/** Reads one value. */
	value(text: string): Promise<unknown>;
}

export const NOW = Date.UTC(2026, 10, 21, 12);

/** An open database without any table. */
export async function emptyDatabase(options: Partial<DatabaseOptions> = {}): Promise<Scratch> {
	return await databaseIn(await mkdtemp(join(tmpdir(), "svc-db-")), options);
}

async function databaseIn(folder: string, options: Partial<DatabaseOptions>): Promise<Scratch> {
	const url = `file:${join(folder, "svc.db")}`;
	const database = await openDatabase({ url, ...options });
	return {
		folder,
		url,
		database,
		async sql(text) {
			const outcome = await database.write([{ run: sql.raw(text) }]);
			return outcome.rows?.[0] ?? [];
		},
		async value(text) {
			const rows = await database.read(() => database.queries.values(sql.raw(text)));
			return rows[0]?.[0];
		},
		async [Symbol.asyncDispose]() {
			await database.close();
			// A file may go by itself meanwhile: SQLite removes its log once a closed connection is collected.
			await rm(folder, { recursive: true, force: true });
		},
	};
}

export async function migratedDatabase(options: Partial<DatabaseOptions> = {}): Promise<Scratch> {
	const folder = await mkdtemp(join(tmpdir(), "svc-db-"));
	await putMigrated(join(folder, "svc.db"));
	const scratch = await databaseIn(folder, options);
	// Of a database elsewhere the file is none.
	if (options.url !== undefined) await migrate(scratch.database, await readMigrations(), { now: () => NOW });
	return scratch;
}

/** A process that the others take for alive. */
export const PROCESS = "the process of a test";

export async function addProcess({ sql }: Pick<Scratch, "sql">, id = PROCESS): Promise<void> {
	await sql(
		`INSERT INTO processes (id, version, host, started_ms, beat_ms, steady_ms) VALUES ('${id}', '1', 'here', 1, 1, 1)`,
	);
}

/** 32 bytes that differ by `seed`. */
export function digest(seed: number): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(32);
	new DataView(bytes.buffer).setUint32(0, seed);
	return bytes;
}

/** Makes the first operator with an App, and gives what its key may do. */
export async function seedApp(database: Database): Promise<Access> {
	await setupStore(database).createOperator(
		{
			accountId: "acc_1",
			email: "Owner@Example.com",
			app: {
				id: "app_1",
				name: "First",
				nameFold: "first",
				storageId: "sto_1",
				teamHash: "team1",
				key: { id: "key_1", name: "Default", hash: digest(1), prefix: "svc_sk_test_", last4: "aaaa" },
			},
		},
		[],
		NOW,
	);
	const key = await keyStore(database).find(digest(1));
	if (key === undefined) throw new Error("The seeded key is not there.");
	return accessOf(key);
}

/** Connects the first account with a storage: an App reaches a user's storage only while they are connected. */
export async function connect(scratch: Pick<Scratch, "sql">, storagePk: number): Promise<void> {
	await scratch.sql(
		`INSERT INTO connections (id, user_id, app_pk, account_pk, storage_pk, state, email_at_consent, consent_version, created_ms)
			VALUES ('con_${storagePk}', 'usr_${storagePk}', 1, 1, ${storagePk}, 'connected', 'owner@example.com', 1, 0)`,
	);
}

function accessOf(key: KeyRecord): Access {
	return { caller: key, app: key.app, storage: key.storage };
}

export function newImage(access: Access, place: number, differences: Partial<NewImage> = {}): NewImage {
	return {
		id: `img_${place}`,
		appPk: access.app.pk,
		storagePk: access.storage.pk,
		teamHash: access.storage.teamHash,
		status: "ready",
		locked: false,
		blockReason: null,
		nsfw: false,
		public: null,
		filename: "picture.jpg",
		format: "jpg",
		width: 640,
		height: 480,
		bytes: 1_000,
		sha256: digest(place),
		sentSha256: null,
		blobKey: `img_${place}/nonce`,
		externalId: null,
		publishedMs: NOW + place,
		expiresMs: null,
		createdMs: NOW,
		caption: "",
		metadata: {},
		labels: {},
		revision: 1,
		...differences,
	};
}

/** Claims, commits and reads back one image. */
export async function createImage(database: Database, access: Access, image: NewImage): Promise<Image> {
	const images = imageStore(database);
	await images.claimBlob(image.blobKey, image.createdMs);
	const refused = await images.commitCreate(image, access);
	if (refused !== undefined) throw new Error(`The seeded image was refused: ${refused}`);
	const [row] = await database.read(() =>
		database.queries.values<[number, number]>(sql`SELECT pk, app_pk FROM images WHERE id = ${image.id}`),
	);
	const { sha256: _, sentSha256: __, ...facts } = image;
	return { ...facts, pk: row?.[0] ?? 0, appPk: row?.[1] ?? 0 };
}
