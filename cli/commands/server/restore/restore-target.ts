import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EXIT, LocalError } from "@svc/base/processes/exit";

/** Files are written here first, below the target: the target may be a mount of its own, onto which nothing can be renamed. */
const UNFINISHED = "restoring";
/** Read by the next start: the secret of the deployment is in no backup, so the database may go on with another one. */
const WITHOUT_SECRET = "without-secret";
/** Entries that a file system creates by itself. */
const NOTHING: ReadonlySet<string> = new Set(["lost+found"]);

/** The target of a restore. Until `finish` has resolved, no service would take it for a database with its images. */
export interface RestoreTarget {
	/** A new file, for its owner only; `path` lies below the target. The file is durable when this resolves. */
	write<T>(path: string, fill: (file: FileHandle) => Promise<T>): Promise<T>;
	/** A new file that another program makes at the path it is given; otherwise as `write`. */
	receive(path: string, make: (place: string) => Promise<void>): Promise<void>;
	/** Removes a file that was written. */
	drop(path: string): Promise<void>;
	finish(): Promise<void>;
	discard(): Promise<void>;
}

export function codeOf(error: unknown): string {
	return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** @throws LocalError for anything but an empty folder, or one that can be made */
export async function requireEmpty(dir: string): Promise<void> {
	const names = await readdir(dir).catch((error: unknown) => {
		if (codeOf(error) === "ENOENT") return [];
		throw new LocalError(`${dir} is no folder that can be used (${codeOf(error)}).`, "Name another one with --to.");
	});
	const found = names.find((name) => !NOTHING.has(name));
	if (found === undefined) return;
	const left = found === UNFINISHED ? " A restore that was cut off left it." : "";
	throw new LocalError(
		`${dir} is not empty: it holds ${found}.${left}`,
		"A backup is brought back into an empty folder only: name another one with --to.",
		EXIT.conflict,
	);
}

/** @throws LocalError when it cannot be made, or is not empty */
export async function openTarget(dir: string): Promise<RestoreTarget> {
	await requireEmpty(dir);
	const root = join(dir, UNFINISHED);
	const made = await makeFolders(root).catch((error: unknown) => {
		throw new LocalError(`${dir} cannot be made (${codeOf(error)}).`, "Name another folder with --to.");
	});
	const folders = new Set([root]);

	async function ensure(folder: string): Promise<void> {
		if (folders.has(folder)) return;
		await ensure(dirname(folder));
		await mkdir(folder, { recursive: true, mode: 0o700 });
		folders.add(folder);
	}

	return {
		async write(path, fill) {
			const place = join(root, path);
			await ensure(dirname(place));
			const file = await open(place, "wx", 0o600);
			try {
				const filled = await fill(file);
				await file.sync();
				return filled;
			} finally {
				await file.close();
			}
		},
		async receive(path, make) {
			const place = join(root, path);
			await ensure(dirname(place));
			await make(place);
			const file = await open(place, "r+");
			try {
				await file.chmod(0o600);
				await file.sync();
			} finally {
				await file.close();
			}
		},
		drop: (path) => rm(join(root, path)),
		async finish() {
			await (await open(join(root, WITHOUT_SECRET), "wx", 0o600)).close();
			for (const folder of folders) await sync(folder);
			// The database comes last: without it a service finds nothing here.
			for (const name of ["images", "restored", WITHOUT_SECRET, "svc.db"]) {
				if (await isThere(join(root, name))) await rename(join(root, name), join(dir, name));
			}
			await rm(root, { recursive: true });
			await syncUp(dir, dirname(made));
		},
		discard: () => rm(made, { recursive: true, force: true }),
	};
}

/** The uppermost of the folders that did not exist. */
async function makeFolders(path: string): Promise<string> {
	return (await mkdir(path, { recursive: true, mode: 0o700 })) ?? path;
}

async function sync(path: string): Promise<void> {
	const folder = await open(path, "r");
	try {
		await folder.sync();
	} finally {
		await folder.close();
	}
}

async function isThere(path: string): Promise<boolean> {
	return (await stat(path).catch(() => undefined)) !== undefined;
}

async function syncUp(from: string, to: string): Promise<void> {
	for (let folder = from; ; folder = dirname(folder)) {
		await sync(folder);
		if (folder === to || folder === dirname(folder)) return;
	}
}
