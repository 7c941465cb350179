import { mkdir, open, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";

/** The code of a system error, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** A handler for `catch`: undefined for this one system error; every other error is thrown on. */
export function unless(code: string): (error: unknown) => undefined {
	return (error) => {
		if (errorCode(error) !== code) throw error;
	};
}

/** Flushes a file, or the entries of a folder: a rename or a new file is durable only once its folder is. */
export async function sync(path: string): Promise<void> {
	const file = await open(path, "r");
	try {
		await file.sync();
	} finally {
		await file.close();
	}
}

/**
 * Makes folders, each once, so that they survive a power failure. Callers share one promise for each folder: the second must not
 * take a folder for durable that the first has made but not flushed yet.
 */
export interface Folders {
	ensure(path: string): Promise<void>;
}

export function foldersUnder(root: string): Folders {
	const known = new Map<string, Promise<void>>();

	function ensure(path: string): Promise<void> {
		const before = known.get(path);
		if (before !== undefined) return before;
		const made = make(path).catch((error: unknown) => {
			known.delete(path);
			throw error;
		});
		known.set(path, made);
		return made;
	}

	async function make(path: string): Promise<void> {
		if (path === root) return makeRoot(root);
		await ensure(dirname(path));
		await mkdir(path, { mode: 0o700 }).catch(unless("EEXIST"));
		if (!(await stat(path)).isDirectory()) throw new Error(`${path} is in the way: it is not a folder`);
		// A folder that was there is flushed as well: the process that made it may have died before it could flush.
		await sync(dirname(path));
	}

	return { ensure };
}

// What lies above the root belongs to the operator and may not even be readable: only what is new there is flushed.
async function makeRoot(root: string): Promise<void> {
	const first = await mkdir(root, { recursive: true, mode: 0o700 });
	if (first === undefined) return;
	for (let made = root; made.length >= first.length; made = dirname(made)) await sync(dirname(made));
}

/** Less is written within this time than uploads leave free. */
const FRESH_MS = 100;

/** Free bytes of the file system that `dir` lies on, measured at most ten times a second. */
export function freeSpace(dir: string): () => Promise<number> {
	let measured: { readonly atMs: number; readonly bytes: Promise<number> } | undefined;
	return () => {
		const atMs = performance.now();
		if (measured === undefined || atMs - measured.atMs >= FRESH_MS) {
			measured = { atMs, bytes: freeBytes(dir) };
		}
		return measured.bytes;
	};
}

/** The free bytes, measured now. */
export async function freeBytes(dir: string): Promise<number> {
	const { bavail, bsize } = await statfs(dir);
	return bavail * bsize;
}
