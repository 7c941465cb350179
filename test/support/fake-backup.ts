import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const FILES = {
	"svc.db": "a database",
	"images/blobs/0d/img_1+a": "a picture",
	"images/blobs/f3/img_2+b": "another one",
};

function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

export interface FakeBackup {
	/** Contents by path. */
	readonly files?: Readonly<Record<string, string>>;
	/** What the list says instead. */
	readonly sums?: string;
	/** Instead of what manifest.json would hold. */
	readonly manifest?: Readonly<Record<string, unknown>>;
}

/** A backup that is whole, but for what is given. */
export async function writeFakeBackup(folder: string, { files = FILES, ...fake }: FakeBackup = {}): Promise<void> {
	const listed = Object.entries(files);
	for (const [path, text] of listed) {
		await mkdir(dirname(join(folder, path)), { recursive: true });
		await writeFile(join(folder, path), text);
	}
	const sums = fake.sums ?? listed.map(([path, text]) => `${sha256(text)}  ${path}\n`).join("");
	await writeFile(join(folder, "SHA256SUMS"), sums);
	const manifest = {
		format: 1,
		version: "0.1.0",
		migration: "0001_first",
		made_at: "2026-01-01T00:00:00.000Z",
		images: listed.length - 1,
		damaged: 0,
		files: sums.trim().split("\n").length,
		bytes: Buffer.byteLength(Object.values(files).join("")),
		sums_sha256: sha256(sums),
		...fake.manifest,
	};
	await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
}

/** A line of the list for a file of this path, with some digest. */
export function sumsLine(path: string): string {
	return `${sha256(path)}  ${path}\n`;
}
