import type { BlobStore } from "@svc/base/ports";
import type { Master, Renderer, ShrunkMaster } from "@svc/images/ports";
import { outputFormat } from "@svc/images/transform/transform";
import { cleaned, onDisk } from "./local-files.ts";
import type { CopyFile, MasterFile } from "./orders.ts";
import type { Workers } from "./pool.ts";
import { decodingPrice, renditionPrice } from "./price.ts";

export interface AdapterOptions {
	readonly workers: Workers;
	/** Masters that lie elsewhere are fetched to here. */
	readonly stage: BlobStore["stage"];
	/** A path for a new file, on the disk of the rendition cache; it is removed after a crash. */
	readonly scratch: () => string;
}

/** Makes renditions in worker processes. */
export function workerRenderer({ workers, stage, scratch }: AdapterOptions): Renderer {
	return {
		render: (master, transform, { tile, ...aids }, signal) =>
			withTile(tile, stage, (tileFile) =>
				onDisk(master, stage, async (file) => {
					const out = scratch();
					const copies = await copiesOf(master.shrunkMasters);
					const order = { kind: "render", master: file, copies, transform, aids, tile: tileFile, out } as const;
					const price = renditionPrice(master, outputFormat(transform, master.format));
					return await cleaned([out], () => workers.do<"render">(order, { lane: "dear", price, signal }));
				}),
			),
		strip: (master, signal) =>
			onDisk(master, stage, async (file) => {
				const out = scratch();
				const wish = { lane: "cheap", price: decodingPrice({ ...master, width: 0 }), signal } as const;
				const { made } = await cleaned([out], () => workers.do<"strip">({ kind: "strip", master: file, out }, wish));
				return made;
			}),
	};
}

async function withTile<T>(
	tile: Master | undefined,
	stage: BlobStore["stage"],
	work: (file: MasterFile | undefined) => Promise<T>,
): Promise<T> {
	return tile ? await onDisk(tile, stage, work) : await work(undefined);
}

export async function copiesOf(copies: readonly ShrunkMaster[] = []): Promise<readonly CopyFile[]> {
	const files: CopyFile[] = [];
	for (const { factor, path } of copies) {
		const found = await path();
		if (found !== undefined) files.push({ factor, path: found });
	}
	return files;
}
