import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { type ZipEntry, zip } from "@svc/base/streams/zip";
import type { Management } from "@svc/sdk/management";
import { MANIFEST, newManifest, type RecordsFile } from "./manifest.ts";
import { type Entry, readEntry, scanEntries } from "./read-zip.ts";

type Exports = ReturnType<Management["apps"]["of"]>["exports"];

/** What is written of an image's record. */
interface ImageRecord {
	readonly id: string;
	readonly sha256: string;
	readonly bytes: number;
	readonly created_at: string;
}

export interface WrittenApp {
	readonly images: number;
	readonly bytes: number;
	/** Images that were deleted, or replaced, while it was read: their records are not in it. */
	readonly gone: readonly string[];
	/** Pictures that an earlier run had written already. */
	readonly kept: number;
}

export interface AppWriting {
	readonly exports: Exports;
	readonly job: string;
	readonly app: string;
	readonly installation: string;
	readonly signal: AbortSignal;
	/** Whether an error says that an image is not there any more. */
	readonly isGone: (error: unknown) => boolean;
	readonly onImage?: (images: number) => Promise<void> | void;
}

const MASTER_MAX_BYTES = 250_000_000;

/**
 * The parts of the file, one behind the other. `begun` is what an earlier run has left of it: pictures that lie there whole are not fetched again.
 */
export async function* appFile(writing: AppWriting, begun: Begun | undefined, done: (app: WrittenApp) => void) {
	yield* zip(entriesOf(writing, begun, done));
}

async function* entriesOf(
	writing: AppWriting,
	begun: Begun | undefined,
	done: (app: WrittenApp) => void,
): AsyncGenerator<ZipEntry> {
	const { exports, job, app, installation, signal } = writing;
	const records: RecordsFile[] = [];
	const progress: Progress = { images: 0, bytes: 0, kept: 0, gone: [], digests: new Set() };
	let after: string | undefined;
	do {
		const page = await exports.records(job, { after, signal });
		const lines: string[] = [];
		for (const record of page.records) {
			signal.throwIfAborted();
			const isHere = isImage(record) ? yield* masterOf(writing, begun, record, progress) : true;
			if (isHere) lines.push(JSON.stringify(record));
		}
		if (lines.length > 0) {
			const content = Buffer.from(`${lines.join("\n")}\n`);
			const name = `records/${String(records.length + 1).padStart(6, "0")}.jsonl`;
			records.push({ name, sha256: sha256Of(content), lines: lines.length });
			yield { name, changedMs: 0, content };
		}
		after = page.next ?? undefined;
	} while (after !== undefined);
	const { images, bytes, gone, kept } = progress;
	const manifest = newManifest({ installation, app, images, bytes, records });
	yield { name: MANIFEST, changedMs: 0, content: Buffer.from(`${JSON.stringify(manifest, undefined, "\t")}\n`) };
	done({ images, bytes, gone, kept });
}

interface Progress {
	images: number;
	bytes: number;
	kept: number;
	readonly gone: string[];
	/** Of the pictures that are written. */
	readonly digests: Set<string>;
}

function isImage(record: object): record is ImageRecord {
	return "kind" in record && record.kind === "image";
}

/** The picture of a record, unless another one has the same bytes. False where there is none any more. */
async function* masterOf(
	writing: AppWriting,
	begun: Begun | undefined,
	image: ImageRecord,
	progress: Progress,
): AsyncGenerator<ZipEntry, boolean> {
	if (!progress.digests.has(image.sha256)) {
		const kept = await begun?.find(image);
		const content = kept ?? (await fetchMaster(writing, image));
		if (!content) {
			progress.gone.push(image.id);
			return false;
		}
		if (kept) progress.kept++;
		progress.digests.add(image.sha256);
		yield { name: `masters/${image.sha256}`, changedMs: Date.parse(image.created_at), content };
	}
	progress.images++;
	progress.bytes += image.bytes;
	await writing.onImage?.(progress.images);
	return true;
}

/** Undefined for an image that is gone, or has other bytes by now. */
async function fetchMaster(writing: AppWriting, image: ImageRecord): Promise<Buffer | undefined> {
	try {
		const stream = await writing.exports.master(writing.job, image.id, { signal: writing.signal });
		const chunks: Uint8Array[] = [];
		let bytes = 0;
		for await (const chunk of stream) {
			bytes += chunk.length;
			if (bytes > Math.min(image.bytes, MASTER_MAX_BYTES)) return undefined;
			chunks.push(chunk);
		}
		const content = Buffer.concat(chunks);
		return sha256Of(content) === image.sha256 ? content : undefined;
	} catch (error) {
		if (writing.isGone(error)) return undefined;
		throw error;
	}
}

/** What is left of a file whose writer was stopped. */
export interface Begun {
	find(image: ImageRecord): Promise<Buffer | undefined>;
	close(): Promise<void>;
}

export async function openBegun(path: string): Promise<Begun> {
	const file = await open(path, "r");
	const entries = await scanEntries(file);
	return {
		find: (image) => findIn(file, entries.get(`masters/${image.sha256}`), image),
		close: () => file.close(),
	};
}

/** The new file is written over the old one: what does not lie where it did is found to be altered, and fetched. */
async function findIn(file: FileHandle, entry: Entry | undefined, image: ImageRecord): Promise<Buffer | undefined> {
	if (!entry || entry.bytes !== image.bytes) return undefined;
	const content = await readEntry(file, entry, MASTER_MAX_BYTES).catch(() => undefined);
	return content && sha256Of(content) === image.sha256 ? content : undefined;
}

export function sha256Of(content: Uint8Array): string {
	return createHash("sha256").update(content).digest("hex");
}
