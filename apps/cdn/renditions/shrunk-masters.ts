import { rm } from "node:fs/promises";
import type { ImageFormat } from "@svc/base/enumerations";
import type { Clock, Log } from "@svc/base/ports";
import type { ImageFacts } from "@svc/images/images";
import type { ImageStore, LookedAt, Master, Shrinker, Shrunk, ShrunkMaster } from "@svc/images/ports";
import { ALL_MENDS, type FoundMends, hasPixelMends, pixelMend } from "@svc/images/transform/mends";
import { shrunkFactorsOf } from "@svc/images/transform/shrunk-masters";
import { isTransformable } from "@svc/images/transform/transform";
import { digest, type RenditionCache, renditionKey } from "../cache/cache.ts";
import type { Originals } from "../cache/kept-originals.ts";
import type { AnalysisSearches } from "./analysis.ts";
import type { MendLooks } from "./mend-looks.ts";
import { strippedKey } from "./rendition.ts";

export interface ShrunkMasterDeps {
	readonly images: Pick<ImageStore, "findServable">;
	readonly masters: Pick<Originals, "findWhole">;
	readonly shrinker: Shrinker;
	readonly analysis: Pick<AnalysisSearches, "findIn" | "findAnew" | "keep">;
	readonly cache: Pick<RenditionCache, "bytesOf" | "hasFree" | "pathOf" | "put" | "purge">;
	readonly looks: Pick<MendLooks, "note">;
	/** Whether masters lie on a disk of this machine. */
	readonly local: boolean;
	readonly clock: Clock;
	readonly log: Log;
}

/** Raised whenever all copies come to have other pixels; where only some do, it is a mend. */
const PIPELINE = "3";
/** Images in the queue; beyond this, an image is queued again by its next rendition, or the next operator who looks at it. */
const WANTED_MAX = 1_000;
/** As long as an upload waits for copies. Those of a JPEG were made while it was looked at, and only have to be put in their place. */
const READY_MS: Readonly<Partial<Record<ImageFormat, number>>> = { avif: 10_000, jpg: 2_000 };
/** This cache entry stands for a copy that does not exist: the master is transparent or an animation. */
const NONE = new Uint8Array(0);
/** This cache entry stands for a stripped master whose stored bytes hold nothing to remove and can be sent as they are. */
export const AS_STORED = new Uint8Array(0);
const NOTHING: Shrunk = { copies: new Map() };

type WantedCopies = Pick<ImageFacts, "id" | "teamHash" | "blobKey" | "status" | "format" | "width" | "height">;

/**
 * Smaller copies of large masters, and placeholders of all images, one at a time in the background. The copies lie in the rendition
 * cache: under its byte bound, in no storage's quota, purged with their image, and made again when they are missed.
 */
export class ShrunkMasters {
	readonly #deps: ShrunkMasterDeps;
	/** Images by blob key, first come first served. */
	readonly #wanted = new Map<string, WantedCopies>();
	readonly #making = new Map<string, Promise<void>>();
	#working = false;

	constructor(deps: ShrunkMasterDeps) {
		this.#deps = deps;
	}

	/** Only takes note, so that the caller does not wait. */
	want(image: WantedCopies): void {
		if (!canBeDecoded(image) || this.#wanted.size >= WANTED_MAX) return;
		this.#wanted.set(image.blobKey, image);
		if (this.#working) return;
		this.#work().catch((cause: unknown) => this.#deps.log.warn("Masters could not be made smaller", { cause }));
	}

	/** The copies that are there, unopened. What is missing is wanted from now on. */
	find(image: WantedCopies, mends: FoundMends | undefined): readonly ShrunkMaster[] {
		const isMissing = (factor: number) => this.#deps.cache.bytesOf(keyOf(image, factor, mends)) === undefined;
		if (shrunkFactorsOf(image).some(isMissing)) this.want(image);
		return this.#copiesOf(image, mends);
	}

	#copiesOf(image: WantedCopies, mends: FoundMends | undefined): readonly ShrunkMaster[] {
		const { cache } = this.#deps;
		const copies = shrunkFactorsOf(image).map((factor) => ({ factor, key: keyOf(image, factor, mends) }));
		return copies
			.filter(({ key }) => (cache.bytesOf(key) ?? 0) > 0)
			.map(({ factor, key }) => ({ factor, path: () => cache.pathOf(key) }));
	}

	async #work(): Promise<void> {
		this.#working = true;
		for (const [blobKey, image] of this.#wanted) {
			// Before it is made: whoever misses something from now on may miss what this time does not make.
			this.#wanted.delete(blobKey);
			await this.make(image).catch((cause: unknown) => {
				this.#deps.log.warn("A master could not be made smaller", { image: image.id, cause });
			});
		}
		this.#working = false;
	}

