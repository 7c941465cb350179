import { writeFile } from "node:fs/promises";
import { type ZipEntry, zip } from "@svc/base/streams/zip";
import { MANIFEST, newManifest } from "@svc/migrate/app-file/manifest";

/** A file in which an App without anything moves. */
export async function writeFakeApp(path: string): Promise<void> {
	const facts = { installation: "https://old.example.com", app: "app_1", images: 0, bytes: 0, records: [] };
	async function* entries(): AsyncGenerator<ZipEntry> {
		yield { name: MANIFEST, changedMs: 0, content: Buffer.from(JSON.stringify(newManifest(facts))) };
	}
	await writeFile(path, Buffer.concat(await Array.fromAsync(zip(entries()))));
}
