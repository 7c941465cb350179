import type { Image, ImageFacts } from "./images.ts";

/** What the event of an image holds. */
export interface ImageEventData {
	readonly object: ImageFacts;
	/** The image as it was before, where the event tells what changed. */
	readonly before: ImageFacts | undefined;
	readonly reason: string | null;
}

/** Reads the data of an image's event. */
export function readImageEvent(data: Readonly<Record<string, unknown>>): ImageEventData {
	const { object, previous, reason } = data as {
		readonly object: Omit<ImageFacts, "locked"> & { readonly lockedMs: number | null };
		readonly previous?: Partial<Image> | null;
		readonly reason?: string | null;
	};
	const { lockedMs, ...row } = object;
	const image = { ...row, locked: lockedMs !== null };
	return { object: image, before: previous ? { ...image, ...previous } : undefined, reason: reason ?? null };
}
