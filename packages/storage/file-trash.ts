import { link, rename, unlink, utimes } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { BlobTrash } from "@svc/base/ports";
import { listFanOuts } from "./files.ts";
import { errorCode, foldersUnder, sync, unless } from "./folders.ts";
import { blobPath } from "./keys.ts";

/** The trash of a file store: `trash/<fan-out>/<key>` beside `blobs`. A file's time tells when it came there. */
export function fileTrash(dir: string): BlobTrash {
	const root = resolve(dir);
	const folders = foldersUnder(root);
	const trash = join(root, "trash");
	const placeOf = (key: string) => ({
		stored: join(root, "blobs", blobPath(key)),
		trashed: join(trash, blobPath(key)),
	});

	return {
		async put(key) {
			const { stored, trashed } = placeOf(key);
			await folders.ensure(dirname(trashed));
			const isThere = await touch(stored);
			if (!isThere) return;
			await rename(stored, trashed);
			await Promise.all([sync(dirname(trashed)), sync(dirname(stored))]);
		},
		list: (after) => listFanOuts(trash, "", after),
		async restore(key) {
			const { stored, trashed } = placeOf(key);
			// As young as a new blob: where no row names it, the sweep leaves it alone for a day.
			if (!(await touch(trashed))) return false;
			await folders.ensure(dirname(stored));
			// A link never takes the place of a file that is there; blobs never change, so that one is as good.
			await link(trashed, stored).catch((cause: unknown) => {
				if (errorCode(cause) !== "EEXIST") throw cause;
			});
			await sync(dirname(stored));
			await unlink(trashed).catch(unless("ENOENT"));
			return true;
		},
		async remove(key) {
			await unlink(placeOf(key).trashed).catch(unless("ENOENT"));
		},
	};
}

/** False where there is no such file. */
async function touch(path: string): Promise<boolean> {
	const now = new Date();
	return (await utimes(path, now, now).then(() => true, unless("ENOENT"))) ?? false;
}
