import { readFile, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { BlobStore } from "@svc/base/ports";
import { openRenditionCache } from "@svc/cdn/cache/cache";
import { KeptOriginals, type Originals } from "@svc/cdn/cache/kept-originals";
import { AnalysisSearches } from "@svc/cdn/renditions/analysis";
import { MendLooks } from "@svc/cdn/renditions/mend-looks";
import { ShrunkMasters } from "@svc/cdn/renditions/shrunk-masters";
import { WarmSizes } from "@svc/cdn/renditions/warm-sizes";
import { openFaceFinder } from "@svc/finders/faces";
import { openSubjectFinder, type SubjectFinder } from "@svc/finders/subject";
import { analysisStore } from "@svc/images/analysis-store";
import type { Image } from "@svc/images/images";
import { imageStore } from "@svc/images/images-store";
import type { Masters } from "@svc/images/keep/masters";
import { recentImages } from "@svc/images/list/recent-images-store";
import type { Master } from "@svc/images/ports";
import { parseTransform } from "@svc/images/transform/transform";
import { analyser, type Models } from "@svc/imaging/kept/analyser";
import { FairLine } from "@svc/imaging/workers/fair-line";
import { FreshCopies } from "@svc/imaging/workers/fresh-copies";
import { workerInspector } from "@svc/imaging/workers/inspector";
import { workerLooks } from "@svc/imaging/workers/looks";
import { openPool, type Pool, TIME_LIMITS } from "@svc/imaging/workers/pool/pool";
import { workerRenderer } from "@svc/imaging/workers/renderer";
import { workerShrinker } from "@svc/imaging/workers/shrinker";
import { freeSpace } from "@svc/storage/folders";
import type { Config } from "../config/config.ts";
import { FREE_FLOOR_BYTES } from "./storage/storage.ts";

const MIB = 1_024 ** 2;
const HOT_RENDITION_BYTES = 64 * MIB;

export type Pictures = Awaited<ReturnType<typeof openPictures>>;

/** Analyses images and makes renditions of them: the same for uploads, for jobs and for the transform host. */
export async function openPictures(
	config: Config,
	base: Base,
	database: Database,
	{ blobs, masters, workers }: { readonly blobs: BlobStore; readonly masters: Masters; readonly workers: Pool },
) {
	const models = openModels(config);
	const freeBytes = freeSpace(config.dataDir);
	const cache = await openRenditionCache({
		...base,
		dir: join(config.dataDir, "cache"),
		maxBytes: config.cacheMaxBytes,
		smallMaxBytes: config.smallMaxBytes,
		hotBytes: HOT_RENDITION_BYTES,
		hasRoom: async () => (await freeBytes()) >= FREE_FLOOR_BYTES,
	});
	const parts = { workers, stage: blobs.stage, scratch: () => cache.scratchPath() };
	const analysis = new AnalysisSearches({
		...base,
		analysis: analysisStore(database, models.subjectModel),
		finder: analyser(models, workerLooks(parts)),
	});
	// It looks up images as strangers see them, so it has its own store.
	const images = imageStore(database);
	const fresh = new FreshCopies();
	const shrinker = workerShrinker(parts, fresh);
	const originals: Originals = blobs.local ? masters : new KeptOriginals({ masters, cache });
	const looks = new MendLooks({ masters: originals, analysis });
	return {
		models,
		cache,
		line: workers.line,
		inspector: workerInspector(workers, config.renderMemoryBytes, {
			scratch: parts.scratch,
			fresh,
			smallest: config.warmSizes,
		}),
		renderer: workerRenderer(parts),
		images,
		originals,
		analysis,
		looks,
		shrunkMasters: new ShrunkMasters({
			...base,
			images,
			masters: originals,
			local: blobs.local,
			looks,
			shrinker,
			analysis,
			cache,
		}),
	};
}

/** Draws a stored image, in turn with what the transform host renders; rejects for an image that cannot be decoded. */
export function pictureDrawer({ renderer }: Pictures) {
	return async (master: Master, box: Readonly<Record<string, string>>): Promise<Uint8Array<ArrayBuffer>> => {
		const transform = parseTransform(new URLSearchParams(box));
		const { signal } = new AbortController();
		const { made } = await renderer.render(master, transform, {}, { signal });
		if (made instanceof Uint8Array) return made;
		const bytes = await readFile(made.path);
		await rm(made.path);
		return new Uint8Array(bytes);
	};
}

interface PictureGround {
	readonly base: Base;
	readonly database: Database;
	readonly pictures: Pictures;
}

/** `make` is the transform host's: what it makes is kept like any rendition. */
export function openWarmSizes(
	{ dataDir }: Config,
	{ base, database, pictures: { images } }: PictureGround,
	make: (image: Image) => Promise<void>,
): WarmSizes {
	return new WarmSizes({
		...base,
		images: { ...recentImages(database), findServable: images.findServable },
		path: join(dataDir, "cache", "warm-sizes"),
		make,
	});
}

/** The processes that open pictures. They start with their first orders, unless they are started ahead. */
export function openWorkers({ renderConcurrency, renderMemoryBytes, renderQueue }: Config): Pool {
	return openPool({
		workers: renderConcurrency,
		line: new FairLine({
			places: renderConcurrency,
			bytes: renderMemoryBytes,
			waiting: renderQueue,
			clock: { now: () => performance.now() },
			after,
		}),
		limits: { ...TIME_LIMITS, memoryBytes: renderMemoryBytes },
		yielding: renderConcurrency > availableParallelism(),
	});
}

function after(milliseconds: number, work: () => void): () => void {
	const timer = setTimeout(work, milliseconds);
	return () => clearTimeout(timer);
}

/** The models' processes start with the first image that needs them. */
function openModels({ segmentModel }: Config): Models & { readonly subjectModel: string; close(): void } {
	const faces = openFaceFinder();
	const subject = openSubject(segmentModel);
	return {
		faces: faces.find,
		everyFace: faces.findEvery,
		subject: subject.find,
		subjectModel: subject.model,
		close() {
			faces.close();
			subject.close();
		},
	};
}

function openSubject(segmentModel: string | undefined): SubjectFinder {
	try {
		return openSubjectFinder(segmentModel === undefined ? {} : { modelPath: segmentModel });
	} catch (cause) {
		throw new Error(`segment_model of SVC_TUNING cannot be used: ${cause instanceof Error ? cause.message : cause}`, {
			cause,
		});
	}
}
