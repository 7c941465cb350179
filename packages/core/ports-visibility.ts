import type { ImageFormat } from "./formats.ts";
import type { Image } from "./images.ts";

/* What is asked of the world about who may see an image's page; see ports.ts. */

/** A stretch of the public images, in the order in which they came. */
export interface Stretch {
	readonly fromPk: number;
	/** Not itself part of it; undefined: to the end. */
	readonly beforePk: number | undefined;
}

/** A public image of whatever state. */
export interface PublicRow {
	readonly pk: number;
	readonly id: string;
	readonly teamHash: string;
	readonly format: ImageFormat;
	readonly createdMs: number;
	/** Whether search engines may be told: ready, unexpired, suitable for everybody, in a storage that is there to stay. */
	readonly listed: boolean;
}

export interface VisibleImageStore {
	/**
	 * Of whatever visibility and status, for a person who has access: whoever is in the App's team, and whose storage it lies in.
	 * Expired images are not found.
	 */
	findFor(accountPk: number, id: string, nowMs: number): Promise<Image | undefined>;
	/** Where the stretch goes on after its first `count` public images; undefined when it has no more. */
	findNext(fromPk: number, count: number): Promise<number | undefined>;
	/** The first `limit` public images of a stretch. */
	listPublic(stretch: Stretch, limit: number, nowMs: number): Promise<readonly PublicRow[]>;
}
