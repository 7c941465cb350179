import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BACKUP_FORMAT } from "@svc/base/backup-format";
import type { Log } from "@svc/base/ports";
import { copyTo } from "../backup-disk.ts";
import { DATABASE, MANIFEST, SUMS } from "../backup-list.ts";
import { keyOf, pictureKey, readList, readNames } from "./backup-objects.ts";
import { headOf, storedObject, textAt } from "./objects.ts";
import { placeText, requestsBelow, type S3Place } from "./place.ts";
import { type Bucket, type S3Requests, s3Requests } from "./requests.ts";
import { S3_PACE } from "./s3.ts";

const LANES = 4;
const MANIFEST_MAX_CHARS = 65_536;
const NAMED = 20;

/**
 * Fetches a backup out of a bucket into a new folder, as backups on a disk look. Nothing of it is compared here: that is what reads the
 * folder for. A picture that the bucket has lost is left out.
 * @throws Error for what is no backup, naming those that are there, or when the bucket does not answer
 */
export async function downloadBackup(place: S3Place & Bucket, dir: string, log: Pick<Log, "warn">): Promise<void> {
	const bucket = s3Requests(place, S3_PACE, log);
	const [, above, name] = /^(?:(.*)\/)?backups\/([^/]+)$/.exec(place.path) ?? [];
	if (name === undefined) throw new Error(await noBackup(bucket, placeText(place), place.path));
	const requests = requestsBelow(bucket, above ?? "");
	const manifest = await textAt(requests, keyOf(name, MANIFEST));
	if (manifest === undefined) throw new Error(await noBackup(requests, placeText({ ...place, path: above ?? "" }), ""));
	await download({ requests, name, dir }, manifest);
}

async function noBackup(requests: S3Requests, place: string, path: string): Promise<string> {
	const { whole } = await readNames(requestsBelow(requests, path.replace(/(^|\/)backups$/, "")));
	const base = place.replace(/\/backups$/, "");
	const names = whole.slice(-NAMED).map((name) => `${base}/backups/${name}`);
	return names.length === 0 ? `no backup is below ${base}` : `name one of the backups there: ${names.join(", ")}`;
}

interface Download {
	readonly requests: S3Requests;
	readonly name: string;
	readonly dir: string;
}

async function download({ requests, name, dir }: Download, manifest: string): Promise<void> {
	const { format, sums } = parseManifest(manifest);
	await mkdir(dir, { recursive: true, mode: 0o700 });
	await writeFile(join(dir, MANIFEST), manifest, { mode: 0o600 });
	// The program that reads the folder says what it thinks of another format, or of no format at all.
	if (format !== BACKUP_FORMAT || sums === undefined) return;
	for (const file of [SUMS, DATABASE]) await fetchTo(requests, keyOf(name, file), join(dir, file));
	const pictures = (await readList(requests, name, sums)).filter(({ path }) => path !== DATABASE).values();
	const lane = async () => {
		for (const { sha256, path } of pictures) await fetchTo(requests, pictureKey(sha256), join(dir, path));
	};
	await Promise.all(Array.from({ length: LANES }, lane));
}

function parseManifest(text: string): { readonly format: unknown; readonly sums: string | undefined } {
	if (text.length > MANIFEST_MAX_CHARS) return { format: undefined, sums: undefined };
	try {
		const { format, sums_sha256: sums } = JSON.parse(text);
		return { format, sums: typeof sums === "string" ? sums : undefined };
	} catch {
		return { format: undefined, sums: undefined };
	}
}

async function fetchTo(requests: S3Requests, key: string, path: string): Promise<void> {
	const found = await headOf(requests, key);
	if (!found) return;
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	await copyTo(path, storedObject(requests, key, found));
}
