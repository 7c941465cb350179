import { BACKUP_LINE } from "@svc/base/backup-format";
import { digestOfParts } from "@svc/base/crypto/digest";
import type { BlobDigest } from "@svc/base/ports";
import { DATABASE, MANIFEST, SUMS } from "../backup-list.ts";
import { drained, headOf, listObjects, removeFrom, storedObject } from "./objects.ts";
import type { S3Requests } from "./requests.ts";

/*
 * Backups in a bucket: `backups/<name>/` holds `svc.db`, `SHA256SUMS` and `manifest.json`, which is written last and removed first, so that
 * a backup is whole where that is there. The pictures of all backups lie beside them once, as `pictures/<digest>`.
 */

const BACKUPS = "backups/";
const PICTURES = "pictures/";
const PICTURE = /pictures\/([0-9a-f]{64})$/;
const BACKUP = /(?:^|\/)backups\/([A-Za-z0-9_][A-Za-z0-9._-]*)\/([^/]+)$/;

export const keyOf = (name: string, file: string) => `${BACKUPS}${name}/${file}`;
export const pictureKey = (sha256: string) => `${PICTURES}${sha256}`;

type Listed = Awaited<ReturnType<typeof listObjects>>["blobs"][number];

async function* listed(requests: S3Requests, prefix: string): AsyncGenerator<Listed> {
	for (let after: string | undefined; ; ) {
		const page = await listObjects(requests, prefix, after);
		yield* page.blobs;
		after = page.next;
		if (after === undefined) return;
	}
}

/** The names of backups, sorted: those that are whole, and what is left of others. */
export async function readNames(
	requests: S3Requests,
): Promise<{ readonly whole: readonly string[]; readonly broken: readonly string[] }> {
	const files = new Map<string, Set<string>>();
	for await (const { key } of listed(requests, BACKUPS)) {
		const [, name = "", file = ""] = BACKUP.exec(key) ?? [];
		if (name !== "") files.set(name, (files.get(name) ?? new Set()).add(file));
	}
	const names = [...files.keys()].sort();
	const isWhole = (name: string) => files.get(name)?.has(MANIFEST) === true;
	return { whole: names.filter(isWhole), broken: names.filter((name) => !isWhole(name)) };
}

/** The manifest goes first: what a failure leaves is no backup. */
export async function removeBackup(requests: S3Requests, name: string): Promise<void> {
	for (const file of [MANIFEST, SUMS, DATABASE]) await removeFrom(requests, keyOf(name, file));
}

export interface BackupPicture {
	readonly sha256: string;
	readonly bytes: number;
	readonly writtenMs: number;
}

export async function* listPictures(requests: S3Requests): AsyncGenerator<BackupPicture> {
	for await (const { key, bytes, writtenMs } of listed(requests, PICTURES)) {
		const [, sha256] = PICTURE.exec(key) ?? [];
		if (sha256 !== undefined) yield { sha256, bytes, writtenMs };
	}
}

/** One entry of a backup's list. */
export interface ListedFile {
	readonly sha256: string;
	/** Path below the folder that the backup would be. */
	readonly path: string;
}

/**
 * Reads the list of a backup in parts.
 * @param sums what the manifest says the digest of the list is
 * @throws Error for one that is gone, or is not the one that was made
 */
export async function readList(requests: S3Requests, name: string, sums: string): Promise<readonly ListedFile[]> {
	const wrong = () => new Error(`${SUMS} of the backup ${name} is missing or damaged`);
	const found = await headOf(requests, keyOf(name, SUMS));
	if (!found) throw wrong();
	const files: ListedFile[] = [];
	const text = new TextDecoder();
	let rest = "";
	const { sha256 } = await digestOfParts(storedObject(requests, keyOf(name, SUMS), found).stream(), async (part) => {
		const lines = (rest + text.decode(part, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) {
			const [, digest, path] = BACKUP_LINE.exec(line) ?? [];
			if (digest === undefined || path === undefined) throw wrong();
			files.push({ sha256: digest, path });
		}
	});
	if (sha256 !== sums || rest !== "") throw wrong();
	return files;
}

/** @param open called for each try */
export async function putObject(
	requests: S3Requests,
	key: string,
	{ bytes, sha256 }: BlobDigest,
	open: () => ReadableStream<Uint8Array>,
): Promise<void> {
	// Signed with the request, so the store keeps these bytes or none.
	const upload = { open, bytes, sha256: Uint8Array.fromHex(sha256) };
	await requests.send({ method: "PUT", key, upload }, drained);
}
