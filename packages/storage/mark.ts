import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isId } from "@svc/base/ids";
import type { StoreMark } from "@svc/base/ports";
import { errorCode, foldersUnder, sync, unless } from "./folders.ts";

/* The mark lies at the root of the store, where neither blobs nor temporary files are: `installation`. */

export const MARK_NAME = "installation";
/** Version of what is in it. */
const FORMAT = 1;

export function markText(installation: string): string {
	return `${JSON.stringify({ format: FORMAT, installation })}\n`;
}

/** @throws Error for anything but a mark: somebody else's file, or one of a newer release */
export function parseMark(text: string, where: string): string {
	const found = parsed(text);
	if (found?.format === FORMAT && typeof found.installation === "string" && isId("ins", found.installation))
		return found.installation;
	throw new Error(`${where} does not name an installation as this release writes it. Look at it before you go on.`);
}

function parsed(text: string): { readonly format?: unknown; readonly installation?: unknown } | undefined {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The mark as a file in the folder of a file store. */
export function fileMark(dir: string): StoreMark {
	const root = resolve(dir);
	const folders = foldersUnder(root);
	const path = join(root, MARK_NAME);

	/** A whole, flushed file among those that are received: the sweep removes it after a crash. */
	async function prepare(installation: string): Promise<string> {
		const incoming = join(root, "incoming");
		await folders.ensure(incoming);
		const fresh = join(incoming, randomUUID());
		const file = await open(fresh, "wx", 0o600);
		try {
			await file.writeFile(markText(installation));
			await file.sync();
		} finally {
			await file.close();
		}
		return fresh;
	}

	return {
		place: root,
		async read() {
			const text = await readFile(path, "utf8").catch(unless("ENOENT"));
			return text === undefined ? undefined : parseMark(text, path);
		},
		async create(installation) {
			const fresh = await prepare(installation);
			try {
				// Unlike a rename, a link never takes the place of a file that is there.
				await link(fresh, path);
			} catch (cause) {
				if (errorCode(cause) !== "EEXIST") throw cause;
				return false;
			} finally {
				await unlink(fresh);
			}
			await sync(root);
			return true;
		},
		async replace(installation) {
			await rename(await prepare(installation), path);
			await sync(root);
		},
	};
}