	async ready(image: WantedCopies): Promise<void> {
		const patienceMs = READY_MS[image.format];
		if (patienceMs === undefined || shrunkFactorsOf(image).length === 0 || !canBeDecoded(image)) return;
		let timer: ReturnType<typeof setTimeout> | undefined;
		const late = new Promise<void>((resolve) => {
			timer = setTimeout(resolve, patienceMs);
		});
		// What fails is tried again in the background, and told of there.
		await Promise.race([this.make(image).catch(() => undefined), late]);
		clearTimeout(timer);
	}

	/**
	 * A master has its place: what its inspection made of it, to be served without parameters, is put beside its renditions, so that its first
	 * visitor waits for nothing. Never in the place of what somebody has asked for.
	 */
	async stored(blobKey: string, sha256: Uint8Array): Promise<void> {
		const { shrinker, cache, looks, local } = this.#deps;
		const stripped = shrinker.takeStripped(sha256);
		if (!stripped) return;
		if (stripped.mends) looks.note(blobKey, stripped.mends);
		const made = stripped.made ?? (local ? AS_STORED : undefined);
		if (made && cache.hasFree(made.length)) await cache.put(strippedKey(blobKey, stripped), made, blobKey);
		if (made && !(made instanceof Uint8Array)) await rm(made.path, { force: true });
	}

	/** Makes the copies that are missing; one call does it however many there are. */
	make(image: WantedCopies): Promise<void> {
		const { blobKey } = image;
		const making = this.#making.get(blobKey) ?? this.#make(image).finally(() => this.#making.delete(blobKey));
		this.#making.set(blobKey, making);
		return making;
	}

	async #make(image: WantedCopies): Promise<void> {
		const { masters, cache, shrinker, analysis } = this.#deps;
		const { blobKey, format, width, height } = image;
		const blob = await masters.findWhole(blobKey);
		if (!blob) return;
		const master: Master = { blob, format, width, height };
		const factors = shrunkFactorsOf(image);
		const mends = factors.length > 0 ? await this.#findMends(image, master) : undefined;
		const missing = factors.filter((factor) => cache.bytesOf(keyOf(image, factor, mends)) === undefined);
		const { copies, overview } = missing.length > 0 ? await shrinker.reduce(master, missing) : NOTHING;
		for (const factor of missing) {
			const made = copies.get(factor) ?? NONE;
			await cache.put(keyOf(image, factor, mends), made, blobKey);
			if (!(made instanceof Uint8Array)) await rm(made.path, { force: true });
		}
		if (overview) await analysis.keep(blobKey, overview);
		else await this.#describe(image, { ...master, shrunkMasters: this.#copiesOf(image, mends) });
		// Deleted meanwhile: the purge may have passed before the copies were there.
		if (!(await this.#isServable(image))) await cache.purge(blobKey);
	}

	async #findMends({ blobKey, format }: WantedCopies, master: Master): Promise<FoundMends | undefined> {
		if (!hasPixelMends(format)) return undefined;
		const { signal } = new AbortController();
		return (await this.#deps.analysis.findIn(master, blobKey, "mends", { signal })) ?? ALL_MENDS;
	}

	async describeAnew({ blobKey, format, width, height }: LookedAt): Promise<void> {
		const { masters, analysis } = this.#deps;
		const blob = await masters.findWhole(blobKey);
		if (blob) await analysis.findAnew({ blob, format, width, height }, blobKey, ["colour", "colours", "thumbhash"]);
	}

	/**
	 * Otherwise a list that shows many images would have to find it out about each of them at once. The ThumbHash comes last, since a date
	 * or a colour that there is not looks like one that is not known yet: who has the ThumbHash has the others.
	 */
	async #describe({ blobKey }: WantedCopies, master: Master): Promise<void> {
		const { signal } = new AbortController();
		for (const kind of ["taken", "colour", "colours", "thumbhash"] as const)
			await this.#deps.analysis.findIn(master, blobKey, kind, { signal });
	}

	async #isServable({ teamHash, id }: WantedCopies): Promise<boolean> {
		const { images, clock } = this.#deps;
		return (await images.findServable(teamHash, id, clock.now())) !== undefined;
	}
}

/** The other images are served undecoded, or it is not known yet whether they can be decoded, or known that they cannot. */
function canBeDecoded({ format, status }: WantedCopies): boolean {
	return isTransformable(format) && status !== "processing" && status !== "failed";
}

function keyOf({ blobKey, format }: WantedCopies, factor: number, mends: FoundMends | undefined): string {
	const mend = pixelMend({ format, mends });
	return renditionKey(blobKey, digest(`reduction ${PIPELINE} ${factor}${mend > 0 ? ` mend ${mend}` : ""}`));
}
