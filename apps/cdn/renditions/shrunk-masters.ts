import { rm } from "node:fs/promises";
import type { AnalysisKind, ImageFormat } from "@svc/base/enumerations";
import { LeastRecent } from "@svc/base/pace/least-recent";
import type { Clock, Log } from "@svc/base/ports";
import type { ImageFacts } from "@svc/images/images";
import type { ImageStore, LookedAt, Master, Shrinker, ShrunkMaster } from "@svc/images/ports";
import type { Analysis } from "@svc/images/transform/analysis";
import { ALL_MENDS, type FoundMends, hasPixelMends, pixelMend } from "@svc/images/transform/mends";
import { shrunkFactorsOf } from "@svc/images/transform/shrunk-masters";
import { isTransformable } from "@svc/images/transform/transform";
import { digest, type RenditionCache, renditionKey } from "../cache/cache.ts";
import type { Originals } from "../cache/kept-originals.ts";
import type { AnalysisSearches } from "./analysis.ts";
import type { MendLooks } from "./mend-looks.ts";
import { smallestKey, strippedKey } from "./rendition.ts";

export interface ShrunkMasterDeps {
	readonly images: Pick<ImageStore, "findServable">;
	readonly masters: Pick<Originals, "findWhole">;
	readonly shrinker: Shrinker;
	readonly analysis: Pick<AnalysisSearches, "findIn" | "findAnew">;
	readonly cache: Pick<RenditionCache, "diskBytesOf" | "hasFree" | "moment" | "pathOf" | "put" | "purge">;
	readonly looks: Pick<MendLooks, "note">;
	/** Whether masters lie on a disk of this machine. */
	readonly local: boolean;
	readonly clock: Clock;
	readonly log: Log;
}

