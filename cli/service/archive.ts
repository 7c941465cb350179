import { createHash } from "node:crypto";
import { access, readFile } from "node:fs/promises";

/* The file in which an executable carries the service: what is in it as one line of JSON, then all contents, one after the other, as one
   stream of zstd. Each content has its digest in that line, so that what was unpacked can be compared with it at every start. */

/** One file of the service, or a link to another. Paths are relative to the folder of all, with `/` in between. */
export type Part =
	| { readonly path: string; readonly bytes: number; readonly sha256: string; readonly mode: number }
	| { readonly path: string; readonly link: string };

export interface Archive {
	/** SHA-256 of the list of its parts, in hexadecimal. */
	readonly digest: string;
	readonly parts: readonly Part[];
	/** All contents, in the order of the parts. @throws Error when they are not what was packed */
	contents(): Promise<Buffer>;
}

/** What stands in an archive, as the file that `openArchive` reads. */
export async function packArchive(parts: readonly Part[], contents: readonly Uint8Array[]): Promise<Buffer> {
	const { constants, zstdCompressSync } = await import("node:zlib");
	const params = { [constants.ZSTD_c_compressionLevel]: 12 };
	return Buffer.concat([
		Buffer.from(`${JSON.stringify(parts)}\n`),
		zstdCompressSync(Buffer.concat(contents), { params }),
	]);
}

/** @returns undefined where there is no such file: an executable of the CLI alone, or no executable */
export async function openArchive(path: string): Promise<Archive | undefined> {
	const isThere = await access(path).then(
		() => true,
		() => false,
	);
	if (!isThere) return undefined;
	const file = await readFile(path);
	const head = file.subarray(0, file.indexOf("\n"));
	const parts = JSON.parse(head.toString("utf8")) as readonly Part[];
	return {
		digest: createHash("sha256").update(head).digest("hex"),
		parts,
		async contents() {
			const { zstdDecompressSync } = await import("node:zlib");
			return zstdDecompressSync(file.subarray(head.length + 1));
		},
	};
}
