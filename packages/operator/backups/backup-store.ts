import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { keptReader, type Reader } from "@svc/base/database/file/kept-reader";
import { images } from "@svc/base/database/schema/images";
import { JobFailure } from "@svc/base/failure";
import type { DatabaseSnapshot, SnapshotBlob, Snapshots } from "@svc/base/ports";
import { programPath } from "@svc/base/processes/programs";
import { count, gt, sql } from "drizzle-orm";
import { QueryBuilder } from "drizzle-orm/sqlite-core";
import { runProgram } from "./child-program.ts";

const PROGRAM = programPath("./backup-worker.ts", import.meta.url);
const PAGE = 100;
const BUSY_MS = 5_000;

const FULL = "The disk has no room for a copy of the database. Free some, then start the backup again.";
const DAMAGED =
	"The database is damaged, and a copy of it would be, too. The log tells what was found; restore an earlier backup.";

/** Copies of a database file that this process serves. */
export function fileSnapshots(path: string): Snapshots {
	return {
		async bytes() {
			const sizes = [path, `${path}-wal`].map(async (file) => (await stat(file).catch(() => undefined))?.size ?? 0);
			return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
		},
		async copy(to, signal) {
			const failure = await runProgram(PROGRAM, [path, to], signal);
			if (failure === undefined) return;
			const cause = new Error(`the copy of the database failed: ${failure}`);
			if (failure.startsWith("SQLITE_FULL")) throw new JobFailure(FULL, { cause });
			if (/^SQLITE_(CORRUPT|NOTADB)/.test(failure)) throw new JobFailure(DAMAGED, { cause });
			throw cause;
		},
		open: openSnapshot,
	};
}

const { sql: COUNTED } = new QueryBuilder().select({ images: count() }).from(images).toSQL();

/** Takes the number of the last image of the previous page, and how many to read. */
const { sql: PAGED } = new QueryBuilder()
	.select({
		...{ pk: images.pk, id: images.id, blobKey: images.blobKey, bytes: images.bytes },
		sha256: sql`lower(hex(${images.sha256}))`,
	})
	.from(images)
	.where(gt(images.pk, sql.placeholder("last")))
	.orderBy(images.pk)
	.limit(sql.placeholder("limit"))
	.toSQL();

async function openSnapshot(path: string): Promise<DatabaseSnapshot> {
	const reader = keptReader({ url: pathToFileURL(path).href, pragmas: ["query_only=ON"], busyTimeoutMs: BUSY_MS });
	const one = async (query: string) => (await reader.rows(query, []))[0]?.[0];
	return {
		images: Number(await one(COUNTED)),
		migration: String(await one("SELECT name FROM migrations ORDER BY position DESC LIMIT 1")),
		blobs: () => blobsOf(reader),
		close: () => reader.close(),
	};
}

async function* blobsOf(reader: Reader): AsyncGenerator<readonly SnapshotBlob[]> {
	for (let last = 0; ; ) {
		const rows = await reader.rows(PAGED, [last, PAGE]);
		if (rows.length === 0) return;
		last = Number(rows.at(-1)?.[0]);
		yield rows.map(([, imageId, blobKey, bytes, sha256]) => ({
			imageId: String(imageId),
			blobKey: String(blobKey),
			bytes: Number(bytes),
			sha256: String(sha256),
		}));
	}
}
