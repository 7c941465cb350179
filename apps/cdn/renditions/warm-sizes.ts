import { readFile, rename, writeFile } from "node:fs/promises";
import { LeastRecent } from "@svc/base/pace/least-recent";
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
/** Images that come one after the other are listed together. */
const DELAY_MS = 1_000;
/** How many of those that an earlier process has looked at are looked at once more. */
const SLACK = 100;
const REMEMBERED = 1_000;
/** Images that became ready long after they came; the others are found by their numbers. */
const LATE_MAX = 1_000;
/** An image is ready a moment before its processing has ended, and clocks of several processes differ. */
const LATE_SLACK_MS = 600_000;
/** The file is written at most this often: what is looked at twice costs next to nothing. */
const WRITE_EVERY_MS = 1_000;

const UNSOUGHT = "Images could not be looked for to make their sizes";

type ReadyImage = Pick<Image, "id" | "teamHash" | "blobKey">;

interface KeptSizes {
	readonly mark: number;
	readonly lateSinceMs: number;
}

/**
 * Makes the sizes s, m and l of every image that comes, before the first visitor asks. Up to which image that has been done lies in a file beside the
 * renditions, and up to which moment those that were processed late: after a kill it goes on from there, and with a cache that is lost nothing is due any more than for images of before.
 */
export class WarmSizes {
	readonly #deps: WarmSizesDeps;
	/** All images up to this number have been looked at. Undefined until it has been read. */
	#mark: number | undefined;
	/** Pictures that this process has looked at, of the last few: what failed is not tried again with every upload, and what was replaced is another one. */
	readonly #seen = new LeastRecent<string, true>(REMEMBERED);
	/** Images that may be late, by their ids. */
	readonly #late = new Map<string, ReadyImage>();
	/** All that became ready late before this moment have been looked at. */
	#lateSinceMs = 0;
	/** Whether those that an earlier process left have been listed. */
	#lateListed = false;
	#writtenMs = Number.NEGATIVE_INFINITY;
	#working: Promise<void> | undefined;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#again = false;
	#stopped = false;

	constructor(deps: WarmSizesDeps) {
		this.#deps = deps;
	}

	/** Begins with what an earlier process left to do. */
	async start(): Promise<void> {
		const { images, clock } = this.#deps;
		const kept = await this.#read();
		this.#mark = kept?.mark ?? (await images.newestPk());
		this.#lateSinceMs = kept?.lateSinceMs ?? clock.now();
		this.#mark = Math.max(0, this.#mark - SLACK);
		if (!kept) await this.#write();
		await this.look();
	}

	/** What an earlier process left; one of an earlier release wrote nothing but the number. */
	async #read(): Promise<KeptSizes | undefined> {
		const text = await readFile(this.#deps.path, "utf8").catch(() => "");
		const [mark, lateSinceMs = this.#deps.clock.now()] = text.split(" ").map(Number);
		if (text === "" || !Number.isSafeInteger(mark) || !Number.isSafeInteger(lateSinceMs)) return undefined;
		return { mark: mark ?? 0, lateSinceMs };
	}

	/** An image is ready. */
	want(image: ReadyImage): void {
		if (this.#late.size < LATE_MAX) this.#late.set(image.id, image);
		this.#timer ??= setTimeout(() => {
			this.look().catch((error: unknown) => this.#deps.log.warn(UNSOUGHT, { error }));
		}, DELAY_MS).unref();
	}

	/** Resolves when all images that are there by now have their sizes. */
	look(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#again = true;
		this.#working ??= this.#work().finally(() => {
			this.#working = undefined;
		});
		return this.#working;
	}

	/** Ends after the image that is being worked on. */
	async stop(): Promise<void> {
		this.#stopped = true;
		clearTimeout(this.#timer);
		await this.#working;
	}

	async #work(): Promise<void> {
		while (this.#again && !this.#stopped && this.#mark !== undefined) {
			this.#again = false;
			try {
				await this.#catchUp(this.#mark);
				await this.#makeLate();
				await this.#write();
			} catch (error) {
				this.#deps.log.warn(UNSOUGHT, { error });
			}
		}
	}

	async #catchUp(from: number): Promise<void> {
		const { images, clock } = this.#deps;
		for (let last = from; ; ) {
			const page = await images.listReadyAfter(last, clock.now(), PAGE);
			for (const image of page) {
				if (this.#stopped) return;
				await this.#make(image);
				last = image.pk;
				this.#mark = last;
				if (clock.now() - this.#writtenMs >= WRITE_EVERY_MS) await this.#write();
			}
			if (page.length < PAGE) break;
		}
	}

	async #makeLate(): Promise<void> {
		const { images, clock } = this.#deps;
		const sinceMs = clock.now() - LATE_SLACK_MS;
		if (!this.#lateListed) {
			const left = await images.listProcessedSince(this.#lateSinceMs, clock.now(), LATE_MAX);
			for (const image of left) this.#late.set(image.id, image);
			this.#lateListed = true;
		}
		for (const { id, teamHash, blobKey } of this.#late.values()) {
			if (this.#stopped) return;
			this.#late.delete(id);
			if (this.#seen.has(blobKey)) continue;
			const image = await images.findServable(teamHash, id, clock.now());
			if (image) await this.#make(image);
		}
		this.#lateSinceMs = Math.max(this.#lateSinceMs, sinceMs);
	}

	async #make(image: Image): Promise<void> {
		if (this.#seen.has(image.blobKey)) return;
		this.#seen.set(image.blobKey, true);
		await this.#deps.make(image).catch((error: unknown) => {
			this.#deps.log.warn("The sizes of an image could not be made ahead", { image: image.id, error });
		});
	}

	async #write(): Promise<void> {
		this.#writtenMs = this.#deps.clock.now();
		const { path, log } = this.#deps;
		try {
			await writeFile(`${path}.new`, `${this.#mark} ${this.#lateSinceMs}`);
			await rename(`${path}.new`, path);
		} catch (error) {
			log.warn("It could not be kept which images have their sizes", { error });
		}
	}
}