/** Raised whenever all copies come to have other pixels; where only some do, it is a mend. */
const PIPELINE = "4";
/** Images in the queue; beyond this, an image is queued again by its next rendition, or the next operator who looks at it. */
const WANTED_MAX = 1_000;
/** Pictures of which something was missed a while ago: some hundred bytes each. */
const MISSED_MAX = 10_000;
/** Pictures that are known to have been seen; at others somebody looks once more. */
const SEEN_MAX = 100;
/** As long as an upload waits for copies. Those of a JPEG were made while it was looked at, and only have to be put in their place. */
const READY_MS: Readonly<Partial<Record<ImageFormat, number>>> = { avif: 10_000, jpg: 2_000 };
/** This cache entry stands for a copy that does not exist: the master is transparent or an animation. */
const NONE = new Uint8Array(0);
/** This cache entry stands for a stripped master whose stored bytes hold nothing to remove and can be sent as they are. */
export const AS_STORED = new Uint8Array(0);

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
	/** Pictures that inspections have just seen, by blob key: what is known of them is committed with their images. */
	readonly #seen = new LeastRecent<string, true>(SEEN_MAX);
	/** Blob keys. */
	readonly #missed = new LeastRecent<string, true>(MISSED_MAX);
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

	/**
	 * The copies that are there, unopened. What is missing is wanted when it is missed once more: of an old picture of which somebody wants one rendition
	 * copies would cost more than it, and drive out those of pictures that are looked at.
	 */
	find(image: WantedCopies, mends: FoundMends | undefined): readonly ShrunkMaster[] {
		if (this.#missingOf(image, mends).length > 0 && this.#isMissedAgain(image)) this.want(image);
		return this.#copiesOf(image, mends);
	}

	#missingOf(image: LookedAt, mends: FoundMends | undefined): readonly number[] {
		return shrunkFactorsOf(image).filter(
			(factor) => this.#deps.cache.diskBytesOf(keyOf(image, factor, mends)) === undefined,
		);
	}

	#isMissedAgain({ blobKey }: WantedCopies): boolean {
		const isAgain = this.#missed.delete(blobKey);
		if (!isAgain) this.#missed.set(blobKey, true);
		return isAgain;
	}

	#copiesOf(image: LookedAt, mends: FoundMends | undefined): readonly ShrunkMaster[] {
		const { cache } = this.#deps;
		const copies = shrunkFactorsOf(image).map((factor) => ({ factor, key: keyOf(image, factor, mends) }));
		return copies
			.filter(({ key }) => (cache.diskBytesOf(key) ?? 0) > 0)
			.map(({ factor, key }) => ({ factor, path: () => cache.pathOf(key) }));
	}

	async #work(): Promise<void> {
		this.#working = true;
		for (const [blobKey, image] of this.#wanted) {
			// Before it is made: whoever misses something from now on may miss what this time does not make.
			this.#wanted.delete(blobKey);
			await this.#makeAndDescribe(image).catch((cause: unknown) => {
				this.#deps.log.warn("A master could not be made smaller", { image: image.id, cause });
			});
		}
		this.#working = false;
	}

	/** A picture that was just seen is looked at by whoever still misses what is known of it. */
	async #makeAndDescribe(image: WantedCopies): Promise<void> {
		await this.make(image);
		if (!this.#seen.delete(image.blobKey)) await this.#describe(image);
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
	 * A master has its place: what its inspection made of it, to be served without parameters and in lists, is put beside its renditions, so that its
	 * first visitor waits for nothing. Never in the place of what somebody has asked for.
	 */
	async stored(blobKey: string, sha256: Uint8Array): Promise<void> {
		const { shrinker, cache, looks, local } = this.#deps;
		const stripped = shrinker.takeStripped(sha256);
		if (!stripped) return;
		if (stripped.mends) looks.note(blobKey, stripped.mends);
		if (stripped.overview) this.#seen.set(blobKey, true);
		const { smallest, made = local ? AS_STORED : undefined } = stripped;
		if (made && cache.hasFree(made.length)) await cache.put(strippedKey(blobKey, stripped), made, blobKey);
		if (smallest) await cache.put(smallestKey(blobKey, stripped), smallest, blobKey, cache.moment(), true);
		for (const file of [made, smallest])
			if (file && !(file instanceof Uint8Array)) await rm(file.path, { force: true });
	}

	/** Makes the copies that are missing; one call does it however many there are. */
	make(image: WantedCopies): Promise<void> {
		const { blobKey } = image;
		const making = this.#making.get(blobKey) ?? this.#make(image).finally(() => this.#making.delete(blobKey));
		this.#making.set(blobKey, making);
		return making;
	}

	async #make(image: WantedCopies): Promise<void> {
		const { cache, shrinker } = this.#deps;
		const factors = shrunkFactorsOf(image);
		const master = factors.length > 0 ? await this.#findMaster(image) : undefined;
		if (!master) return;
		const mends = await this.#findMends(image, master);
		const missing = this.#missingOf(image, mends);
		if (missing.length === 0) return;
		// All of them, since each is made of the one before.
		const copies = await shrinker.reduce(master, factors);
		for (const factor of missing)
			await cache.put(keyOf(image, factor, mends), copies.get(factor) ?? NONE, image.blobKey);
		for (const made of copies.values()) if (!(made instanceof Uint8Array)) await rm(made.path, { force: true });
		// Deleted meanwhile: the purge may have passed before the copies were there.
		if (!(await this.#isServable(image))) await cache.purge(image.blobKey);
	}

	async #findMaster({ blobKey, format, width, height }: LookedAt): Promise<Master | undefined> {
		const blob = await this.#deps.masters.findWhole(blobKey);
		return blob && { blob, format, width, height };
	}

	async #findMends({ blobKey, format }: LookedAt, master: Master): Promise<FoundMends | undefined> {
		if (!hasPixelMends(format)) return undefined;
		const { signal } = new AbortController();
		return (await this.#deps.analysis.findIn(master, blobKey, "mends", { signal })) ?? ALL_MENDS;
	}

	async describeAnew(image: LookedAt): Promise<void> {
		const master = await this.#findMaster(image);
		if (master)
			await this.#deps.analysis.findAnew(master, image.blobKey, ["colour", "colours", "likeness", "thumbhash"]);
	}

	/**
	 * Otherwise a list that shows many images would have to find it out about each of them at once. The ThumbHash comes last, since a date
	 * or a colour that there is not looks like one that is not known yet: who has the ThumbHash has the others.
	 */
	async #describe(image: WantedCopies): Promise<void> {
		const { signal } = new AbortController();
		const master = await this.#findWithCopies(image);
		if (!master) return;
		for (const kind of ["taken", "colour", "colours", "likeness", "thumbhash"] as const)
			await this.#deps.analysis.findIn(master, image.blobKey, kind, { signal });
	}

	/** A fact about a picture that no rendition needs: looked up, or found of its smallest copy where there is one. */
	async look<Kind extends AnalysisKind>(image: LookedAt, kind: Kind): Promise<Analysis[Kind] | undefined> {
		const { signal } = new AbortController();
		const master = isTransformable(image.format) ? await this.#findWithCopies(image) : undefined;
		return master && (await this.#deps.analysis.findIn(master, image.blobKey, kind, { signal }));
	}

	async #findWithCopies(image: LookedAt): Promise<Master | undefined> {
		const master = await this.#findMaster(image);
		if (!master) return undefined;
		const mends = shrunkFactorsOf(image).length > 0 ? await this.#findMends(image, master) : undefined;
		return { ...master, shrunkMasters: this.#copiesOf(image, mends) };
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

function keyOf({ blobKey, format }: LookedAt, factor: number, mends: FoundMends | undefined): string {
	const mend = pixelMend({ format, mends });
	return renditionKey(blobKey, digest(`reduction ${PIPELINE} ${factor}${mend > 0 ? ` mend ${mend}` : ""}`));
}
