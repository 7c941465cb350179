import { createHash, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { digestOfFile } from "@svc/base/crypto/digest";
import { JobFailure } from "@svc/base/failure";
import type { BackupFacts, BackupFolder, BackupFolders, BlobDigest, Log, StoredBlob } from "@svc/base/ports";
import { type BegunBackup, beginBackup, copyTo, orFull, removeFolder, unlessUnreadable } from "../backup-disk.ts";
import { blobFile, DATABASE, MANIFEST, manifestText, SUMS } from "../backup-list.ts";
import { keyOf, listPictures, pictureKey, putObject, readList, readNames, removeBackup } from "./backup-objects.ts";
import { S3Error } from "./errors.ts";
import { fileStream } from "./file-stream.ts";
import { s3Mark } from "./mark.ts";
import { headOf, storedObject, textAt } from "./objects.ts";
import { placeText, requestsBelow } from "./place.ts";
import { type Bucket, type Pace, type S3Requests, s3Requests } from "./requests.ts";
import { S3_PACE } from "./s3.ts";

/** A picture that no backup names stays for so long: it may be one of a backup that is being made. */
const UNNAMED_KEPT_MS = 24 * 3_600_000;
/** No store takes more in one request. */
const OBJECT_MAX_BYTES = 5 * 1_024 ** 3;

interface S3BackupsOptions extends Bucket {
	/** A folder of the bucket, without slashes at its ends; empty for all of it. */
	readonly path: string;
	/** An absolute path, where the copy of the database is made. */
	readonly dir: string;
	/** Free bytes that a backup leaves on the disk. */
	readonly freeFloorBytes: number;
	/** Whose backups these are: two installations in one place would remove each other's. */
	readonly installation: () => Promise<string>;
	readonly log: Pick<Log, "warn" | "error">;
	/** Tests shorten the waits. */
	readonly pace?: Partial<Pace>;
}

/** Backups in a bucket: each is whole or not there, and pictures that several of them name lie there once. */
export function s3Backups(options: S3BackupsOptions): BackupFolders {
	const { dir, freeFloorBytes, log } = options;
	const place = placeText(options);
	const requests = requestsBelow(s3Requests(options, { ...S3_PACE, ...options.pace }, log), options.path);
	const mark = s3Mark(requests, place);
	const kept: Kept = { requests, log };

	async function requireOwn(): Promise<void> {
		const installation = await options.installation();
		const found = (await mark.read()) ?? ((await mark.create(installation)) ? installation : await mark.read());
		if (found === installation) return;
		throw new JobFailure(
			`${place} holds the backups of another installation, ${found}. Name another folder with SVC_BACKUP_TO.`,
		);
	}

	return {
		list: async () => (await readNames(requests)).whole,
		async remove(name) {
			await removeBackup(requests, name);
			await collect(kept);
		},
		open: (name) =>
			orTold(place, async () => {
				await requireOwn();
				for (const broken of (await readNames(requests)).broken) await removeBackup(requests, broken);
				const pictures = await collect(kept);
				return openBackup(await beginBackup(dir, name, freeFloorBytes), { requests, place, name, pictures });
			}),
		async findCopy(_, { bytes, sha256 }) {
			const found = await headOf(requests, pictureKey(sha256));
			return found?.bytes === bytes ? storedObject(requests, pictureKey(sha256), found).stream() : undefined;
		},
	};
}

interface Kept {
	readonly requests: S3Requests;
	readonly log: Pick<Log, "error">;
}

/** Removes pictures that no backup names any more; returns the size of each that is there, by its digest. */
async function collect({ requests, log }: Kept): Promise<Map<string, number>> {
	const named = await namedPictures(requests).catch((cause: unknown) => {
		if (cause instanceof S3Error) throw cause;
		log.error("what a backup in the bucket names is not known, so no picture was removed there", { cause });
		return undefined;
	});
	const oldMs = Date.now() - UNNAMED_KEPT_MS;
	const pictures = new Map<string, number>();
	for await (const { sha256, bytes, writtenMs } of listPictures(requests)) {
		if (named === undefined || named.has(sha256) || writtenMs > oldMs) pictures.set(sha256, bytes);
		else await requests.send({ method: "DELETE", key: pictureKey(sha256) }, async () => undefined);
	}
	return pictures;
}

async function namedPictures(requests: S3Requests): Promise<Set<string>> {
	const named = new Set<string>();
	for (const name of (await readNames(requests)).whole) {
		const manifest = JSON.parse((await textAt(requests, keyOf(name, MANIFEST))) ?? "null");
		for (const { sha256 } of await readList(requests, name, String(manifest?.sums_sha256))) named.add(sha256);
	}
	return named;
}

interface Surroundings {
	readonly requests: S3Requests;
	readonly place: string;
	readonly name: string;
	/** What the bucket holds already. */
	readonly pictures: Map<string, number>;
}

/** Files lie in the begun folder on their way to the bucket. */
function openBackup(begun: BegunBackup, { requests, place, name, pictures }: Surroundings): BackupFolder {
	const { root, databasePath, sums, requireRoom } = begun;
	const used = new Set<string>();

	/** Undefined where there are no bytes, or none that can be read. */
	async function upload(blob: StoredBlob): Promise<BlobDigest | undefined> {
		const path = join(root, randomUUID());
		try {
			return await unlessUnreadable(path, async () => {
				await requireRoom(blob.bytes);
				const digest = await copyTo(path, blob);
				await putFile(pictureKey(digest.sha256), path, digest);
				return digest;
			});
		} finally {
			await rm(path, { force: true });
		}
	}

	async function putFile(key: string, path: string, digest: BlobDigest): Promise<void> {
		if (digest.bytes > OBJECT_MAX_BYTES)
			throw new JobFailure(`${path} is larger than 5 GiB, which no bucket takes at once.`);
		await putObject(requests, key, digest, () => fileStream(path));
	}

	/** Another process, or a person, may have removed some: a backup that lacks them must not look whole. */
	async function requirePictures(): Promise<void> {
		const missing = new Set(used);
		for await (const { sha256 } of listPictures(requests)) missing.delete(sha256);
		if (missing.size > 0) throw new Error(`${missing.size} pictures went from ${place} while the backup was made`);
	}

	async function putManifest(facts: BackupFacts, listed: BlobDigest): Promise<void> {
		const text = new TextEncoder().encode(manifestText(facts, sums.total(), listed));
		const digest = { bytes: text.length, sha256: createHash("sha256").update(text).digest("hex") };
		await putObject(requests, keyOf(name, MANIFEST), digest, () => new Blob([text]).stream());
	}

	const told = <T>(work: () => Promise<T>) => orTold(place, () => orFull(work));

	return {
		databasePath,
		requireRoom,
		keep: (blobKey, blob, expected) =>
			told(async () => {
				const isThere = pictures.get(expected.sha256) === expected.bytes;
				const digest = isThere ? expected : blob && (await upload(blob));
				if (!digest) return undefined;
				pictures.set(digest.sha256, digest.bytes);
				used.add(digest.sha256);
				await sums.note(blobFile(blobKey), digest);
				return digest;
			}),
		seal: (facts) =>
			told(async () => {
				const database = await digestOfFile(databasePath);
				await sums.note(DATABASE, database);
				await sums.finish();
				await putFile(keyOf(name, DATABASE), databasePath, database);
				const listed = await digestOfFile(join(root, SUMS));
				await putFile(keyOf(name, SUMS), join(root, SUMS), listed);
				await requirePictures();
				await putManifest(facts, listed);
				await removeFolder(root);
				return { path: `${place}/${keyOf(name, "").slice(0, -1)}`, ...sums.total() };
			}),
		async discard() {
			await sums.abandon();
			await removeFolder(root);
			await removeBackup(requests, name).catch(() => undefined);
		},
	};
}

/** @throws JobFailure for what another try would not change: wrong keys, above all */
async function orTold<T>(place: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (cause) {
		if (!(cause instanceof S3Error) || cause.passing) throw cause;
		throw new JobFailure(`The backup could not be written to ${place}: ${cause.message}.`, { cause });
	}
}
