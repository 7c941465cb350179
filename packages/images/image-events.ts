import type { Image, ImageFacts } from "./images.ts";
import type { PictureFacts } from "./picture-facts.ts";

/** What the event of an image holds. */
export interface ImageEventData {
	readonly object: ImageFacts;
	/** What was known of the picture then; undefined where a release wrote it that did not say. */
	readonly facts: PictureFacts | undefined;
	/** The image as it was before, where the event tells what changed. */
	readonly before: ImageFacts | undefined;
	readonly reason: string | null;
}

/** Reads the data of an image's event. */
export function readImageEvent(data: Readonly<Record<string, unknown>>): ImageEventData {
	const { object, previous, reason } = data as {
		readonly object: Omit<ImageFacts, "locked"> & { readonly lockedMs: number | null; readonly facts?: PictureFacts };
		readonly previous?: Partial<Image> | null;
		readonly reason?: string | null;
	};
	const { lockedMs, facts, ...row } = object;
	const image = { ...row, locked: lockedMs !== null };
	return { object: image, facts, before: previous ? { ...image, ...previous } : undefined, reason: reason ?? null };
}
