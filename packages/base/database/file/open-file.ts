import type { Database, DatabaseOptions } from "../client.ts";
import { queriesOn } from "../queries.ts";
import type { Claims } from "../request-claims.ts";
import { write } from "../write/write.ts";
import { fileChanges } from "./file-changes.ts";
import { type FileWriter, fileWriter } from "./file-writer.ts";
import { keptReader } from "./kept-reader.ts";
import { acquireOwnerLock } from "./owner-lock.ts";

const WRITER_PRAGMAS = [
	"journal_mode=WAL",
	// A create that was answered survives a power cut: every commit is synced.
	"synchronous=FULL",
	"foreign_keys=ON",
	// What is overwritten may be a secret. FAST costs no writes: pages that are free are left as they are.
	"secure_delete=FAST",
	"cache_size=-16000",
	"journal_size_limit=67108864",
];
const READER_PRAGMAS = ["query_only=ON", "cache_size=-64000", "temp_store=MEMORY"];

/** Becomes the owner of the file. @throws Error as `openDatabase` */
export async function openFile({ url, onSlow, onFull, busyTimeoutMs = 5_000 }: DatabaseOptions): Promise<Database> {
	if (/[?#]|:memory:/.test(url)) throw new Error("A database file is named by its path alone.");
	const lock = await acquireOwnerLock(url);
	const writer = fileWriter({ url, pragmas: WRITER_PRAGMAS, busyTimeoutMs, onFull, onSlow });
	try {
		await requireWal(writer);
	} catch (error) {
		await writer.close();
		await lock.release();
		throw error;
	}
	const reader = keptReader({ url, pragmas: READER_PRAGMAS, busyTimeoutMs });
	const checkpoint = () => writer.alone("PRAGMA wal_checkpoint(TRUNCATE)");
	const claims: Claims = new Map();
	const changes = fileChanges(reader);
	return {
		kind: "file",
		engine: undefined,
		claims,
		changes,
		...queriesOn(reader, onSlow),
		write: (steps) =>
			write(
				{
					writer: (change) => changes.making(change.statements, () => writer.change(change.statements, change.name)),
					claims,
				},
				steps,
			),
		stalledMs: () => 0,
		checkpoint,
		async compact() {
			await writer.alone("VACUUM");
			await checkpoint();
		},
		async close() {
			await reader.close();
			await writer.close();
			await lock.release();
		},
	};
}

async function requireWal(writer: FileWriter): Promise<void> {
	const [[row] = []] = await writer.change([{ sql: "PRAGMA journal_mode", args: [] }], "PRAGMA journal_mode");
	if (row?.journal_mode !== "wal") {
		throw new Error("The database file lies on a file system that cannot keep a write-ahead log; use a local disk.");
	}
}
