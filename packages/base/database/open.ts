import type { Database, DatabaseOptions } from "./client.ts";
import { openFile } from "./file/open-file.ts";
import { openRemote } from "./remote/open-remote.ts";

/**
 * Opens a database and, for a file, becomes its owner. All workarounds for the driver are here and in file/handle.ts.
 * @throws Error when the file already has an owner, or lies where no write-ahead log can be kept.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
	const { protocol } = new URL(options.url);
	if (protocol === "file:") return await openFile(options);
	if (["libsql:", "https:", "http:"].includes(protocol)) return openRemote(options);
	throw new Error(`A database address starts with file:, libsql://, https:// or http://, not with ${protocol}`);
}
