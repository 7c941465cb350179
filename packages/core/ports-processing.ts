import type { JobLease } from "@svc/jobs/jobs";
import type { ImageFormat } from "./formats.ts";
import type { Image } from "./images.ts";

/* What is asked of the world about images that are still being processed; see ports.ts. */

/** What an image has turned out to be. */
export interface Processed {
	readonly format: ImageFormat;
	/** Pixels, after orientation is applied. */
	readonly width: number;
	readonly height: number;
	/** Takes the place of the bytes that were sent; undefined where those stay. */
	readonly master: ProcessedMaster | undefined;
}

export interface ProcessedMaster {
	readonly blobKey: string;
	readonly bytes: number;
	readonly sha256: Uint8Array<ArrayBuffer>;
}

/** "lost": another worker holds the job. "gone": the image is not being processed any more, or not there. */
type SettleRefusal = "lost" | "gone";

export interface ProcessingStore {
	/** Undefined unless the image is there for its callers and is still being processed. */
	find(imageId: string, nowMs: number): Promise<Image | undefined>;
	/**
	 * One guarded commit: image ready, labels, and with another master its blob live, the old one in the trash, and the counters
	 * right. "fenced": the sweep has condemned the new master.
	 */
	finish(
		lease: JobLease,
		image: Image,
		processed: Processed,
		nowMs: number,
	): Promise<SettleRefusal | "fenced" | undefined>;
	/** For good. The image stays where it is, and counts, until somebody deletes it. */
	fail(lease: JobLease, image: Image, nowMs: number): Promise<SettleRefusal | undefined>;
}
