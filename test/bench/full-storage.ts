import { sql } from "drizzle-orm";
import { NOW, type Scratch } from "../support/scratch.ts";

/*
 * A storage of many images for the benchmarks of lists. Of its labels `colour` and `shape` are on half of the images each and independent,
 * `tag` has 800 values, `mood` is the opposite of `colour`, `draft` is on every second image and `final` on the others. The images were
 * published in another order than they were stored in; each thousandth is a GIF with a name of its own, each hundredth expires.
 */

/** Half the numbers, or any other share, in no order: `n` times a large odd number, of which the upper bits are taken. */
const scattered = (factor: number, below: number) => `((n * ${factor} >> 17) % ${below})`;

const LABELS = `json_object(
	'colour', iif(${scattered(2_654_435_761, 2)}, 'red', 'blue'),
	'shape', iif(${scattered(2_246_822_519, 2)}, 'round', 'square'),
	'tag', 't' || ${scattered(3_266_489_917, 800)},
	'mood', iif(${scattered(2_654_435_761, 2)}, 'calm', 'wild'),
	iif(${scattered(668_265_263, 2)}, 'draft', 'final'), 'yes')`;

/** A storage by its numbers. */
interface Place {
	readonly appPk: number;
	readonly storagePk: number;
	/** Published as they were made, as users do it; else in an order of which no index can make anything. */
	readonly publishedInOrder?: boolean;
}

const insertImages = (
	{ appPk, storagePk, publishedInOrder = false }: Place,
	count: number,
) => `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
	INSERT INTO images (id, app_pk, storage_pk, status, filename, format, width, height, bytes, sha256, blob_key, published_ms, created_ms, expires_ms, labels)
	SELECT printf('img_%022d', n), ${appPk}, ${storagePk}, 'ready', printf('%s-%d.jpg', iif(n % 1000, 'picture', 'scan'), n), iif(n % 1000, 'jpg', 'gif'), 640, 480, 100000,
		CAST(printf('%032d', n) AS BLOB), printf('img_%022d/nonce', n),
		${NOW} - ${publishedInOrder ? "n" : `((n * 7919) % ${count})`} * 1000, ${NOW} - n * 1000, iif(n % 100, NULL, ${NOW} + n * 1000), ${LABELS} FROM numbers`;

// In the order of the table, which then grows at its end only.
const INSERT_LABELS = `INSERT OR IGNORE INTO image_labels (storage_pk, key, value, published_ms, image_pk, expires_ms)
	SELECT storage_pk, label.key, label.value, published_ms, pk, expires_ms FROM images, json_each(images.labels) AS label
	ORDER BY 1, 2, 3, 4, 5`;

/**
 * Fills the storage of a scratch database with images and five labels each.
 *
 * Secondary indices are made again afterwards, each in one pass: five times faster than growing with every row.
 */
export async function fill(
	{ database }: Pick<Scratch, "database">,
	count: number,
	place: Place = { appPk: 1, storagePk: 1 },
): Promise<void> {
	const indices = await database.read(() =>
		database.queries.values<[string, string]>(
			sql`SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('images', 'image_labels') AND sql IS NOT NULL`,
		),
	);
	await database.write([
		...indices.map(([name]) => ({ run: sql.raw(`DROP INDEX ${name}`) })),
		{ run: sql.raw(insertImages(place, count)) },
		{ run: sql.raw(INSERT_LABELS) },
		...indices.map(([, definition]) => ({ run: sql.raw(definition) })),
		{
			run: sql`UPDATE storages SET images = images + ${count}, bytes = bytes + ${count * 100_000} WHERE pk = ${place.storagePk}`,
		},
		{
			run: sql`UPDATE app_usage SET images = images + ${count}, bytes = bytes + ${count * 100_000} WHERE app_pk = ${place.appPk}`,
		},
	]);
	await database.checkpoint();
}
