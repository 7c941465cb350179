import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { OpenService } from "./service.ts";

/** All that a service holds, counted where it lies. */
export interface Census {
	readonly images: readonly string[];
	/** Blob keys by state. */
	readonly blobs: Readonly<Record<"pending" | "live" | "dead", readonly string[]>>;
	/** Blob keys of which there is a file. */
	readonly files: readonly string[];
	/** Temporary files. */
	readonly incoming: readonly string[];
	/** Images and bytes of each storage, then of each App. */
	readonly usage: readonly unknown[];
	/** What usage has to be, by the images that are there. */
	readonly counted: readonly unknown[];
	/** Of all storages and months. */
	readonly uploads: number;
	/** Idempotency-Keys whose first request has not ended. */
	readonly unfinishedKeys: number;
}

export async function censusOf(service: OpenService): Promise<Census> {
	const blobs = await rows<[string, string]>(service, "SELECT state, blob_key FROM blobs ORDER BY blob_key");
	const keysIn = (state: string) => blobs.filter(([found]) => found === state).map(([, key]) => key);
	const [uploads] = await rows<[number | null]>(service, "SELECT sum(uploads) FROM monthly_usage");
	const [unfinished] = await rows<[number]>(service, "SELECT count(*) FROM idempotency WHERE state <> 'done'");
	return {
		images: (await rows<[string]>(service, "SELECT id FROM images ORDER BY id")).map(([id]) => id),
		blobs: { pending: keysIn("pending"), live: keysIn("live"), dead: keysIn("dead") },
		files: await blobFiles(service.dataDir),
		incoming: await readdir(join(service.dataDir, "images", "incoming")).catch(() => []),
		usage: [...(await rows(service, STORAGE_USAGE)), ...(await rows(service, APP_USAGE))],
		counted: [
			...(await rows(service, counted("storages", "storage_pk"))),
			...(await rows(service, counted("apps", "app_pk"))),
		],
		uploads: uploads?.[0] ?? 0,
		unfinishedKeys: Number(unfinished?.[0]),
	};
}

const STORAGE_USAGE = "SELECT pk, images, bytes FROM storages ORDER BY pk";
const APP_USAGE = "SELECT app_pk, images, bytes FROM app_usage ORDER BY app_pk";

function counted(owners: string, column: string): string {
	const ours = `FROM images WHERE ${column} = ${owners}.pk`;
	return `SELECT pk, (SELECT count(*) ${ours}), (SELECT coalesce(sum(bytes), 0) ${ours}) FROM ${owners} ORDER BY pk`;
}

function rows<Row extends unknown[]>(service: OpenService, statement: string): Promise<Row[]> {
	return service.database.read(() => service.database.queries.values<Row>(sql.raw(statement)));
}

async function blobFiles(dataDir: string): Promise<string[]> {
	const root = join(dataDir, "images", "blobs");
	const found = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
	const files = found.filter((entry) => entry.isFile());
	return files.map(({ name }) => name.replaceAll("+", "/")).sort();
}

/** How many file descriptors this process, or another one, has open. */
export async function openDescriptors(pid: number | "self" = "self"): Promise<number> {
	return (await readdir(`/proc/${pid}/fd`)).length;
}
