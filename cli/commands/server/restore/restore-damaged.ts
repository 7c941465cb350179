import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EXIT, LocalError } from "@svc/base/processes/exit";
import type { Context } from "../../../kit/command.ts";
import { startProgress } from "../../../kit/work/progress.ts";
import { checkFile, type ListedFile, listedFiles, type Manifest } from "./backup-folder.ts";
import { codeOf } from "./restore-target.ts";

const LANES = 4;
const DATABASE = "svc.db";

interface Repair {
	readonly folder: string;
	readonly manifest: Manifest;
	readonly dataDir: string;
	/** Bring back what is not there at all as well: lost, or deleted since. */
	readonly missing: boolean;
}

export interface Repaired {
	/** Pictures that were brought back, or would be by a dry run. */
	readonly files: number;
	readonly bytes: number;
	/** Pictures that are damaged in both places. */
	readonly damaged: readonly string[];
	/** Pictures of the backup that are not in the data directory, and were left out. */
	readonly absent: number;
}

/**
 * Puts whole pictures of a backup in the place of those that are damaged in a data directory, and touches nothing else. A stored picture
 * never changes, so that the service may run meanwhile, and the backup may be of any age. A picture that is not there may have been
 * deleted by its owner, and only the database knows, so it comes back only when that is asked for.
 * @throws LocalError for a folder that is no data directory, or a disk that refuses
 */
export async function restoreDamaged(
	context: Context,
	{ folder, manifest, dataDir, missing }: Repair,
): Promise<Repaired> {
	await requireDataDir(dataDir);
	const { signal } = context.process;
	const progress = startProgress(context, manifest.files);
	const files = listedFiles(folder, manifest);
	const total = { files: 0, bytes: 0 };
	const damaged: string[] = [];
	let absent = 0;
	const mend = async (file: ListedFile) => {
		if (!missing && !(await isThere(join(dataDir, file.path)))) {
			absent += 1;
			return await progress.advance(0);
		}
		const whole = await checkFile(dataDir, file);
		await progress.advance(whole ?? 0);
		if (whole !== undefined) return;
		const bytes = await bringBack(context, { folder, dataDir }, file);
		if (bytes === undefined) damaged.push(file.path);
		total.files += bytes === undefined ? 0 : 1;
		total.bytes += bytes ?? 0;
	};
	const lane = async () => {
		for await (const file of files) {
			signal.throwIfAborted();
			if (file.path !== DATABASE) await mend(file);
		}
	};
	const ended = await Promise.allSettled(Array.from({ length: LANES }, lane));
	await progress.clear();
	for (const one of ended) if (one.status === "rejected") throw asLocal(context, one.reason);
	return { ...total, damaged: damaged.sort(), absent };
}

/** Its size; undefined where the backup has no whole copy either. */
async function bringBack(
	{ globals }: Context,
	{ folder, dataDir }: Pick<Repair, "folder" | "dataDir">,
	file: ListedFile,
): Promise<number | undefined> {
	if (globals.dryRun) return await checkFile(folder, file);
	// Received files lie here, which a service removes when nobody has touched them for long.
	const incoming = join(dataDir, "images", "incoming");
	await mkdir(incoming, { recursive: true, mode: 0o700 });
	const fresh = join(incoming, randomUUID());
	try {
		const bytes = await copyTo(fresh, folder, file);
		if (bytes === undefined) return undefined;
		const path = join(dataDir, file.path);
		await mkdir(dirname(path), { recursive: true, mode: 0o700 });
		await rename(fresh, path);
		await sync(dirname(path));
		return bytes;
	} finally {
		await rm(fresh, { force: true });
	}
}

async function copyTo(path: string, folder: string, file: ListedFile): Promise<number | undefined> {
	const into = await open(path, "wx", 0o600);
	try {
		const bytes = await checkFile(folder, file, into);
		await into.sync();
		return bytes;
	} finally {
		await into.close();
	}
}

async function isThere(path: string): Promise<boolean> {
	return (await lstat(path).catch(() => undefined)) !== undefined;
}

async function sync(path: string): Promise<void> {
	const folder = await open(path, "r");
	try {
		await folder.sync();
	} finally {
		await folder.close();
	}
}

async function requireDataDir(dir: string): Promise<void> {
	const found = await stat(join(dir, "images")).catch(() => undefined);
	if (found?.isDirectory()) return;
	throw new LocalError(
		`${dir} is no data directory with pictures: it has no folder images.`,
		"Name the data directory of the service with --to.",
		EXIT.missing,
	);
}

function asLocal(context: Context, error: unknown): unknown {
	context.process.signal.throwIfAborted();
	if (error instanceof LocalError) return error;
	return new LocalError(`The pictures could not be brought back (${codeOf(error)}).`, "Check the disk and its room.");
}
