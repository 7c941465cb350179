import { type FileHandle, open } from "node:fs/promises";
import type { Management } from "@svc/sdk/management";
import type { AppImport } from "@svc/sdk/shapes";
import { MANIFEST, MANIFEST_MAX_BYTES, type Manifest, readManifest } from "./manifest.ts";
import { broken, type Entry, readDirectory, readEntry } from "./read-zip.ts";
import { sha256Of } from "./write-app.ts";

/** A file in which an App moves. Its directory is read; each entry is read, and compared, when its turn comes. */
export interface AppFile {
	readonly manifest: Manifest;
	/** SHA-256 of its manifest: what an import is known by. */
	readonly sha256: string;
	/** The lines of one of its files of records. @throws LocalError naming it where it is damaged */
	lines(name: string): Promise<readonly Record<string, unknown>[]>;
	/** @throws LocalError naming a picture that is not there, or damaged */
	master(sha256: string): Promise<Buffer>;
	close(): Promise<void>;
}

const RECORDS_MAX_BYTES = 64_000_000;
const MASTER_MAX_BYTES = 250_000_000;

export async function openAppFile(path: string): Promise<AppFile> {
	const file = await open(path, "r");
	try {
		const entries = await readDirectory(file, path);
		const content = await readEntry(file, required(entries, MANIFEST), MANIFEST_MAX_BYTES);
		const manifest = readManifest(content.toString());
		return {
			manifest,
			sha256: sha256Of(content),
			lines: (name) => linesOf(file, entries, manifest, name),
			master: async (sha256) => {
				const entry = required(entries, `masters/${sha256}`);
				const bytes = await readEntry(file, entry, MASTER_MAX_BYTES);
				if (sha256Of(bytes) !== sha256) throw broken(entry.name, "it is damaged, or was altered");
				return bytes;
			},
			close: () => file.close(),
		};
	} catch (error) {
		await file.close();
		throw error;
	}
}

function required(entries: ReadonlyMap<string, Entry>, name: string): Entry {
	const entry = entries.get(name);
	if (!entry) throw broken(name, "it is not in the file");
	return entry;
}

async function linesOf(file: FileHandle, entries: ReadonlyMap<string, Entry>, manifest: Manifest, name: string) {
	const told = manifest.records.find((one) => one.name === name);
	const content = await readEntry(file, required(entries, name), RECORDS_MAX_BYTES);
	if (sha256Of(content) !== told?.sha256) throw broken(name, "it is damaged, or was altered");
	const lines = content.toString().split("\n").slice(0, -1);
	try {
		return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
	} catch {
		throw broken(name, "a line of it is no JSON");
	}
}

type Imports = Management["operator"]["appImports"];

/** Records of one call: at most this many lines, of at most so many characters together unless a single one has more. */
const BATCH = { lines: 100, characters: 1_000_000 };

interface Sending {
	readonly imports: Imports;
	readonly file: AppFile;
	readonly signal: AbortSignal;
	readonly onMaster?: (masters: number) => Promise<void> | void;
}

/** Sends what is not there yet, and has the App come to be. Begun again, it goes on where it stopped. */
export async function sendApp({ imports, file, signal, onMaster }: Sending): Promise<AppImport> {
	const { installation, app, images, records } = file.manifest;
	const begun = await imports.open({ app, manifest: file.sha256, installation, images }, { signal });
	if (begun.state === "done") return begun;
	let masters = 0;
	for (const { name } of records) {
		for (const batch of batchesOf(await file.lines(name))) {
			signal.throwIfAborted();
			const { sha256: missing } = await imports.addRecords(begun.id, batch, { signal });
			for (const sha256 of missing) {
				const bytes = new Blob([new Uint8Array(await file.master(sha256))]);
				// Once for each image that has these bytes.
				while ((await imports.addMaster(begun.id, sha256, bytes, { signal })).more) signal.throwIfAborted();
				await onMaster?.(++masters);
			}
		}
	}
	return await imports.finish(begun.id, { signal });
}

/** What a file holds, once all of its records were compared with their digests. */
export async function checkApp(file: AppFile): Promise<Readonly<Record<"images" | "users", number>>> {
	const counts = { images: 0, users: 0 };
	for (const { name } of file.manifest.records) {
		for (const { kind } of await file.lines(name)) {
			if (kind === "image") counts.images++;
			if (kind === "user") counts.users++;
		}
	}
	return counts;
}

function* batchesOf(lines: readonly Record<string, unknown>[]): Generator<readonly Record<string, unknown>[]> {
	let batch: Record<string, unknown>[] = [];
	let characters = 0;
	for (const line of lines) {
		const length = JSON.stringify(line).length;
		if (batch.length > 0 && (batch.length >= BATCH.lines || characters + length > BATCH.characters)) {
			yield batch;
			[batch, characters] = [[], 0];
		}
		batch.push(line);
		characters += length;
	}
	if (batch.length > 0) yield batch;
}
