import { WorkLost } from "@svc/base/failure";
import type { BlobStore } from "@svc/base/ports";
import type { Asker, RenderAids, Renderer, ShrunkMaster } from "@svc/images/ports";
import { LAYERS, type LayerName } from "@svc/images/transform/transform";
import { laneOf, renderPrice } from "../render/render-price.ts";
import { Corrections } from "./corrections.ts";
import { type Loss, WorkerLost } from "./failures.ts";
import type { Wish } from "./line.ts";
import { cleaned, onDisk } from "./local-files.ts";
import type { CopyFile, LayerFiles } from "./orders.ts";
import type { Workers } from "./pool/pool.ts";
import type { Price } from "./price.ts";

export interface AdapterOptions {
	readonly workers: Workers;
	/** Masters that lie elsewhere are fetched to here. */
	readonly stage: BlobStore["stage"];
	/** A path for a new file, on the disk of the rendition cache; it is removed after a crash. */
	readonly scratch: () => string;
}

/** Reads a file and leaves some of it out. */
const STRIPPING: Price = { bytes: 48 * 1_024 ** 2, cpuMs: 20 };

/** Makes renditions in worker processes. */
export function workerRenderer({ workers, stage, scratch }: AdapterOptions): Renderer {
	const corrections = new Corrections();
	return {
		render: (master, transform, aids, asker) =>
			withLayers(aids, LAYERS, stage, (layers) =>
				onDisk(master, stage, async (file) => {
					const out = scratch();
					const copies = await copiesOf(master.shrunkMasters);
					const { tile, overlay, ...facts } = aids;
					const order = { kind: "render", master: file, copies, transform, aids: facts, layers, out } as const;
					const factors = copies.map(({ factor }) => factor);
					const price = renderPrice(master, transform, aids, factors, corrections.of);
					const tries: number[] = [];
					const took = (cpuMs: number) => tries.push(cpuMs);
					const rendition = await kept([out], () => workers.do<"render">(order, { ...wishOf(asker, price), took }));
					// A second try had another price.
					if (tries.length === 1) corrections.learn(rendition.format, price.cpuMs, tries[0] ?? 0);
					return rendition;
				}),
			),
		strip: (master, asker) =>
			onDisk(master, stage, async (file) => {
				const out = scratch();
				const order = { kind: "strip", master: file, out } as const;
				const { made } = await kept([out], () => workers.do<"strip">(order, wishOf(asker, STRIPPING)));
				return made;
			}),
	};
}

function wishOf({ signal, visitor, background, begun }: Asker, price: Price): Wish {
	return { lane: background ? "background" : laneOf(price), price, signal, visitor, begun };
}

/** These are the picture's fault, and no matter of a machine that is busy, or of somebody who stops its processes. */
const ITS_FAULT: ReadonlySet<Loss> = new Set(["crash", "cpu", "memory"]);

/** @throws WorkLost; whatever else the work throws */
async function kept<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
	try {
		return await cleaned(paths, work);
	} catch (error) {
		if (!(error instanceof WorkerLost)) throw error;
		throw new WorkLost(ITS_FAULT.has(error.reason) ? error.deaths : 0, { cause: error });
	}
}

/** With the files of the layers that there are. */
async function withLayers<T>(
	aids: RenderAids,
	[name, ...others]: readonly LayerName[],
	stage: BlobStore["stage"],
	work: (files: LayerFiles) => Promise<T>,
): Promise<T> {
	if (name === undefined) return await work({});
	const rest = (more: LayerFiles) => withLayers(aids, others, stage, (files) => work({ ...more, ...files }));
	const layer = aids[name];
	return layer ? await onDisk(layer, stage, (file) => rest({ [name]: file })) : await rest({});
}

export async function copiesOf(copies: readonly ShrunkMaster[] = []): Promise<readonly CopyFile[]> {
	const files: CopyFile[] = [];
	for (const { factor, path } of copies) {
		const found = await path();
		if (found !== undefined) files.push({ factor, path: found });
	}
	return files;
}
