import { readFile, rename, writeFile } from "node:fs/promises";
import type { Clock, Log } from "@svc/base/ports";
import type { Image } from "@svc/images/images";
import type { ImageStore, RecentImages } from "@svc/images/ports";

export interface WarmSizesDeps {
	readonly images: RecentImages & Pick<ImageStore, "findServable">;
	/** Makes the sizes of an image that are missing, in the background; rejects when they cannot be made. */
	readonly make: (image: Image) => Promise<void>;
	/** A file on the disk of the rendition cache. */
	readonly path: string;
	readonly clock: Clock;
	readonly log: Log;
}

const PAGE = 100;
/** Images that come at once are not made ready in the order of their numbers. */
const SLACK = 100;
const REMEMBERED = 1_000;
/** Images that became ready long after they came; the others are found by their numbers. */
const LATE_MAX = 1_000;
/** The file is written at most this often: what is looked at twice costs next to nothing. */
const WRITE_EVERY_MS = 1_000;

/**
 * Makes the sizes s, m and l of every image that comes, before the first visitor asks. Up to which image that has been done lies in a file beside the
 * renditions: after a kill it goes on from there, and with a cache that is lost nothing is due any more than for images of before.
 */
export class WarmSizes {
	readonly #deps: WarmSizesDeps;
	/** All images up to this number have been looked at. Undefined until it has been read. */
	#mark: number | undefined;
	/** What this process has looked at, of the last few: what failed is not tried again with every upload. */
	readonly #seen = new Set<number>();
	/** Images that may be late, with the capability in their address. */
	readonly #late = new Map<string, string>();
	#writtenMs = Number.NEGATIVE_INFINITY;
	#working: Promise<void> | undefined;
	#again = false;
	#stopped = false;

	constructor(deps: WarmSizesDeps) {
		this.#deps = deps;
	}

	/** Begins with what an earlier process left to do. */
	async start(): Promise<void> {
		const kept = Number(await readFile(this.#deps.path, "utf8").catch(() => Number.NaN));
		this.#mark = Number.isSafeInteger(kept) ? kept : await this.#deps.images.newestPk();
		if (this.#mark !== kept) await this.#write();
		await this.look();
	}

	/** An image is ready. */
	want({ id, teamHash }: Pick<Image, "id" | "teamHash">): void {
		if (this.#late.size < LATE_MAX) this.#late.set(id, teamHash);
		void this.look();
	}

	/** Resolves when all images that are there by now have their sizes. */
	look(): Promise<void> {
		this.#again = true;
		this.#working ??= this.#work().finally(() => {
			this.#working = undefined;
		});
		return this.#working;
	}

	/** Ends after the image that is being worked on. */
	async stop(): Promise<void> {
		this.#stopped = true;
		await this.#working;
	}

	async #work(): Promise<void> {
		while (this.#again && !this.#stopped && this.#mark !== undefined) {
			this.#again = false;
			try {
				await this.#catchUp(Math.max(0, this.#mark - SLACK));
				await this.#makeLate();
			} catch (error) {
				this.#deps.log.warn("Images could not be looked for to make their sizes", { error });
			}
		}
	}

	async #catchUp(from: number): Promise<void> {
		const { images, clock } = this.#deps;
		for (let last = from; !this.#stopped; ) {
			const page = await images.listReadyAfter(last, clock.now(), PAGE);
			for (const image of page) {
				if (this.#stopped) return;
				if (!this.#seen.has(image.pk)) await this.#make(image);
				last = image.pk;
			}
			if (page.length < PAGE) break;
		}
		await this.#write();
	}

	async #makeLate(): Promise<void> {
		const { images, clock } = this.#deps;
		for (const [id, teamHash] of this.#late) {
			if (this.#stopped) return;
			this.#late.delete(id);
			const image = await images.findServable(teamHash, id, clock.now());
			if (image && !this.#seen.has(image.pk)) await this.#make(image);
		}
	}

	async #make(image: Image): Promise<void> {
		this.#see(image.pk);
		await this.#deps.make(image).catch((error: unknown) => {
			this.#deps.log.warn("The sizes of an image could not be made ahead", { image: image.id, error });
		});
		this.#mark = Math.max(this.#mark ?? 0, image.pk);
		if (this.#deps.clock.now() - this.#writtenMs >= WRITE_EVERY_MS) await this.#write();
	}

	#see(pk: number): void {
		this.#seen.add(pk);
		if (this.#seen.size <= REMEMBERED) return;
		for (const oldest of this.#seen) {
			this.#seen.delete(oldest);
			return;
		}
	}

	async #write(): Promise<void> {
		this.#writtenMs = this.#deps.clock.now();
		const { path, log } = this.#deps;
		try {
			await writeFile(`${path}.new`, String(this.#mark));
			await rename(`${path}.new`, path);
		} catch (error) {
			log.warn("It could not be kept which images have their sizes", { error });
		}
	}
}
