import type { Gate } from "@svc/core/gate";
import type { ImageFacts } from "@svc/core/images";
import type { BlobStore, Clock, ImageStore, Log, Reducer, Reduction } from "@svc/core/ports";
import { reductionsOf } from "@svc/core/reductions";
import { digest, type Hit, type RenditionCache, renditionKey } from "./cache.ts";

export interface ReductionsDeps {
	readonly images: Pick<ImageStore, "findServable">;
	readonly blobs: Pick<BlobStore, "find">;
	readonly reducer: Reducer;
	readonly cache: Pick<RenditionCache, "bytesOf" | "find" | "put" | "purge">;
	/** Renditions that somebody waits for go first. */
	readonly gate: Pick<Gate, "running" | "waiting">;
	readonly clock: Clock;
	readonly log: Log;
}

/** Images whose copies are wanted; past this they are wanted again by their next rendition. */
const WANTED_MAX = 1_000;
const BUSY_PAUSE_MS = 100;
/** In the cache instead of a copy that does not exist: the master is transparent or moves. */
const NONE = new Uint8Array(0);

type Wanted = Pick<ImageFacts, "id" | "teamHash" | "blobKey" | "format" | "width" | "height">;

/**
 * Smaller copies of large masters, one at a time in the background. They live in the rendition cache: under its byte bound, in
 * nobody's quota, purged with their image, and made again when they are missed.
 */
export class Reductions {
	readonly #deps: ReductionsDeps;
	/** By blob key, first come first served. */
	readonly #wanted = new Map<string, Wanted>();
	#working = false;

	constructor(deps: ReductionsDeps) {
		this.#deps = deps;
	}

	/** Takes note, and no time of the caller's. */
	want(image: Wanted): void {
		if (reductionsOf(image).length === 0 || this.#wanted.size >= WANTED_MAX) return;
		this.#wanted.set(image.blobKey, image);
		if (!this.#working) void this.#work();
	}

	/** The copies that are there, unopened. What is missing is wanted from now on. */
	find(image: Wanted): readonly Reduction[] {
		const { cache } = this.#deps;
		const found: Reduction[] = [];
		for (const factor of reductionsOf(image)) {
			const key = keyOf(image, factor);
			const bytes = cache.bytesOf(key);
			if (bytes === undefined) this.want(image);
			else if (bytes > 0) found.push({ factor, read: async () => bytesOf(await cache.find(key)) });
		}
		return found;
	}

	async #work(): Promise<void> {
		this.#working = true;
		for (const [blobKey, image] of this.#wanted) {
			await this.#idle();
			await this.#make(image).catch((cause: unknown) => {
				this.#deps.log.warn("smaller copies of a master could not be made", { image: image.id, cause });
			});
			this.#wanted.delete(blobKey);
		}
		this.#working = false;
	}

	/** Until nobody waits for a rendition. */
	async #idle(): Promise<void> {
		while (this.#deps.gate.waiting > 0) await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
	}

	async #make(image: Wanted): Promise<void> {
		const { blobs, cache, reducer } = this.#deps;
		const blob = await blobs.find(image.blobKey);
		if (!blob) return;
		for (const factor of reductionsOf(image)) {
			if (cache.bytesOf(keyOf(image, factor)) !== undefined) continue;
			const copy = await reducer.reduce(
				{ blob, format: image.format, width: image.width, height: image.height },
				factor,
			);
			await cache.put(keyOf(image, factor), copy ?? NONE);
		}
		// Deleted meanwhile: the purge may have passed before the copies were there.
		if (!(await this.#isServable(image))) await cache.purge(image.blobKey);
	}

	async #isServable({ teamHash, id }: Wanted): Promise<boolean> {
		const { images, clock } = this.#deps;
		return (await images.findServable(teamHash, id, clock.now())) !== undefined;
	}
}

function keyOf({ blobKey }: Wanted, factor: number): string {
	return renditionKey(blobKey, digest(`reduction ${factor}`));
}

async function bytesOf(hit: Hit | undefined): Promise<Uint8Array<ArrayBuffer> | undefined> {
	return hit && new Uint8Array(await hit.blob.arrayBuffer());
}
