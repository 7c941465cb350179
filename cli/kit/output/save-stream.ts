import { open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { EXIT, LocalError } from "@svc/base/processes/exit";
import type { Context } from "../command.ts";

/** Writes what comes, and returns how many bytes it was: its own file, only its owner's to read, or none: what a broken connection leaves is removed. @throws LocalError for a file that is there, unless it is written over */
export async function saveStream(
	{ process }: Pick<Context, "process">,
	file: string,
	copy: ReadableStream<Uint8Array>,
	over = false,
): Promise<number> {
	const path = resolve(process.cwd, file);
	// What is written over stays until the new one is whole.
	const part = over ? `${path}.part` : path;
	const opened = await open(part, over ? "w" : "wx", 0o600).catch(async (error: NodeJS.ErrnoException) => {
		await copy.cancel();
		if (error.code === "EEXIST") throw new LocalError(`${file} exists already.`, "Name another file.", EXIT.conflict);
		throw new LocalError(`${file} cannot be written (${error.code}).`, "Check the folder, and who may write there.");
	});
	let bytes = 0;
	try {
		for await (const chunk of copy) {
			process.signal.throwIfAborted();
			await opened.writeFile(chunk);
			bytes += chunk.length;
		}
		if (over) await rename(part, path);
	} catch (error) {
		await rm(part, { force: true });
		throw error;
	} finally {
		await opened.close();
	}
	return bytes;
}
